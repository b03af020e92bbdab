"""Who sees units and characters that are newly saved."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Let campaigns choose that they are the staff's at first; players see them until then, as before."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.add_column(sa.Column("new_are_secret", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    """Drop the choice; what is secret stays so."""
    with op.batch_alter_table("campaign", schema=None) as batch_op:
        batch_op.drop_column("new_are_secret")
