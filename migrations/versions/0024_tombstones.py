"""Who was erased in the current update or war, as a salted hash, so that limits per person outlast an erasure."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Make room for them; none are known of those who were erased before."""
    op.create_table(
        "tombstone",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("pseudonym", sa.String(length=64), nullable=False),
        sa.Column("salt", sa.String(length=32), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_tombstone_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "pseudonym", name=op.f("pk_tombstone")),
    )


def downgrade() -> None:
    """Forget them."""
    op.drop_table("tombstone")
