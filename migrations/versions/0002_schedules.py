"""Schedules, and posts that tell of no entry."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table of schedules and let posts stand without an entry."""
    _job()
    _post()


def _job() -> None:
    op.create_table(
        "job",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("deed", sa.String(length=10), nullable=False),
        sa.Column("weekday", sa.Integer(), nullable=True),
        sa.Column("at", sa.String(length=5), nullable=False),
        sa.Column("catch_up", sa.String(length=10), nullable=False),
        sa.Column("remind", sa.Integer(), nullable=True),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("remind_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reached", sa.Integer(), nullable=False),
        sa.Column("missed", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_job_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "deed", name=op.f("pk_job")),
    )
    with op.batch_alter_table("job", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_job_next_at"), ["next_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_job_remind_at"), ["remind_at"], unique=False)


def _post() -> None:
    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.alter_column("entry_number", existing_type=sa.Integer(), nullable=True)
        batch_op.add_column(sa.Column("topic", sa.String(length=10), nullable=True))


def downgrade() -> None:
    """Drop schedules, and the posts that only they have."""
    op.execute("DELETE FROM post WHERE entry_number IS NULL")
    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.drop_column("topic")
        batch_op.alter_column("entry_number", existing_type=sa.Integer(), nullable=False)
    op.drop_table("job")
