"""Threads for what is to be written: whether a campaign wants them, and which a post has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Let campaigns want threads, none at first, and posts have one."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("writeup_threads", sa.Boolean(), server_default=sa.false(), nullable=False))
    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.add_column(sa.Column("thread_id", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Drop both; the threads themselves stay on Discord."""
    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.drop_column("thread_id")
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("writeup_threads")
