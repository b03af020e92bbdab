"""By which interaction an entry was written, so that two processes on one token do not both write it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

NAME, ONLY = "ix_entry_interaction_step", sa.text("interaction IS NOT NULL")


def upgrade() -> None:
    """Make room for it; of entries that are there it is not known, and their interactions are long over."""
    op.add_column("entry", sa.Column("interaction", sa.BigInteger(), nullable=True))
    op.add_column("entry", sa.Column("step", sa.Integer(), nullable=True))
    op.create_index(NAME, "entry", ["interaction", "step"], unique=True, sqlite_where=ONLY, postgresql_where=ONLY)


def downgrade() -> None:
    """Forget it."""
    op.drop_index(NAME, "entry")
    op.drop_column("entry", "step")
    op.drop_column("entry", "interaction")
