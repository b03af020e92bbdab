"""Answers about gold, building, ranks, rogues, victory and scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import asdict

from rules.books.total_war import course, economy, order_kinds
from rules.books.total_war.battles import count_missing_defenders
from rules.books.total_war.catalog import RESEARCH, SHIP, SUIT, Item, PanelKind, Piece, Refused, Terms
from rules.books.total_war.economy import PaidPanel, Purchase
from rules.books.total_war.scenario import PRINTED, Rank
from rules.books.total_war.scenario_file import BadScenario, example, read_scenario
from rules.books.total_war.war import NEUTRAL, are_enemies
from rules.books.total_war.war import find_supplied as supplied_by
from rules.documents import Document
from rules.phrases import list_known
from tests.answers.lines import Answer, BadLine, Choice, Count, Question
from tests.answers.war_map import by_panel, panel

Role = Literal["supreme_commander", "fleet_commander", "squadron_commander"]
Turns = Annotated[int, Meta(ge=1)]
Reply = Literal["end", "on"]


class Booking(Question, frozen=True):
    """What comes into a bank or goes out of it: one of these."""

    add: Count | None = None
    spend: Count | None = None
    victory: Turns | None = None


class Replies(Question, frozen=True):
    """What the leaders have answered."""

    E: Reply | None = None
    Z: Reply | None = None


NONE_YET = Replies()


def _income(terms: Terms, *, panels: tuple[PaidPanel, ...]) -> Answer:
    return {"income": economy.income(terms, panels)}


def _income_of_all(terms: Terms, *, owners: Mapping[str, str], capitols: Mapping[str, str]) -> Answer:
    held, seats = by_panel(owners), {name: panel(at) for name, at in capitols.items()}
    factions = dict.fromkeys([*(owner for owner in held.values() if owner != NEUTRAL), *seats])
    fed = {name: supplied_by([seats[name]] if name in seats else [], held, name) for name in factions}
    return {"income": {name: economy.income(terms, [PaidPanel()] * len(own)) for name, own in fed.items()}}


def _treasury(terms: Terms, *, bank: Count, book: tuple[Booking, ...]) -> Answer:
    for item in book:
        if sum(value is not None for value in asdict(item).values()) != 1:
            raise BadLine("each booking is one of: add, spend, victory")
        bank = economy.spend(bank, item.spend or 0) + (item.add or 0)
        bank += 0 if item.victory is None else economy.victory_gold(terms, item.victory)
    return {"bank": bank}


def _build(
    terms: Terms,
    *,
    item: str,
    role: Role,
    panel: str | None = None,
    facility: str | None = None,
    own: bool = True,
    supplied: bool = True,
    bank: Count = 0,
    price: Count = 0,
    quantity: Count = 1,
    model: str | None = None,
    researched: tuple[str, ...] = (),
    rogue_faction: bool = False,  # noqa: ARG001 - rogues build as others do
    advanced: str | None = None,
) -> Answer:
    listed = terms.book.entries_of(Item)
    items = [*listed, SUIT, SHIP, RESEARCH]
    if item not in items:
        raise BadLine(f"item {item!r} is unknown{list_known(items)}")
    _require_kind(terms, panel)
    if advanced not in {None, *listed}:
        raise BadLine(f"advanced {advanced!r} is unknown{list_known(listed)}")
    bought = (item, panel, facility, own, supplied, price, quantity, model, researched)
    try:
        order_kinds.require_supreme(role, "can build, buy and research")
        left, pool = economy.buy(terms, Purchase(*bought, advanced=advanced), bank)
    except Refused as refusal:
        refusal.details = {**refusal.details, "bank": bank, "pool": 0}
        raise
    return {"bank": left, "pool": pool}


def _promote(
    _: Terms, *, role: Role, faction: Literal["normal", "rogue"] = "normal", capitol: str | None = None
) -> Answer:
    taken = capitol in {*PRINTED.ends, *PRINTED.asks}
    order_kinds.require_promoter(role, rogue_faction=faction == "rogue", captured=taken)
    return {}


def _allot(_: Terms, *, role: Role, delegated: bool = False) -> Answer:
    if not (delegated and role == order_kinds.FLEET):
        order_kinds.require_supreme(role, "or the fleet commander they chose can assign new units")
    return {}


def _hold(
    _: Terms, *, ranks_: tuple[Rank, ...], rank: str, units: Count = 0, squadrons: Count = 0, fleets: Count = 0
) -> Answer:
    """Refuse more than a rank allows."""
    found = next((item for item in ranks_ if item.name == rank), None)
    if found is None:
        raise BadLine(f"rank {rank!r} is unknown{list_known(item.name for item in ranks_)}")
    order_kinds.require_rank(found, units, squadrons, fleets)
    return {}


def _require_no_rogue(what: str, _: Terms, *, lone_rogue: bool = False) -> Answer:
    order_kinds.require_no_rogue(what, lone_rogue=lone_rogue)
    return {}


def _go_rogue(_: Terms, *, rank: str | None = None) -> Answer:  # noqa: ARG001 - players of any rank may
    return {}


def _defenders(_: Terms, *, garrison: Count, full: Count) -> Answer:
    grunts = count_missing_defenders(garrison, full)
    return {"grunts": grunts, "defenders": garrison + grunts}


def _found(
    terms: Terms, *, panel: str, owner: str, name: str, colour: str, names: tuple[str, ...], colours: tuple[str, ...]
) -> Answer:
    _require_kind(terms, panel)
    try:
        course.require_colony(terms, panel)
        course.require_unused(name, colour, names, colours)
    except Refused as refusal:
        refusal.details = {"faction": False, "owner": course.owner_after_lone_win(terms, owner)}
        raise
    return {"faction": True, "owner": "R"}


def _lives(_: Terms, *, strongholds: Count, others: Count) -> Answer:  # noqa: ARG001 - other panels don't keep it alive
    """Return whether a rogue faction lives on, and whose its squadrons are."""
    exists = course.lives_on(strongholds)
    return {"exists": exists, "squadrons": "faction" if exists else "lone-rogue"}


def _hostile(_: Terms, *, a: str, b: str, rogues: tuple[str, ...]) -> Answer:  # noqa: ARG001 - rogues are enemies as others are
    return {"hostile": are_enemies(a, b)}


def _victory(
    _: Terms,
    *,
    captured: Literal["E", "Z"],
    by: str,
    map_: Literal["space"],  # noqa: ARG001 - the only map that is printed
    answers: Replies = NONE_YET,
    earth: bool = False,
) -> Answer:
    """Return what a captured capitol means."""
    given = {side: word for side, word in asdict(answers).items() if word is not None}
    return asdict(course.capitol_outcome(PRINTED, captured, by, given, earth=earth))


def scenario(terms: Terms, *, scenario: dict[str, Any] | None = None) -> Answer:
    """Return what a scenario offers, or its faults."""
    try:
        read = read_scenario(terms.book, example() if scenario is None else Document("scenario", "", scenario))
    except BadScenario as bad:
        faults = [fault.what for fault in bad.faults]
        raise Refused(bad.code, f"The scenario has {len(faults)} faults.", faults=faults) from None
    pieces, side = terms.book.entries_of(Piece), terms.number("board")
    return {
        "scenario": read.scenario.id,
        "warnings": [warning.what for warning in read.warnings],
        "kinds": [*terms.book.entries_of(PanelKind)],
        "movable": [name for name, piece in pieces.items() if piece.most],
        "fixed": [name for name, piece in pieces.items() if not piece.most],
        "board": {"columns": side, "rows": side},
    }


def _require_kind(terms: Terms, kind: str | None) -> None:
    kinds = terms.book.entries_of(PanelKind)
    if kind is not None and kind not in kinds:
        raise BadLine(f"panel {kind!r} is unknown{list_known(kinds)}")


OPS: Mapping[str, Any] = {
    "income": {"panels": _income, "owners": _income_of_all},
    "treasury": _treasury,
    "build": _build,
    "may": Choice(
        "deed",
        {
            "promote": _promote,
            "allot": _allot,
            "hold": _hold,
            "resupply": partial(_require_no_rogue, "free resupply"),
            "receive": partial(_require_no_rogue, "new units"),
            "be-promoted": partial(_require_no_rogue, "promotion"),
            "go-rogue": _go_rogue,
        },
    ),
    "rogue": {"garrison": _defenders, "panel": _found, "strongholds": _lives, "a": _hostile},
    "victory": _victory,
}
