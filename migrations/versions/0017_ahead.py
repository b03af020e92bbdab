"""What a schedule does ahead of its time, such as locking orders before an update closes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.core.schema import UtcDateTime

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Let schedules say how many minutes ahead; none do until then."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.add_column(sa.Column("ahead", sa.Integer()))
        batch_op.add_column(sa.Column("ahead_at", UtcDateTime()))
        batch_op.create_index(batch_op.f("ix_job_ahead_at"), ["ahead_at"], unique=False)


def downgrade() -> None:
    """Do nothing ahead any more."""
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_job_ahead_at"))
        batch_op.drop_column("ahead_at")
        batch_op.drop_column("ahead")
