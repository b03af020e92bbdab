"""What a deed has brought, in short lines for people: who moved where, what changed hands, what was built and paid, and who fought.

Lines come from what is otherwise than before, so that a war as somebody sees it tells no more than they see.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from rules.books.total_war.affairs_told import AFFAIRS
from rules.books.total_war.battles_told import BATTLES
from rules.books.total_war.catalog import Piece
from rules.books.total_war.deeds import Follow, Given
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.sight import has_fog, last_seen, seen_by, unseen
from rules.books.total_war.tale import Tale, in_words, missing, models, places
from rules.books.total_war.war import Force, Rules, War, ruled, supply
from rules.geometry.hexes import Hex
from rules.phrases import counted, starting


def told(rules: Rules, before: War, deed: Given, after: War) -> list[str]:
    """Return in short lines all that a deed has brought; none where nothing is otherwise than before."""
    return _lines(Tale(ruled(rules, after), before, deed, after, after))


def foretold(rules: Rules, before: War, deed: Given, after: War) -> list[str]:
    """Return in short lines what a deed would bring that is sealed until others have been carried out."""
    return _lines(Tale(ruled(rules, after), before, deed, after, after, foreseen=True))


def told_to(rules: Rules, before: War, deed: Given, after: War, viewer: str | None) -> list[str]:
    """Return what a faction, a lone rogue or an onlooker (None) sees of all that a deed has brought (AMB-80)."""
    if not has_fog(rules):
        return told(rules, before, deed, after)
    end = last_seen(rules, before, after, viewer)
    hidden = frozenset(unseen(rules, before, viewer) | unseen(rules, after, viewer, end))
    first, then = seen_by(rules, before, viewer), seen_by(rules, after, viewer, end)
    return _lines(Tale(ruled(rules, after), first, deed, then, after, viewer, masked=True, hidden=hidden))


def told_to_factions(rules: Rules, before: War, deed: Given, after: War) -> dict[str, list[str]]:
    """Return what each faction sees of all that a deed has brought, by its id, also of one that ends with it; nothing of those that see nothing."""
    found = ((name, told_to(rules, before, deed, after, name)) for name in {**before.factions, **after.factions})
    return {name: lines for name, lines in found if lines}


def _lines(tale: Tale) -> list[str]:
    return [*chain.from_iterable(part(tale) for part in (_moves, _land, _sites, *BATTLES, _forces, *AFFAIRS, _supply))]


def _moves(tale: Tale) -> Iterator[str]:
    """Tell who has moved or been put where, and who rides along; a retreat belongs to its battle."""
    for force in tale.after.forces.values():
        old = tale.before.forces.get(force.name)
        if old is None or any(force.name in item.forces for item in tale.before.battles.values()):
            continue
        if force.tagged and not old.tagged:
            yield f"{force.name} rides along from {old.at} to {force.at}."
        elif force.moved and not old.moved:
            way = f"moves from {old.at} to {force.at}" if force.at != old.at else f"moves out and back to {force.at}"
            yield f"{force.name} {way}."
        elif force.at != old.at:
            yield f"{force.name} is placed on {force.at} (before: {old.at})."
        pledges = isinstance(tale.deed, Follow) and tale.deed.who == force.name  # again, where it has before
        if force.follows is not None and (force.follows != old.follows or pledges):
            yield f"{force.name} will ride along with {force.follows} if it moves."


def _land(tale: Tale) -> Iterator[str]:
    """Tell which panels are no more, and which have changed hands."""
    gone = tale.before.panels.keys() - tale.after.panels.keys()
    if gone:
        yield f"{places(gone)} {'is' if len(gone) == 1 else 'are'} destroyed and can't be entered."
    gained: dict[tuple[str, str], list[Hex]] = {}
    for at, panel in tale.after.panels.items():
        old = tale.before.panels[at].owner if at in tale.before.panels else panel.owner
        if old != panel.owner:
            gained.setdefault((panel.owner, old), []).append(at)
    for (now, old), panels in gained.items():
        becomes = tale.verb("becomes" if len(panels) == 1 else "become")
        lost = f"{places(panels)} {becomes} neutral {tale.instead_of(tale.side(old))}."
        taken = f"{tale.side(now)} {tale.verb('takes')} {places(panels)} {tale.instead_of(tale.side(old))}."
        yield lost if now == NEUTRAL else taken


def _sites(tale: Tale) -> Iterator[str]:
    """Tell what has been built and destroyed on panels, and what garrisons have gained and lost outside of battles."""
    fought = tale.before.battles.keys() - tale.after.battles.keys()
    for at, panel in tale.after.panels.items():
        old = tale.before.panels.get(at, panel)
        if at in tale.hidden or panel is old:
            continue
        if panel.facility != old.facility:
            if old.facility is not None and panel.owner != old.owner:
                yield f"{tale.item(old.facility)} on {at} is destroyed."
            elif panel.facility is not None:
                yield f"{tale.item(panel.facility)} {tale.verb('is built')} on {at}."
            else:
                yield f"{tale.item(str(old.facility))} on {at} is gone."
        lost, new = missing(old.garrison, panel.garrison), missing(panel.garrison, old.garrison)
        if lost and at not in fought:
            yield f"The garrison of {at} loses {models(lost)}."
        if new:
            yield f"The garrison of {at} gets {models(new)}."


def _forces(tale: Tale) -> Iterator[str]:
    """Tell which forces are new, gone or otherwise in units, commander and side; of battles that are over, what they have left is told there."""
    fought = {name for at, item in tale.before.battles.items() if at not in tale.after.battles for name in item.forces}
    for name, force in tale.after.forces.items():
        old = tale.before.forces.get(name)
        if old is None:
            yield _arrived(tale, force)
        elif old is not force:
            yield from _changed(tale, old, force, fought=name in fought)
    yield from _commands(tale)
    for name, old in tale.before.forces.items():
        if name not in tale.after.forces and name not in fought:
            gone = "is out of sight" if tale.is_others(old) else "is lost"
            yield f"{name} of {tale.side(old.faction)} {gone}."


def _commands(tale: Tale) -> Iterator[str]:
    """Tell who has got the command of which forces."""
    given: dict[str, list[str]] = {}
    for name, force in tale.after.forces.items():
        if name in tale.before.forces and force.commander != tale.before.forces[name].commander:
            given.setdefault(tale.truth.commanded_by(force), []).append(name)
    yield from (f"{starting(who)} {tale.verb('now commands')} {in_words(names)}." for who, names in given.items())


def _arrived(tale: Tale, force: Force) -> str:
    """Tell of a force that was not there, or not in sight."""
    what = "In sight" if tale.is_others(force) else "New force"
    label = tale.rules.terms.of(Piece, force.kind).label.lower()
    units = f", {models(force.units)}" if force.units else ""
    return f"{what}: {force.name} of {tale.side(force.faction)} on {force.at} ({label}{units})."


def _changed(tale: Tale, old: Force, force: Force, *, fought: bool) -> Iterator[str]:
    lost, new = missing(old.units, force.units), missing(force.units, old.units)
    if lost and not fought:
        yield f"{force.name} loses {models(lost)}."
    if new and not fought:
        yield f"{force.name} gets {models(new)} (now {counted(len(force.units), 'units')})."
    if force.faction != old.faction:
        yield f"{force.name} {tale.verb('now belongs')} to {tale.side(force.faction)}."


def _supply(tale: Tale) -> Iterator[str]:
    """Tell which land is newly cut off from its faction's capitol, or joined to it again (line 80)."""
    if tale.before.owners == tale.after.owners and _fed_alike(tale):
        return
    for faction in tale.after.factions:
        cut, before = (_cut_off(tale, war, faction) for war in (tale.after, tale.before))
        if cut - before:
            yield f"Out of supply ({tale.side(faction)}): {places(cut - before)}."
        own = {at for at in before - cut if tale.after.panels[at].owner == faction} if before - cut else set()
        if own:
            yield f"Back in supply ({tale.side(faction)}): {places(own)}."


def _fed_alike(tale: Tale) -> bool:
    places_ = (
        {name: (side.seat, side.source) for name, side in war.factions.items()} for war in (tale.before, tale.after)
    )
    first, then = places_
    return first == then


def _cut_off(tale: Tale, war: War, faction: str) -> set[Hex]:
    """Return the panels of a faction that are not supplied, of those that there still are."""
    if faction not in war.factions:
        return set()
    own = {at for at, panel in war.panels.items() if panel.owner == faction}
    return (own - supply(tale.rules, war, faction)) & tale.after.panels.keys()
