"""The key with which a campaign asks random.org, encrypted under one of the host's."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Make room for it; no campaign has one until somebody gives it."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("outside_key", sa.Text(), nullable=True))


def downgrade() -> None:
    """Drop the keys: rolls are drawn from the campaigns' own seeds alone."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("outside_key")
