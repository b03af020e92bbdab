"""Which commands Discord was given, so that a start registers them only when they have changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Make the table; the next start registers the commands once more."""
    op.create_table(
        "registered",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_registered")),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("registered")
