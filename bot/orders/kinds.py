"""What can be ordered in a campaign, and orders in words: kind, phase, who does what to whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial

import discord
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import ORDERS, Campaign
from bot.core.encoding import Json
from bot.core.entry_kinds import Body
from bot.core.permissions import Person
from bot.core.records import Entry, read_body
from bot.errors import BadInput, NotAllowed, unknown_name
from bot.orders.played_scene import PlayedScene, scene_of
from bot.orders.standing import StandingOrder
from bot.ui.text import listing, plain
from rules.orders import OrderKind, Phase
from rules.ruleset import RuleSet
from rules.subjects import name_key


class CalledKind(Struct, frozen=True):
    """A kind of order, and the first phase that takes it; of an order whose book is switched off no more than what both are called."""

    kind: OrderKind
    phase: Phase


class KnownKind(CalledKind, frozen=True):
    """A kind of order with its book, by which the campaign plays; `settled` where its phase is the one in which an order ended."""

    book: RuleSet
    settled: bool = False

    @property
    def resolved_in(self) -> list[str]:
        """The labels of the phases of which one resolves such an order: the first that takes it, and where that passes some on, the next."""
        taking = [phase for phase in self.book.listed(Phase).values() if self.kind.id in phase.takes]
        last = next((place for place, phase in enumerate(taking) if not phase.passes_on), len(taking) - 1)
        return [phase.label for phase in taking[: last + 1]]


def join_or(words: Sequence[str]) -> str:
    """Return one of several in words: `a, b or c`."""
    *before, last = words
    return f"{', '.join(before)} or {last}" if before else last


def list_kinds(books: Iterable[RuleSet]) -> Iterator[KnownKind]:
    """Yield what the books let people order, phase by phase."""
    for book in books:
        known = dict(book.listed(OrderKind))
        for phase in book.listed(Phase).values():
            yield from (KnownKind(known.pop(name), phase, book) for name in phase.takes if name in known)


def by_key(books: Iterable[RuleSet]) -> dict[tuple[str, str], KnownKind]:
    """Return what the books let people order, by book and kind (ids), phase by phase."""
    return {(item.book.id, item.kind.id): item for item in list_kinds(books)}


def permission(kind: OrderKind) -> str:
    """Return the word by which a campaign opens a kind to players."""
    return f"{ORDERS}.{kind.id}"


def is_open_to(person: Person, campaign: Campaign, kind: OrderKind) -> bool:
    """Return whether a person may give orders of a kind: game masters all, players those that are open to them."""
    opened = kind.open or not {ORDERS, permission(kind)}.isdisjoint(campaign.players_may)
    return person.leads(campaign) or (person.plays(campaign) and opened)


def find_kind(known: Iterable[KnownKind], typed: str) -> KnownKind:
    """Return the kind that is typed, by its id or its label.

    Raises:
        BadInput: there is none.

    """
    every = {name_key(word): item for item in known for word in (item.kind.label, item.kind.id)}
    if not every:
        raise BadInput("The books of this campaign have no orders.", "See /campaign show.")
    item = every.get(name_key(typed))
    if item is None:
        labels = [*dict.fromkeys(item.kind.label for item in every.values())]
        what = f"I don't know the order {typed[:60]!r}."
        raise unknown_name(what, typed, [*every, *labels], f"Pick one of: {', '.join(labels)}.")
    return item


def require_open(person: Person, campaign: Campaign, kind: OrderKind) -> None:
    """Refuse an order that is not open to players."""
    if not is_open_to(person, campaign, kind):
        what = f"Players can't give this order in {campaign.name}: {kind.label}."
        raise NotAllowed(what, f"A game master can allow it with /campaign edit players_may: {permission(kind)}.")


def with_kinds(
    tx: Connection, campaign: Campaign, books: Iterable[RuleSet], orders: Sequence[StandingOrder]
) -> list[tuple[StandingOrder, CalledKind]]:
    """Return orders with their kinds, phase by phase, each phase's as they come; last those of books that are switched off.

    Of these the entry that gave an order has kept what its kind and phase are called.
    """
    played = [*books]
    known = by_key(played)
    off = [item for item in orders if (item.book, item.kind) not in known]
    needed = {item.entry for item in off} | {item.lapsed for item in orders if item.lapsed is not None}
    made = entries.get_entries(tx, campaign.id, needed) if needed else {}
    ordered = {item.book for item in orders}
    scenes = {book.id: scene_of(tx, campaign.id, book) for book in played if book.id in ordered}
    on = [
        (item, _as_resolved(known[item.book, item.kind], item, made, scenes[item.book]))
        for item in orders
        if (item.book, item.kind) in known
    ]
    return [
        *sorted(on, key=partial(_place, [*known], [(book.id, name) for book in played for name in book.listed(Phase)])),
        *((item, _as_given(item, made[item.entry].content())) for item in off if item.entry in made),
    ]


def settle_phase(known: KnownKind, order: StandingOrder, scene: PlayedScene | None) -> KnownKind:
    """Return the kind of an order with the one phase in which it will be carried out, as far as the scene of its book tells."""
    if scene is None or not known.phase.passes_on:
        return known
    found = scene.orders.phase(scene.book, scene.values, order.order(known.phase.id))
    return known if found is None else replace(known, phase=known.book.listed(Phase)[found], settled=True)


def _as_resolved(
    known: KnownKind, order: StandingOrder, made: Mapping[int, Entry], scene: PlayedScene | None
) -> KnownKind:
    """Return the kind of an order with the phase in which something came of it or it lapsed, or will, where the first that takes it passes it on."""
    if not known.phase.passes_on:
        return known
    lapsed = None if order.lapsed is None else made[order.lapsed].content()["phase"]
    every = known.book.listed(Phase).items()
    came = (phase for name, phase in every if order.in_phase(name) or phase.label == lapsed)
    found = next(came, None)
    return settle_phase(known, order, scene) if found is None else replace(known, phase=found, settled=True)


def _place(
    every: Sequence[tuple[str, str]], phases: Sequence[tuple[str, str]], item: tuple[StandingOrder, KnownKind]
) -> tuple[int, bool, int]:
    """Return where an order stands among others: by its phase, what may yet be passed on first, then by its kind."""
    order, known = item
    open_ = known.phase.passes_on and not known.settled
    return phases.index((order.book, known.phase.id)), not open_, every.index((order.book, order.kind))


def _as_given(order: StandingOrder, body: Body) -> CalledKind:
    kind = OrderKind(id=order.kind, label=body["label"], line=0, by="")
    return CalledKind(kind, Phase(id="", label=body["phase"], line=0, takes=()))


EMPTY = "\n"
"""What begins a line that an empty one is to stand before."""

_CODE = re.compile(r" \(E_[A-Z_]+\)")

NAMED = 3
"""How many of those whom an order is about are named where many orders stand together."""


def order_line(known: CalledKind, order: StandingOrder, named: int | None = None) -> str:
    """Return an order in one line: who does what to whom; where a line has to be short, so many are `named` and the others counted."""
    about = [plain(who.name) for who in (order.to, *order.beside) if who is not None]
    left = len(about[named:]) if named else 0
    about = [*about[:named], f"{left} more"] if left else about
    return f"**{plain(order.who.name)}**: {plain(known.kind.label)}" + (f", {listing(about)}" if about else "")


def phase_line(known: CalledKind) -> str:
    """Return in which phase an order was or will be resolved; all that may take it as long as it may be passed on."""
    if isinstance(known, KnownKind) and known.phase.passes_on and not known.settled:
        return join_or(known.resolved_in)
    return known.phase.label


def note_line(note: str) -> str:
    """Return what whoever gave an order has to say about it."""
    return f"**Note:** {plain(note)}"


def cancel_reason(body: Mapping[str, Json]) -> str:
    """Return why nothing comes of an order; earlier versions wrote the code of a refusal behind its words."""
    return _CODE.sub("", body["why"])


def read_cancel_reason(made: Entry) -> str:
    """Return why nothing comes of an order, as the entry says it by which it lapsed."""
    reason = made.text("reason")
    return cancel_reason(read_body(made)) + (f": {reason}" if reason else "")


def locked_line(since: datetime) -> str:
    """Return since when players' orders are locked, with an empty line below."""
    return f"Players' orders have been locked since {discord.utils.format_dt(since, 't')}.\n"


def arrangement(order: StandingOrder) -> str:
    """Return in a few words how game masters have arranged an order; empty where they have not, and once it is done with."""
    if not order.unresolved:
        return ""
    notes = [*(["paused"] if order.held else []), *([f"priority {order.rank}"] if order.rank else [])]
    return f", *{', '.join(notes)}*" if notes else ""


def group_by_phase(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield lines, each with the label of its phase, under their phases, with an empty line before each but the first."""
    before: str | None = None
    for phase, line in lines:
        if phase != before:
            yield f"{'' if before is None else EMPTY}**{plain(phase)}**"
            before = phase
        yield line
