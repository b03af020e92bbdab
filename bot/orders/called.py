"""Orders with what their kinds and phases are called, those of books that are switched off too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body
from bot.orders import kinds
from bot.orders.kinds import CalledKind
from bot.orders.standing import StandingOrder
from rules.orders import OrderKind, Phase
from rules.ruleset import RuleSet


def called(
    tx: Connection, campaign: Campaign, books: Iterable[RuleSet], orders: Sequence[StandingOrder]
) -> list[tuple[StandingOrder, CalledKind]]:
    """Return orders with their kinds, phase by phase, each phase's as they come; last those of books that are switched off.

    Of these the entry that gave an order has kept what its kind and phase are called.
    """
    known = kinds.by_key(books)
    places = {key: place for place, key in enumerate(known)}
    off = [item for item in orders if (item.book, item.kind) not in known]
    given = entries.some(tx, campaign.id, {item.entry for item in off}) if off else {}
    on = sorted((item for item in orders if (item.book, item.kind) in known), key=partial(_place, places))
    return [
        *((item, known[item.book, item.kind]) for item in on),
        *((item, _as_given(item, given[item.entry].content())) for item in off if item.entry in given),
    ]


def _place(places: Mapping[tuple[str, str], int], order: StandingOrder) -> int:
    return places[order.book, order.kind]


def _as_given(order: StandingOrder, body: Body) -> CalledKind:
    kind = OrderKind(id=order.kind, label=body["label"], line=0, by="", told=False)
    return CalledKind(kind, Phase(id="", label=body["phase"], line=0, takes=()))
