"""Which saved units and characters were used last."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table of what was used last."""
    op.create_table(
        "recent",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("entry", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_recent_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "subject", name=op.f("pk_recent")),
    )


def downgrade() -> None:
    """Drop it again; nothing of the ledger is in it."""
    op.drop_table("recent")
