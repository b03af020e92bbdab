"""House rules as they were sent, challenges that wait for somebody, and room for what a post is about."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create both tables and widen the topic of posts."""
    op.create_table(
        "document",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kept", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_document_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "fingerprint", name=op.f("pk_document")),
    )
    op.create_table(
        "challenge",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("challenger_id", sa.BigInteger(), nullable=False),
        sa.Column("opponent_id", sa.BigInteger(), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("entry_number", sa.Integer(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_challenge_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenge")),
    )
    op.create_index("ix_challenge_state_expires_at", "challenge", ["state", "expires_at"])
    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.alter_column("topic", existing_type=sa.String(length=10), type_=sa.String(length=40))


def downgrade() -> None:
    """Drop them again: of the ledger, only the text of house rules is lost."""
    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.alter_column("topic", existing_type=sa.String(length=40), type_=sa.String(length=10))
    op.drop_index("ix_challenge_state_expires_at", table_name="challenge")
    op.drop_table("challenge")
    op.drop_table("document")
