"""The board of a campaign's orders: which post it is, up to which entry it tells, and a hash of what it shows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Keep the newest board of each campaign, as one that has to be looked at again."""
    op.create_table(
        "board",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("post_id", sa.Integer(), nullable=False),
        sa.Column("upto", sa.Integer(), nullable=False),
        sa.Column("shown", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_board_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["post_id"], ["post.id"], name=op.f("fk_board_post_id_post"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_board")),
    )
    op.execute(
        "INSERT INTO board (campaign_id, post_id, upto, shown)"
        " SELECT campaign_id, max(id), 0, '' FROM post WHERE kind = 'board' AND topic = 'board' GROUP BY campaign_id"
    )


def downgrade() -> None:
    """Let no board be known any more."""
    op.drop_table("board")
