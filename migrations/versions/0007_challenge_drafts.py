"""Room for what somebody has typed as the answer to a challenge and has to mend."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the draft to challenges; those that wait have none."""
    with op.batch_alter_table("challenge", schema=None) as batch_op:
        batch_op.add_column(sa.Column("draft", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Drop the drafts: nothing of the ledger is in them."""
    with op.batch_alter_table("challenge", schema=None) as batch_op:
        batch_op.drop_column("draft")
