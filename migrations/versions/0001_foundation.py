"""Campaigns, the ledger and its projections, open cards, queued posts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    _campaign()
    _actor()
    _binding()
    _book_version()
    _card()
    _entry()
    _post()
    _state()
    _entry_text()


def _campaign() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("name_key", sa.String(length=200), nullable=False),
        sa.Column("books", sa.JSON(), nullable=False),
        sa.Column("timezone", sa.String(length=64), nullable=False),
        sa.Column("results_channel_id", sa.BigInteger(), nullable=False),
        sa.Column("staff_channel_id", sa.BigInteger(), nullable=False),
        sa.Column("game_master_role_id", sa.BigInteger(), nullable=False),
        sa.Column("player_role_id", sa.BigInteger(), nullable=True),
        sa.Column("players_may", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
        sa.UniqueConstraint("guild_id", "name_key", name=op.f("uq_campaign_guild_id_name_key")),
        sa.UniqueConstraint("uuid", name=op.f("uq_campaign_uuid")),
    )


def _actor() -> None:
    op.create_table(
        "actor",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("salt", sa.String(length=32), nullable=False),
        sa.Column("pseudonym", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_actor_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "user_id", name=op.f("pk_actor")),
        sa.UniqueConstraint("campaign_id", "pseudonym", name=op.f("uq_actor_campaign_id_pseudonym")),
    )


def _binding() -> None:
    op.create_table(
        "binding",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_binding_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "channel_id", name=op.f("pk_binding")),
    )
    with op.batch_alter_table("binding", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_binding_channel_id"), ["channel_id"], unique=False)


def _book_version() -> None:
    op.create_table(
        "book_version",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("book", sa.String(length=40), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_book_version_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "fingerprint", name=op.f("pk_book_version")),
    )


def _card() -> None:
    op.create_table(
        "card",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.BigInteger(), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("shown", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("entry_number", sa.Integer(), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_card_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_card")),
    )
    with op.batch_alter_table("card", schema=None) as batch_op:
        batch_op.create_index(
            "ix_card_campaign_id_state_opened_at", ["campaign_id", "state", "opened_at"], unique=False
        )


def _entry() -> None:
    op.create_table(
        "entry",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("book", sa.String(length=64), nullable=True),
        sa.Column("audience", sa.String(length=10), nullable=False),
        sa.Column("previous", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("header", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("salt", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_entry_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", name=op.f("pk_entry")),
    )
    with op.batch_alter_table("entry", schema=None) as batch_op:
        batch_op.create_index("ix_entry_campaign_id_kind_number", ["campaign_id", "kind", "number"], unique=False)


def _post() -> None:
    op.create_table(
        "post",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("entry_number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=True),
        sa.Column("nonce", sa.String(length=25), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("unconfirmed", sa.Boolean(), nullable=False),
        sa.Column("queued_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_post_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_post")),
        sa.UniqueConstraint(
            "campaign_id", "entry_number", "kind", "page", name=op.f("uq_post_campaign_id_entry_number_kind_page")
        ),
        sa.UniqueConstraint("nonce", name=op.f("uq_post_nonce")),
    )
    with op.batch_alter_table("post", schema=None) as batch_op:
        batch_op.create_index("ix_post_state_due_at", ["state", "due_at"], unique=False)


def _state() -> None:
    op.create_table(
        "state",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_state_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "subject", "name", name=op.f("pk_state")),
    )


def _entry_text() -> None:
    op.create_table(
        "entry_text",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("salt", sa.String(length=32), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id", "number"],
            ["entry.campaign_id", "entry.number"],
            name=op.f("fk_entry_text_campaign_id_number_entry"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_entry_text_campaign_id_campaign"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign_id", "number", "name", name=op.f("pk_entry_text")),
    )


def downgrade() -> None:
    """Drop every table again."""
    for table in ["entry_text", "state", "post", "entry", "card", "book_version", "binding", "actor", "campaign"]:
        op.drop_table(table)
