"""Lines about gold, building, ranks, rogues and victory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from bot.cli.queries import BadLine
from bot.cli.questions import Asked, Forms, Op, Question, Several
from bot.cli.total_war.places import Count, by_panel, panel
from rules.books.total_war import economy, land, ranks, rogues
from rules.books.total_war.catalog import Item, PanelKind
from rules.books.total_war.conquest import supplied
from rules.books.total_war.economy import RESEARCH, SHIP, SUIT, PaidPanel, Purchase
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.ranks import Rank
from rules.books.total_war.refusal import Refused
from rules.books.total_war.scenario import PRINTED
from rules.books.total_war.terms import Terms
from rules.phrases import known_list

Role = Literal["supreme_commander", "fleet_commander", "squadron_commander"]
Turns = Annotated[int, Meta(ge=1)]
FEDERATION, ZEON = "E", "Z"
Answer = Literal["end", "on"]


class Panels(Question, frozen=True):
    """Panels as they pay."""

    panels: tuple[PaidPanel, ...]


class Owned(Question, frozen=True):
    """Whose panels are, all of them plain, and where capitols stand."""

    owners: Mapping[str, str]
    capitols: Mapping[str, str]


class Booking(Question, frozen=True):
    """What comes into a bank or goes out of it: one of these."""

    add: Count | None = None
    spend: Count | None = None
    victory: Turns | None = None


class Treasury(Question, frozen=True):
    """A bank, and what happens to it in turn."""

    bank: Count
    book: tuple[Booking, ...]


class Build(Question, frozen=True):
    """What is built, bought or researched, by whom and where."""

    item: str
    role: Role
    panel: str | None = None
    facility: str | None = None
    own: bool = True
    supplied: bool = True
    bank: Count = 0
    price: Count = 0
    quantity: Count = 1
    model: str | None = None
    researched: tuple[str, ...] = ()
    rogue_faction: bool = False
    advanced: str | None = None


class Promote(Question, frozen=True):
    """Who promotes."""

    role: Role
    faction: Literal["normal", "rogue"] = "normal"
    capitol: str | None = None


class Allot(Question, frozen=True):
    """Who allots new units."""

    role: Role
    delegated: bool = False


class Hold(Question, frozen=True):
    """What somebody of a rank is to hold."""

    ranks: tuple[Rank, ...]
    rank: str
    units: Count = 0
    squadrons: Count = 0
    fleets: Count = 0


class Lone(Question, frozen=True):
    """Whether somebody is a lone rogue."""

    lone_rogue: bool = False


class Leave(Question, frozen=True):
    """Somebody who goes rogue."""

    rank: str | None = None


class Garrison(Question, frozen=True):
    """A garrison and how large a full squadron is."""

    garrison: Count
    full: Count


class Found(Question, frozen=True):
    """A panel on which a lone rogue has won, and the name and colour of a new faction."""

    panel: str
    owner: str
    name: str
    colour: str
    names: tuple[str, ...]
    colours: tuple[str, ...]


class Held(Question, frozen=True):
    """How many colonies and fortresses, and other panels, a rogue faction holds."""

    strongholds: Count
    others: Count


class Sides(Question, frozen=True):
    """Two factions, and which are rogue."""

    a: str
    b: str
    rogues: tuple[str, ...]


class Answers(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the leaders have answered."""

    E: Answer | None = None
    Z: Answer | None = None


class Taken(Question, frozen=True):
    """A capitol that was captured."""

    captured: Literal["E", "Z"]
    by: str
    map: Literal["space"]
    answers: Answers = Answers()
    earth: bool = False


def income(asked: Panels, terms: Terms) -> dict[str, Any]:
    """Return what panels pay."""
    return {"income": economy.income(terms, asked.panels)}


def income_of_all(asked: Owned, terms: Terms) -> dict[str, Any]:
    """Return what each faction is paid."""
    owners, capitols = by_panel(asked.owners), {name: panel(at) for name, at in asked.capitols.items()}
    factions = dict.fromkeys([*(owner for owner in owners.values() if owner != NEUTRAL), *capitols])
    fed = {name: supplied([capitols[name]] if name in capitols else [], owners, name) for name in factions}
    return {"income": {name: economy.income(terms, [PaidPanel()] * len(own)) for name, own in fed.items()}}


def treasury(asked: Treasury, terms: Terms) -> dict[str, Any]:
    """Return what is in the bank after all."""
    bank = asked.bank
    for item in asked.book:
        given = [item.add, item.spend, item.victory]
        if sum(value is not None for value in given) != 1:
            raise BadLine("each booking is one of: add, spend, victory")
        bank = economy.spent(bank, item.spend or 0) + (item.add or 0)
        bank += 0 if item.victory is None else economy.victory_gold(terms, item.victory)
    return {"bank": bank}


def build(asked: Build, terms: Terms) -> dict[str, Any]:
    """Return the bank and the units got."""
    listed = terms.book.listed(Item)
    items = [*listed, SUIT, SHIP, RESEARCH]
    if asked.item not in items:
        raise BadLine(f"item {asked.item!r} is unknown{known_list(items)}")
    _known(terms, asked.panel)
    if asked.advanced not in {None, *listed}:
        raise BadLine(f"advanced {asked.advanced!r} is unknown{known_list(listed)}")
    purchase = Purchase(
        asked.item,
        asked.role,
        asked.panel,
        asked.facility,
        asked.own,
        asked.supplied,
        asked.price,
        asked.quantity,
        asked.model,
        asked.researched,
        advanced=asked.advanced,
    )
    try:
        bank, pool = economy.bought(terms, purchase, asked.bank)
    except Refused as refusal:
        refusal.told = {**refusal.told, "bank": asked.bank, "pool": 0}
        raise
    return {"bank": bank, "pool": pool}


