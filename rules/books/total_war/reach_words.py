"""How far a force can go in this turn, in short lines for people: how many panels are in reach, and what of note is on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from rules.books.total_war.catalog import Item, Piece
from rules.books.total_war.movement import most_steps, takes_site
from rules.books.total_war.orders.movement import reachable
from rules.books.total_war.war import Force, Rules, War, land_of
from rules.books.total_war.words import in_words
from rules.geometry import Hex
from rules.phrases import counted, inside, possessive

MOST = 6
"""How many panels of a sort are named."""


def describe_reach(rules: Rules, war: War, force: Force, hidden: Collection[Hex] = ()) -> list[str]:
    """Return how far a force can go in a war as somebody sees it, to whom panels are `hidden`, and where it would fight or take something of note; nothing of one that cannot move."""
    ends = sorted(reachable(rules, war, force))
    return [*_describe(rules, war, force, ends, hidden)] if ends else []


def _describe(rules: Rules, war: War, force: Force, ends: Sequence[Hex], hidden: Collection[Hex]) -> Iterator[str]:
    piece, most = rules.terms.of(Piece, force.kind), most_steps(rules.terms, force)
    way = " in one direction" if piece.straight and most > 1 else ""
    yield f"{force.name} on {force.at} can move {counted(most, 'panels')}{way} ({counted(len(ends), 'panels')} in reach)."
    land = land_of(rules, war, force.faction)
    fights = {end: _list_foes(war, force, end) for end in ends if end in land.enemies}
    if fights:
        yield f"Moving there starts a battle: {_list_panels(fights)}."
    taken = {
        end: note
        for end in ends
        if end not in fights
        and land.owner(end) != force.faction
        and (piece.takes_passing or end in hidden or takes_site(piece, end, land))  # a squadron takes no more (line 84)
        and (note := _describe_panel(rules, war, end))
    }
    for what, known in (("Undefended", True), ("Out of sight", False)):
        notes = {end: note for end, note in taken.items() if (end not in hidden) is known}
        if notes:
            yield f"{what} and not {_name_own(war, force)}: {_list_panels(notes)}."


def _list_foes(war: War, force: Force, at: Hex) -> str:
    """Return who stands on a panel against a force."""
    names = [
        item.name for item in war.forces.values() if item.at == at and item.faction != force.faction and item.units
    ]
    guards = len(war.panels[at].garrison)
    return in_words([*names, *([f"a garrison of {guards}"] if guards else [])] or ["its defenders"])


def _describe_panel(rules: Rules, war: War, at: Hex) -> str:
    """Return what is of note on a panel; an empty text of a plain one."""
    panel, kind = war.panels[at], rules.kind(war.panels[at])
    built = rules.terms.book.listed(Item).get(panel.facility or "")
    facility = [] if panel.facility is None else [inside(built.label) if built else panel.facility]
    bonus = [f"+{panel.bonus} gold"] if panel.bonus else []
    weapons = [item.name for item in war.forces.values() if item.at == at and not item.units]
    label = [inside(kind.label)] if kind.drawn else []
    return ", ".join([*label, *bonus, *facility, *weapons])


def _name_own(war: War, force: Force) -> str:
    return possessive(war.factions[force.faction].name) if force.faction in war.factions else "yours"


def _list_panels(notes: Mapping[Hex, str]) -> str:
    """Return panels with what is on them, as many as are named at most."""
    shown = [f"{at} ({note})" for at, note in notes.items()][:MOST]
    more = len(notes) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
