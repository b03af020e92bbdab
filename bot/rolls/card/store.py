"""Roll cards: what is being put together before a roll, and whether it is still open."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.schema import card

_KEY = (card.c.campaign_id == sa.bindparam("campaign"), card.c.id == sa.bindparam("card"))
_ONE = sa.select(card).where(*_KEY)
_ADD = card.insert()
_CHANGED = ("request", "revision", "shown", "state", "entry_number")
_SAVE = card.update().where(*_KEY).values({name: sa.bindparam(name) for name in _CHANGED})

CLEARED = 100
"""How many spent cards are deleted at once: a database of an older version may have kept very many."""

_SPENT = (
    sa.select(card.c.id)
    .where(
        card.c.campaign_id == sa.bindparam("campaign"),
        card.c.state.in_(("rolled", "cancelled")),
        card.c.opened_at < sa.bindparam("before"),
    )
    .limit(CLEARED)
)
_CLEAR = card.delete().where(card.c.id.in_(_SPENT))

CardState = Literal["open", "rolled", "cancelled"]


class Card(Struct, frozen=True):
    """One roll card. `request` is the request so far and as opened, as JSON, and how it was probably meant; `shown` has the snapshots of recent revisions."""

    id: str
    campaign_id: int
    owner_id: int
    request: Any
    revision: int
    shown: dict[str, Any]
    state: CardState
    entry_number: int | None
    opened_at: datetime


def add(tx: Connection, new: Card) -> None:
    """Open a card."""
    tx.execute(_ADD, _values(new))


def clear(tx: Connection, campaign_id: int, before: datetime) -> None:
    """Delete cards that were opened before a moment and are rolled or cancelled; what was rolled stands in the ledger."""
    tx.execute(_CLEAR, {"campaign": campaign_id, "before": before})


def save(tx: Connection, changed: Card) -> None:
    """Write a card back."""
    values = {name: getattr(changed, name) for name in _CHANGED}
    tx.execute(_SAVE, {"campaign": changed.campaign_id, "card": changed.id, **values})


def get(tx: Connection, campaign_id: int, card_id: str) -> Card | None:
    """Return a card of a campaign by its id."""
    row = tx.execute(_ONE, {"campaign": campaign_id, "card": card_id}).first()
    return _card(row) if row else None


def still_open(tx: Connection, campaign_id: int, owner_id: int | None, limit: int) -> list[Card]:
    """Open cards of a campaign, newest first; of one owner unless that is None."""
    query = sa.select(card).where(card.c.campaign_id == campaign_id, card.c.state == "open")
    if owner_id is not None:
        query = query.where(card.c.owner_id == owner_id)
    rows = tx.execute(query.order_by(card.c.opened_at.desc(), card.c.id).limit(limit))
    return [_card(row) for row in rows]


def _values(item: Card) -> dict[str, Any]:
    return {name: getattr(item, name) for name in Card.__struct_fields__}


def _card(row: sa.Row[Any]) -> Card:
    return Card(**row._mapping)  # noqa: SLF001 - SQLAlchemy's public name for it
