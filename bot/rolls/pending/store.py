"""Rolls that wait: the request so far, whose answers it waits for, until when, and how those are given. Nothing is rolled before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, Self

import sqlalchemy as sa
from discord import ui
from msgspec import Struct, convert, field, to_builtins
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.schema import at_home, pending
from bot.outbox.store import PostKind
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
"""Who has answered (user id) for somebody who can take part no more."""

KIND: PostKind = "pending"
"""The posts of rolls that wait; the topic of each is the roll's id."""

PendingState = Literal["open", "answered", "closed", "withdrawn", "expired"]


class Words(Struct, frozen=True):
    """What a roll that waits is called, in all that is told of it.

    `noun` is what it is, such as `challenge`, and `name` who rolls; it `asks` somebody for something: the verb, and what
    follows behind whom. `make` and `listed` are the commands that make one and list those there are. `otherwise` says what
    happens with those who do not answer; where it says nothing, the roll lapses when somebody has not. `named`: whether the
    name is another than that of who asks.
    """

    noun: str
    name: str
    asks: tuple[str, str]
    make: str
    listed: str = "/update show"
    otherwise: str = ""
    named: bool = True


class Seat(Struct, frozen=True, omit_defaults=True):
    """Whose answer a roll waits for: that of one of `users` (ids), or of whoever plays a `subject` (its number).

    For a subject whom nobody plays, and where neither is named, a game master answers. `name` is for whom, `secret` says
    that not everybody who reads of it may know of that one, `unseen` that nothing tells that there is one, and nobody waits for
    it; `role` is who answers in the roll,
    `by` who has (user id), `draft` what was typed last and could not be used, by the names of the fields.
    """

    users: tuple[int, ...] = ()
    subject: int | None = None
    name: str = ""
    secret: bool = False
    unseen: bool = False
    role: str = ""
    by: int | None = None
    draft: dict[str, str] | None = None


class Pending(Struct, frozen=True):
    """One roll that waits; the answers that are in are part of its request already."""

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
    def told(self) -> tuple[int, ...]:
        """The places of the seats of which all read."""
        return tuple(place for place, seat in enumerate(self.seats) if not seat.unseen)

    @property
    def awaited(self) -> tuple[int, ...]:
        """The places of the seats that it waits for: those of which all read that have not answered."""
        return tuple(place for place in self.missing if place in self.told)

    @property
    def missing(self) -> tuple[int, ...]:
        """The places of the seats that have not answered."""
        return tuple(place for place, seat in enumerate(self.seats) if seat.by is None)

    def concerns(self, user_id: int) -> bool:
        """Tell whether a person stands in it: has asked, is asked, or has answered."""
        return self.asker_id == user_id or any(user_id == seat.by or user_id in seat.users for seat in self.seats)

    def seated(self, place: int, **changes: object) -> Self:
        """Return it with changes of one seat."""
        seat = replace(self.seats[place], **changes)
        return replace(self, seats=(*self.seats[:place], seat, *self.seats[place + 1 :]))


def add(tx: Connection, new: Pending) -> None:
    """Let a roll wait."""
    tx.execute(pending.insert(), _row(new))


def save(tx: Connection, changed: Pending) -> None:
    """Write down how a roll that waits stands."""
    key = {"campaign": changed.campaign_id, "pending": changed.id}
    tx.execute(pending.update().where(*_KEY).values(_row(changed)), key)


def get(tx: Connection, campaign_id: int, pending_id: str) -> Pending | None:
    """Return a roll of a campaign that waits, or has, by its id; None where there is none."""
    row = tx.execute(sa.select(pending).where(*_KEY), {"campaign": campaign_id, "pending": pending_id}).first()
    return _pending(row) if row else None


def all_pending(tx: Connection, campaign_id: int) -> list[Pending]:
    """Return all rolls of a campaign that wait or have."""
    query = sa.select(pending).where(pending.c.campaign_id == campaign_id).order_by(pending.c.opened_at, pending.c.id)
    return [_pending(row) for row in tx.execute(query)]


def drop(tx: Connection, item: Pending) -> None:
    """Delete one."""
    tx.execute(pending.delete().where(*_KEY), {"campaign": item.campaign_id, "pending": item.id})


def still_open(tx: Connection, campaign_id: int) -> list[Pending]:
    """Return the rolls of a campaign that wait, the oldest first."""
    return [_pending(row) for row in tx.execute(_WAITING, {"campaign": campaign_id})]


def overdue(tx: Connection, now: datetime) -> list[tuple[int, str]]:
    """Return the rolls of all campaigns that wait although their time is over, as campaign and id."""
    return [(row.campaign_id, row.id) for row in tx.execute(_OVERDUE, {"now": now})]


def _row(item: Pending) -> dict[str, object]:
    kept = {name: to_builtins(getattr(item, name)) for name in ("request", "seats", "words")}
    return {name: kept.get(name, getattr(item, name)) for name in Pending.__struct_fields__}


def _pending(row: sa.Row[Any]) -> Pending:
    return convert(row._mapping, Pending, from_attributes=False)  # noqa: SLF001 - SQLAlchemy's public name for it


class SeatAnswer(Struct, frozen=True):
    """An answer: the word of what was pressed, what was typed by the names of the fields, and the name of who answers on the server."""

    name: str
    choice: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


Fold = Callable[[RollRequest, int, SeatAnswer | None], RollRequest]
"""Return the request with the answer of a seat (its place) in it; None is nobody's answer, which only what does not lapse gets.

Raises BadInput or RollError for an answer that cannot be used.
"""

Window = Callable[[Mapping[str, str], str], Iterable[ui.Label[ui.Modal]]]
"""Return the fields of the window for an answer; takes what is to stand in them, and the name of who answers."""


Others = Callable[[RollRequest, int], Iterable[tuple[str, RollRequest]]]
"""Yield other answers of a seat (its place) that might do where the one in the request cannot be used: what is said of each, and the request with it."""

There = Callable[[Connection, Campaign, RollRequest, Collection[int]], Collection[int] | None]
"""Return who of those asked (numbers) can still take part in a roll that waits; None where nothing is left to roll."""


def _as_it_is(request: RollRequest) -> RollRequest:
    return request


class Answering(Struct, frozen=True):
    """How rolls of a family are answered: by what is pressed (`choices`: labels by their words), or else in a `window`.

    Choices that `open` the window are answered by what is typed there. `made` is what is rolled once nothing is missing any more.
    `there` tells who can still take part, where that may change meanwhile. Where an answer is refused, the first of the `others`
    that can be used is told.
    """

    fold: Fold
    choices: Mapping[str, str] = field(default_factory=dict)
    window: Window | None = None
    open: Collection[str] = ()
    made: Callable[[RollRequest], RollRequest] = _as_it_is
    there: There | None = None
    others: Others | None = None

    @property
    def pressed(self) -> frozenset[str]:
        """The words that an answer can have been pressed by: none where it was typed."""
        typed = {""} if self.open or not self.choices else set()
        return frozenset({word for word in self.choices if word not in self.open} | typed)
