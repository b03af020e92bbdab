"""Room for what somebody has typed as the answer to a challenge and has to mend; cards keep snapshots.

A snapshot holds ticks, weather and house rules apart. What open cards have shown in the older form is forgotten: they are
shown anew before they are rolled.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the draft to challenges, those that wait have none; forget what open cards have shown."""
    with op.batch_alter_table("challenge", schema=None) as batch_op:
        batch_op.add_column(sa.Column("draft", sa.JSON(), nullable=True))
    op.execute("UPDATE card SET shown = '{}'")


def downgrade() -> None:
    """Drop the drafts, nothing of the ledger is in them; forget what open cards have shown."""
    with op.batch_alter_table("challenge", schema=None) as batch_op:
        batch_op.drop_column("draft")
    op.execute("UPDATE card SET shown = '{}'")
