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
from bot.orders.played_scene import PlayedScene, scene_of
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


def as_it_stands(known: KnownKind, order: StandingOrder, scene: PlayedScene | None) -> KnownKind:
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
    return as_it_stands(known, order, scene) if found is None else replace(known, phase=found, settled=True)


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