def promote(asked: Promote, _terms: Terms) -> None:
    """Refuse who does not promote."""
    ranks.require_promoter(
        asked.role, rogue_faction=asked.faction == "rogue", captured=asked.capitol in {*PRINTED.ends, *PRINTED.asks}
    )


def allot(asked: Allot, _terms: Terms) -> None:
    """Refuse who does not allot."""
    ranks.require_allotter(asked.role, delegated=asked.delegated)


def hold(asked: Hold, _terms: Terms) -> None:
    """Refuse more than a rank holds."""
    rank = next((item for item in asked.ranks if item.name == asked.rank), None)
    if rank is None:
        raise BadLine(f"rank {asked.rank!r} is unknown{known_list(item.name for item in asked.ranks)}")
    ranks.require_rank(rank, asked.units, asked.squadrons, asked.fleets)


def resupply(asked: Lone, _terms: Terms) -> None:
    """Refuse a lone rogue's resupply."""
    ranks.require_no_rogue("free resupply", lone_rogue=asked.lone_rogue)


def receive(asked: Lone, _terms: Terms) -> None:
    """Refuse new units of a lone rogue."""
    ranks.require_no_rogue("new units", lone_rogue=asked.lone_rogue)


def be_promoted(asked: Lone, _terms: Terms) -> None:
    """Refuse a lone rogue's promotion."""
    ranks.require_no_rogue("promotion", lone_rogue=asked.lone_rogue)


def go_rogue(_asked: Leave, _terms: Terms) -> None:
    """Allow it: anybody goes rogue at any time (lines 87 to 89, 103)."""


def defenders(asked: Garrison, _terms: Terms) -> dict[str, Any]:
    """Return who defends a colony or fortress against a founder."""
    grunts = rogues.grunts(asked.garrison, asked.full)
    return {"grunts": grunts, "defenders": asked.garrison + grunts}


def found(asked: Found, terms: Terms) -> dict[str, Any]:
    """Return whose the panel is, and that there is a faction."""
    _known(terms, asked.panel)
    try:
        rogues.require_colony(terms, asked.panel)
        rogues.require_unused(asked.name, asked.colour, asked.names, asked.colours)
    except Refused as refusal:
        refusal.told = {"faction": False, "owner": rogues.left_to(terms, asked.owner)}
        raise
    return {"faction": True, "owner": ranks.ROGUE_SEAT}


def lives(asked: Held, _terms: Terms) -> dict[str, Any]:
    """Return whether a rogue faction lives on, and whose its squadrons are."""
    exists = rogues.exists(asked.strongholds)
    return {"exists": exists, "squadrons": "faction" if exists else "lone-rogue"}


def hostile(asked: Sides, _terms: Terms) -> dict[str, Any]:
    """Return whether two are enemies."""
    return {"hostile": land.hostile(asked.a, asked.b)}


def victory(asked: Taken, _terms: Terms) -> dict[str, Any]:
    """Return what a captured capitol means."""
    given = {FEDERATION: asked.answers.E, ZEON: asked.answers.Z}
    answers = {side: word for side, word in given.items() if word is not None}
    outcome = rogues.capitol_taken(PRINTED, asked.captured, asked.by, answers, earth=asked.earth)
    return {name: getattr(outcome, name) for name in outcome.__struct_fields__}


def _known(terms: Terms, kind: str | None) -> None:
    """Refuse a kind of panel that there is not."""
    kinds = terms.book.listed(PanelKind)
    if kind is not None and kind not in kinds:
        raise BadLine(f"panel {kind!r} is unknown{known_list(kinds)}")


class _Allowed(Struct, frozen=True):
    """What answers nothing when it refuses nothing."""

    refuses: Callable[[Any, Terms], None]

    def __call__(self, asked: Question, terms: Terms) -> dict[str, Any]:
        self.refuses(asked, terms)
        return {}


_DEEDS: Mapping[str, tuple[type[Question], Callable[[Any, Terms], None]]] = {
    "promote": (Promote, promote),
    "allot": (Allot, allot),
    "hold": (Hold, hold),
    "resupply": (Lone, resupply),
    "receive": (Lone, receive),
    "be-promoted": (Lone, be_promoted),
    "go-rogue": (Leave, go_rogue),
}

OPS: Mapping[str, Asked] = {
    "income": Forms({"panels": Op(Panels, income), "owners": Op(Owned, income_of_all)}),
    "treasury": Op(Treasury, treasury),
    "build": Op(Build, build),
    "may": Several("deed", {name: Op(kind, _Allowed(refuses)) for name, (kind, refuses) in _DEEDS.items()}),
    "rogue": Forms(
        {
            "garrison": Op(Garrison, defenders),
            "panel": Op(Found, found),
            "strongholds": Op(Held, lives),
            "a": Op(Sides, hostile),
        }
    ),
    "victory": Op(Taken, victory),
}
