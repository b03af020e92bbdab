"""Schedules on several weekdays and every second, third or fourth week: by an RRULE instead of a weekday."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_JOB = sa.table("job", sa.column("rule", sa.String), sa.column("weekday", sa.Integer))


def upgrade() -> None:
    """Say the weekday, or every day, as a rule."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.add_column(sa.Column("rule", sa.String(60), server_default="FREQ=DAILY", nullable=False))
        batch_op.add_column(sa.Column("start", sa.String(10)))
    for weekday, code in enumerate(_CODES):
        op.execute(_JOB.update().where(_JOB.c.weekday == weekday).values(rule=f"FREQ=WEEKLY;BYDAY={code}"))
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.alter_column("rule", server_default=None)
        batch_op.drop_column("weekday")


def downgrade() -> None:
    """Keep the first weekday of each rule, every week; what is due next stays due."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.add_column(sa.Column("weekday", sa.Integer()))
    for weekday, code in enumerate(_CODES):
        op.execute(_JOB.update().where(_JOB.c.rule.contains(f"BYDAY={code}")).values(weekday=weekday))
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_column("start")
        batch_op.drop_column("rule")
