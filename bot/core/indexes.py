"""Partial indexes, for migrations only: declaring one loads PostgreSQL's dialect."""

import sqlalchemy as sa

from bot.core import transactions
from bot.core.schema import entry, epoch, metadata, post


def _partial(name: str, *columns: sa.Column[object], where: str, unique: bool = False) -> sa.Index:
    return sa.Index(name, *columns, unique=unique, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


BY_WORDS = "search_words"
"""Name prefix of the search index, which SQLAlchemy can't model."""

MODELS = metadata
PARTIAL = (
    _partial(
        "ix_entry_campaign_id_actor_number",
        entry.c.campaign_id,
        entry.c.actor,
        entry.c.number,
        where="audience = 'person'",
    ),
    _partial(
        transactions.INTERACTION_INDEX, entry.c.interaction, entry.c.step, where="interaction IS NOT NULL", unique=True
    ),
    _partial("ix_epoch_closes_at", epoch.c.closes_at, where="closed_at IS NULL"),
    _partial(
        "ix_post_campaign_id_kind_topic", post.c.campaign_id, post.c.kind, post.c.topic, where="topic IS NOT NULL"
    ),
)


def is_modelled(name: str | None, kind: str, _parents: object = None) -> bool:
    """Return whether models describe it; not the search index."""
    return kind not in {"table", "index"} or not (name or "").startswith(BY_WORDS)
