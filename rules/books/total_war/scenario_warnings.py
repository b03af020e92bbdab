"""What is allowed in a scenario and may be a slip: it is played, and told under the preview."""

from __future__ import annotations

from collections.abc import Iterator

from rules.book import Book
from rules.books.total_war.catalog import PanelKind, Terrain
from rules.books.total_war.scenario_lint import Draft
from rules.errors import Fault
from rules.phrases import counted

LEAST_USER_ID = 10**16
"""No id of Discord's is smaller: they count milliseconds since 2015, 22 bits further to the left."""


def warnings_of(book: Book, draft: Draft) -> Iterator[Fault]:
    """Yield what is allowed and may be a slip."""
    least, most = book.number("least-bonus"), book.number("most-bonus")
    paying = {name for name, kind in book.listed(PanelKind).items() if kind.pays}
    for build, place in draft.builds.placed():
        if not build.income and paying.intersection(build.on):
            yield place.fault(f"item {build.id}: it pays nothing extra: write income = 15, or what it pays")
    for item, place in draft.kinds.placed():
        kind = book.listed(PanelKind).get(item.kind)
        if kind is not None and kind.pays and not least <= item.bonus <= most:
            yield place.at("bonus").fault(f"panel {item.at}: {item.bonus} gold; the rules have {least} to {most}")
    yield from _seats_of_nobody(book, draft)
    for rank, place in draft.ranks.placed():
        if rank.squadrons and not rank.squadron_size:
            yield place.at("squadron-size").fault(
                f"rank {rank.name}: its squadrons can't have units: write squadron-size = 4, or the size they may have"
            )
    for force, place in draft.forces.placed():
        if force.commander is not None and force.commander < LEAST_USER_ID:
            what = f"force {force.name}: {force.commander} isn't the id of a Discord user: those have 17 digits or more"
            yield place.at("commander").fault(what)
    yield from _too_many(book, draft)


def _seats_of_nobody(book: Book, draft: Draft) -> Iterator[Fault]:
    """Yield capitols that are no faction's: whoever takes one ends nothing by it."""
    kinds = book.listed(PanelKind)
    for item, place in draft.kinds.placed():
        if kinds[item.kind].seat and item.at not in draft.seats:
            yield place.at("kind").fault(
                f"panel {item.at}: this {item.kind} belongs to no faction: make it the capitol of one, or write another kind"
            )


def _too_many(book: Book, draft: Draft) -> Iterator[Fault]:
    """Yield forces and garrisons that have no room on the scenario's first board, on which battles are fought."""
    open_to = {terrain.sign for terrain in book.listed(Terrain).values() if terrain.enter != "none"}
    rows = next((board.rows for board in draft.boards), ())
    room = book.number("board") ** 2 - sum(sign not in open_to for row in rows for sign in row)
    mine = [(place.at("units"), f"force {item.name}", item.units) for item, place in draft.forces.placed()]
    theirs = [(place.at("garrison"), f"panel {item.at}", item.garrison) for item, place in draft.kinds.placed()]
    for place, who, units in (*mine, *theirs):
        if len(units) >= room:
            what = f"{who}: {counted(len(units), 'units')} are too many for a battle: a board has {room} tiles for both sides"
            yield place.fault(what)
