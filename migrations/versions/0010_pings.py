"""Pings: whom a campaign lets the bot ping."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Let campaigns choose whom to ping; nobody at first."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("pings", sa.String(10), server_default="nobody", nullable=False))


def downgrade() -> None:
    """Drop the choice."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("pings")
