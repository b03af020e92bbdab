"""The tables. Rows belong to a campaign, except `registered`; times are UTC."""

from datetime import datetime

import sqlalchemy as sa

from bot.core import transactions
from bot.core.records import pack, unpack

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcDateTime(transactions.ConvertedType[datetime]):
    """An aware UTC time; refuses naive times. SQLite drops the zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True
    store, load = staticmethod(transactions.to_utc), staticmethod(transactions.read_utc)


class PackedText(transactions.ConvertedType[str]):
    """A compressed text, opaque to SQL."""

    impl = sa.LargeBinary
    cache_ok = True
    store, load = staticmethod(pack), staticmethod(unpack)


def _campaign_key(*, primary: bool = False) -> sa.Column[int]:
    return sa.Column(
        "campaign_id", sa.ForeignKey("campaign.id", ondelete="CASCADE"), nullable=False, primary_key=primary
    )


def _table(name: str, *items: sa.schema.SchemaItem) -> sa.Table:
    return sa.Table(name, metadata, _campaign_key(primary=True), *items)


_BYTEWISE = sa.String(200).with_variant(sa.String(200, collation="C"), "postgresql")
"""A text compared byte by byte, as SQLite does, so indexes serve ranges."""

campaign = sa.Table(
    "campaign",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("uuid", sa.String(36), nullable=False, unique=True),
    sa.Column("guild_id", sa.BigInteger, nullable=False),
    sa.Column("name", sa.String(60), nullable=False),
    sa.Column("name_key", sa.String(200), nullable=False),
    sa.Column("books", sa.JSON, nullable=False),
    sa.Column("timezone", sa.String(64), nullable=False),
    sa.Column("results_channel_id", sa.BigInteger, nullable=False),
    sa.Column("staff_channel_id", sa.BigInteger, nullable=False),
    sa.Column("game_master_role_id", sa.BigInteger, nullable=False),
    sa.Column("player_role_id", sa.BigInteger),
    sa.Column("players_may", sa.JSON, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("archived_at", UtcDateTime),
    sa.Column("writeup_threads", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("pings", sa.String(10), nullable=False, server_default="nobody"),
    sa.Column("new_are_secret", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("dodges_wait", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("outside_key", sa.Text),
    sa.Column("away_since", UtcDateTime, index=True),
    sa.Column("site", sa.String(32), index=True, unique=True),
    sa.Column("site_on", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("site_indexed", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.UniqueConstraint("guild_id", "name_key"),
    sqlite_autoincrement=True,  # the number of a deleted campaign isn't used again: old buttons carry it
)

_other = campaign.alias("other")
_AWAY = sa.select(_other.c.id).where(_other.c.away_since.is_not(None))


def at_home(campaign_id: sa.ColumnElement[int]) -> sa.ColumnElement[bool]:
    """Return the condition that the server has the bot."""
    return campaign_id.not_in(_AWAY)


binding = _table("binding", sa.Column("channel_id", sa.BigInteger, primary_key=True, index=True))

entry = _table(
    "entry",
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(30), nullable=False),
    sa.Column("at", UtcDateTime, nullable=False),
    sa.Column("actor", sa.String(64), nullable=False),
    sa.Column("book", sa.String(64)),
    sa.Column("audience", sa.String(20), nullable=False),
    sa.Column("previous", sa.String(64), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("header", sa.Text, nullable=False),
    sa.Column("body", PackedText, nullable=False),
    sa.Column("salt", sa.String(32), nullable=False),
    sa.Column("draw", sa.Text),
    sa.Column("draw_salt", sa.String(32)),
    sa.Column("interaction", sa.BigInteger),
    sa.Column("step", sa.Integer),
    sa.Index("ix_entry_campaign_id_kind_number", "campaign_id", "kind", "number"),
    sa.Index("ix_entry_campaign_id_audience_number", "campaign_id", "audience", "number"),
)

entry_text = _table(
    "entry_text",
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("salt", sa.String(32)),
    sa.Column("text", sa.Text),
    sa.ForeignKeyConstraint(["campaign_id", "number"], ["entry.campaign_id", "entry.number"], ondelete="CASCADE"),
)

epoch = _table(
    "epoch",
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("root", sa.String(64), nullable=False),
    sa.Column("first", sa.Integer),
    sa.Column("last", sa.Integer),
    sa.Column("closes_at", UtcDateTime),
    sa.Column("closed_at", UtcDateTime),
)

actor = _table(
    "actor",
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("salt", sa.String(32), nullable=False),
    sa.Column("pseudonym", sa.String(64), nullable=False),
    sa.Column("mentions", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("bars", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.UniqueConstraint("campaign_id", "pseudonym"),
)

tombstone = _table(
    "tombstone",
    sa.Column("pseudonym", sa.String(64), primary_key=True),
    sa.Column("salt", sa.String(32), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),
)

book_version = _table(
    "book_version",
    sa.Column("fingerprint", sa.String(64), primary_key=True),
    sa.Column("book", sa.String(40), nullable=False),
    sa.Column("content", sa.Text, nullable=False),
)

state = _table(
    "state",
    sa.Column("subject", sa.String(200), primary_key=True),
    sa.Column("name", _BYTEWISE, primary_key=True),
    sa.Column("value", sa.JSON, nullable=False),
    sa.Index("ix_state_campaign_id_name_subject", "campaign_id", "name", "subject"),
)

subject = _table(
    "subject",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("name_key", sa.String(200), nullable=False),
    sa.Index("ix_subject_campaign_id_name_key", "campaign_id", "name_key"),
)

card = sa.Table(
    "card",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    _campaign_key(),
    sa.Column("owner_id", sa.BigInteger, nullable=False),
    sa.Column("request", sa.JSON, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("shown", sa.JSON, nullable=False),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("entry_number", sa.Integer),
    sa.Column("opened_at", UtcDateTime, nullable=False),
    sa.Index("ix_card_campaign_id_state_opened_at", "campaign_id", "state", "opened_at"),
)

post = sa.Table(
    "post",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    _campaign_key(),
    sa.Column("entry_number", sa.Integer),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("page", sa.Integer, nullable=False),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("payload", sa.Text),
    sa.Column("nonce", sa.String(25), nullable=False, unique=True),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("unconfirmed", sa.Boolean, nullable=False),
    sa.Column("queued_at", UtcDateTime, nullable=False),
    sa.Column("due_at", UtcDateTime, nullable=False),
    sa.Column("message_id", sa.BigInteger),
    sa.Column("fault", sa.Text),
    sa.Column("topic", sa.String(40)),
    sa.Column("thread_id", sa.BigInteger),
    sa.UniqueConstraint("campaign_id", "entry_number", "kind", "page"),
    sa.Index("ix_post_state_due_at", "state", "due_at"),
)

board = _table(
    "board",
    sa.Column("post_id", sa.ForeignKey("post.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("upto", sa.Integer, nullable=False),
    sa.Column("shown", sa.String(64), nullable=False),
)

job = _table(
    "job",
    sa.Column("deed", sa.String(10), primary_key=True),
    sa.Column("rule", sa.String(60), nullable=False),
    sa.Column("at", sa.String(5), nullable=False),
    sa.Column("catch_up", sa.String(10), nullable=False),
    sa.Column("remind", sa.Integer),
    sa.Column("next_at", UtcDateTime, nullable=False, index=True),
    sa.Column("remind_at", UtcDateTime, index=True),
    sa.Column("reached", sa.Integer, nullable=False),
    sa.Column("missed", sa.JSON, nullable=False),
    sa.Column("ahead", sa.Integer),
    sa.Column("ahead_at", UtcDateTime, index=True),
    sa.Column("start", sa.String(10)),
)

recent = _table(
    "recent", sa.Column("subject", sa.String(200), primary_key=True), sa.Column("entry", sa.Integer, nullable=False)
)

import_draft = _table(
    "import_draft",
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("id", sa.String(16), nullable=False),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("replace", sa.Boolean, nullable=False),
    sa.Column("sent_at", UtcDateTime, nullable=False),
)

document = _table(
    "document",
    sa.Column("fingerprint", sa.String(64), primary_key=True),
    sa.Column("file", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("sent_at", UtcDateTime, nullable=False),
    sa.Column("kept", sa.Boolean, nullable=False),
)

pending = sa.Table(
    "pending",
    metadata,
    sa.Column("id", sa.String(16), primary_key=True),
    _campaign_key(),
    sa.Column("asker_id", sa.BigInteger, nullable=False),
    sa.Column("request", sa.JSON, nullable=False),
    sa.Column("seats", sa.JSON, nullable=False),
    sa.Column("words", sa.JSON, nullable=False),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("entry_number", sa.Integer),
    sa.Column("opened_at", UtcDateTime, nullable=False),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    sa.Index("ix_pending_state_expires_at", "state", "expires_at"),
)

search = sa.Table(
    "search",
    metadata,
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=False),
    _campaign_key(),
    sa.Column("words", sa.Text, nullable=False),
)
"""Search words of entries; a database-specific index named `BY_WORDS` covers them."""

search_backlog = _table("search_backlog", sa.Column("upto", sa.Integer, nullable=False))

digest_reader = _table("digest_reader", sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False))
"""Who gets their own results by DM when a digest is posted."""

asked_search = _table(
    "asked_search",
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("asker_id", sa.BigInteger, nullable=False),
    sa.Column("wanted", sa.JSON, nullable=False),
    sa.Column("asked_at", UtcDateTime, nullable=False, index=True),
)

registered = sa.Table(
    "registered",
    metadata,
    sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("ids", sa.JSON),
)
"""Digest of the commands registered on a server, and their ids by name; server 0 is all."""
