"""Waiting rolls as rows: the request so far, whose answers are missing, until when."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, Self

import sqlalchemy as sa
from discord import ui
from msgspec import Struct, convert, field, structs, to_builtins
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.schema import at_home, pending
from bot.outbox.queue import PostKind
from bot.rolls.request import RollRequest

_KEY = (pending.c.campaign_id == sa.bindparam("campaign"), pending.c.id == sa.bindparam("pending"))
_OPEN = pending.c.state == "open"
_WAITING = (
    sa.select(pending)
    .where(pending.c.campaign_id == sa.bindparam("campaign"), _OPEN)
    .order_by(pending.c.opened_at, pending.c.id)
)
_OVERDUE = sa.select(pending.c.campaign_id, pending.c.id).where(
    _OPEN, pending.c.expires_at <= sa.bindparam("now"), at_home(pending.c.campaign_id)
)

NOBODY = 0
"""Who answered (user id) for somebody who can't."""

KIND: PostKind = "pending"
"""Posts of waiting rolls. Their topic is the roll's id."""

PendingState = Literal["open", "answered", "closed", "withdrawn", "expired"]


class Words(Struct, frozen=True):
    """What messages call a roll: it `asks` with a verb and its end. Without `otherwise` it expires unanswered."""

    noun: str
    name: str
    asks: tuple[str, str]
    make: str
    listed: str = "/update show"
    otherwise: str = ""
    named: bool = True


class Seat(Struct, frozen=True, omit_defaults=True):
    """Whose answer is missing: one of `users` (ids), the `subject`'s player, or a game master. No message shows `unseen` ones."""

    users: tuple[int, ...] = ()
    subject: int | None = None
    name: str = ""
    secret: bool = False
    unseen: bool = False
    role: str = ""
    by: int | None = None
    draft: dict[str, str] | None = None


class Pending(Struct, frozen=True):
    """A waiting roll. Answers are part of its request already."""

    id: str
    campaign_id: int
    asker_id: int
    request: RollRequest
    seats: tuple[Seat, ...]
    words: Words
    state: PendingState
    entry_number: int | None
    opened_at: datetime
    expires_at: datetime

    @property
    def public_places(self) -> tuple[int, ...]:
        """The places of the seats that messages show."""
        return tuple(place for place, seat in enumerate(self.seats) if not seat.unseen)

    @property
    def open_places(self) -> tuple[int, ...]:
        """The places of shown seats without an answer."""
        return tuple(place for place in self.places_left if place in self.public_places)

    @property
    def places_left(self) -> tuple[int, ...]:
        """The places of all seats without an answer."""
        return tuple(place for place, seat in enumerate(self.seats) if seat.by is None)

    def concerns(self, user_id: int) -> bool:
        """Return whether a person asked, is asked or answered."""
        return self.asker_id == user_id or any(user_id == seat.by or user_id in seat.users for seat in self.seats)

    def with_seat(self, place: int, **changes: object) -> Self:
        """Return the roll with one seat changed."""
        seat = structs.replace(self.seats[place], **changes)
        return structs.replace(self, seats=(*self.seats[:place], seat, *self.seats[place + 1 :]))


def add(tx: Connection, new: Pending) -> None:
    """Insert the row of a new waiting roll."""
    tx.execute(pending.insert(), _row(new))


def save(tx: Connection, changed: Pending) -> None:
    """Update the row of a waiting roll."""
    key = {"campaign": changed.campaign_id, "pending": changed.id}
    tx.execute(pending.update().where(*_KEY).values(_row(changed)), key)


def get(tx: Connection, campaign_id: int, pending_id: str) -> Pending | None:
    """Return a waiting or ended roll by its id; None if it doesn't exist."""
    row = tx.execute(sa.select(pending).where(*_KEY), {"campaign": campaign_id, "pending": pending_id}).first()
    return _read_row(row) if row else None


def list_all(tx: Connection, campaign_id: int) -> list[Pending]:
    """Return a campaign's waiting and ended rolls, oldest first."""
    query = sa.select(pending).where(pending.c.campaign_id == campaign_id).order_by(pending.c.opened_at, pending.c.id)
    return [_read_row(row) for row in tx.execute(query)]


def drop(tx: Connection, item: Pending) -> None:
    """Delete a waiting or ended roll's row."""
    tx.execute(pending.delete().where(*_KEY), {"campaign": item.campaign_id, "pending": item.id})


def list_open(tx: Connection, campaign_id: int) -> list[Pending]:
    """Return a campaign's waiting rolls, oldest first."""
    return [_read_row(row) for row in tx.execute(_WAITING, {"campaign": campaign_id})]


def list_overdue(tx: Connection, now: datetime) -> list[tuple[int, str]]:
    """Return (campaign id, roll id) of all waiting rolls whose time is over."""
    return [(row.campaign_id, row.id) for row in tx.execute(_OVERDUE, {"now": now})]


def list_unfinished(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield a sentence for each book that is off and has waiting rolls."""
    waiting_for = Counter((item.request.book, item.words.noun) for item in list_open(tx, campaign.id))
    for (book, noun), count in waiting_for.items():
        if book not in campaign.books:
            how_many = f"1 open {noun} waits" if count == 1 else f"{count} open {noun}s wait"
            yield f"{how_many} until {book} is switched on again. They can expire before that."


def _row(item: Pending) -> dict[str, object]:
    kept = {name: to_builtins(getattr(item, name)) for name in ("request", "seats", "words")}
    return {name: kept.get(name, getattr(item, name)) for name in Pending.__struct_fields__}


def _read_row(row: sa.Row[Any]) -> Pending:
    return convert(row._mapping, Pending, from_attributes=False)  # noqa: SLF001 - SQLAlchemy's public name for it


class SeatAnswer(Struct, frozen=True):
    """An answer to a waiting roll: the answerer's name, the pressed choice, and typed fields."""

    name: str
    choice: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


Fold = Callable[[RollRequest, int, SeatAnswer | None], RollRequest]
"""Put a seat's answer into the request; None is no one's. BadInput or RollError if it can't be used."""

Window = Callable[[Mapping[str, str], str], Iterable[ui.Label[ui.Modal]]]
"""Return a window's fields; takes what is in them and who answers."""

Others = Callable[[RollRequest, int], Iterable[tuple[str, RollRequest]]]
"""Yield other answers to try, each with words and its request."""

There = Callable[[Connection, Campaign, RollRequest, Collection[int]], Collection[int] | None]
"""Return who of those asked (numbers) can still take part; None if nothing is left to roll."""


class AnswerRules(Struct, frozen=True):
    """How rolls of a family are answered: by `choices` (labels by word) or a `window`. `ask` lets a card wait first."""

    fold: Fold
    choices: Mapping[str, str] = field(default_factory=dict)
    window: Window | None = None
    open: Collection[str] = ()
    made: Callable[[RollRequest], RollRequest] | None = None
    there: There | None = None
    others: Others | None = None
    ask: Callable[..., object] | None = None
