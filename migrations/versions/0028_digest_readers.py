"""Who gets their own results by DM when a digest is posted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    """Make room for them; it is off for everyone."""
    op.create_table(
        "digest_reader",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_digest_reader_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "user_id", name=op.f("pk_digest_reader")),
    )


def downgrade() -> None:
    """Forget them, and their DMs: the version before can't send those."""
    op.execute("DELETE FROM post WHERE kind = 'own'")
    op.drop_table("digest_reader")
