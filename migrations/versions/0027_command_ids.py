"""The ids of registered commands, which mentions of them need; the next start registers the commands once more to get them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Add the column."""
    op.add_column("registered", sa.Column("ids", sa.JSON()))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("registered", schema=None) as batch_op:
        batch_op.drop_column("ids")
