"""Orders with what their kinds and phases are called, those of books that are switched off too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body
from bot.core.records import Entry
from bot.orders import kinds
from bot.orders.kinds import CalledKind, KnownKind
from bot.orders.standing import StandingOrder
from rules.orders import OrderKind, Phase
from rules.ruleset import RuleSet


def called(
    tx: Connection, campaign: Campaign, books: Iterable[RuleSet], orders: Sequence[StandingOrder]
) -> list[tuple[StandingOrder, CalledKind]]:
    """Return orders with their kinds, phase by phase, each phase's as they come; last those of books that are switched off.

    Of these the entry that gave an order has kept what its kind and phase are called.
    """
    played = [*books]
    known = kinds.by_key(played)
    off = [item for item in orders if (item.book, item.kind) not in known]
    needed = {item.entry for item in off} | {item.lapsed for item in orders if item.lapsed is not None}
    made = entries.some(tx, campaign.id, needed) if needed else {}
    on = [
        (item, _as_resolved(known[item.book, item.kind], item, made))
        for item in orders
        if (item.book, item.kind) in known
    ]
    return [
        *sorted(on, key=partial(_place, [*known], [(book.id, name) for book in played for name in book.listed(Phase)])),
        *((item, _as_given(item, made[item.entry].content())) for item in off if item.entry in made),
    ]


def _as_resolved(known: KnownKind, order: StandingOrder, made: Mapping[int, Entry]) -> KnownKind:
    """Return the kind of an order with the phase in which something came of it or it lapsed, where the first that takes it has passed it on."""
    if not known.phase.passes_on:
        return known
    lapsed = None if order.lapsed is None else made[order.lapsed].content()["phase"]
    every = known.book.listed(Phase).items()
    came = (phase for name, phase in every if order.in_phase(name) or phase.label == lapsed)
    found = next(came, None)
    return known if found is None else replace(known, phase=found, settled=True)


def _place(
    every: Sequence[tuple[str, str]], phases: Sequence[tuple[str, str]], item: tuple[StandingOrder, KnownKind]
) -> tuple[int, bool, int]:
    """Return where an order stands among others: by its phase, what may yet be passed on first, then by its kind."""
    order, known = item
    open_ = known.phase.passes_on and not known.settled
    return phases.index((order.book, known.phase.id)), not open_, every.index((order.book, order.kind))


def _as_given(order: StandingOrder, body: Body) -> CalledKind:
    kind = OrderKind(id=order.kind, label=body["label"], line=0, by="", told=False)
    return CalledKind(kind, Phase(id="", label=body["phase"], line=0, takes=()))
