"""Units as a game master sets them, and what a ruling's text changes: what it removes, and sources of supply (AMB-22, 79)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest

from msgspec.structs import replace

from rules.books.total_war.capture import dissolve_rogues, panel_at, require_unreserved
from rules.books.total_war.catalog import Piece
from rules.books.total_war.order_kinds import MARK, NOBODY
from rules.books.total_war.order_text import (
    PANEL,
    UNIT,
    WarSetting,
    is_nobody,
    parse_panel,
    read_counted_name,
    read_faction_first,
    read_name,
    read_number,
    refuse_unread,
    require_number,
)
from rules.books.total_war.ranks import require_faction
from rules.books.total_war.scenario import UnitModel
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import (
    Rules,
    Unit,
    War,
    WarAction,
    require_free,
    require_no_battle,
)
from rules.geometry import Hex
from rules.phrases import known_list, possessive, sentence, suggestion

MOST_UNITS = 50
"""Most units that come at once."""
_STRUCK = re.compile(rf"{PANEL}|{UNIT}")


class AddUnits(WarAction, frozen=True):
    """Units of a model come into a force, or into the garrison of a panel; no rank bounds what a game master gives."""

    to: str | Hex
    model: str
    number: int = 1

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the units."""
        if not 1 <= self.number <= MOST_UNITS:
            words = f"{self.number} {self.model} won't work: write a number from 1 to {MOST_UNITS}."
            raise Refused("E_NO_TARGET", words)
        require_models(rules, [self.model])
        if isinstance(self.to, Hex):
            panel = panel_at(war, self.to)
            require_no_battle(war, self.to)
            war, more = war.new_units([self.model] * self.number)
            return war.with_panel(self.to, garrison=(*panel.garrison, *more))
        force = war.force(self.to)
        require_free(war, force)
        if not rules.terms.of(Piece, force.kind).attacks:
            raise Refused("E_SQUADRON_FULL", f"{force.name} is a {force.kind} and has no units.")
        war, more = war.new_units([self.model] * self.number)
        return war.with_forces(replace(force, units=(*force.units, *more)))


class RemoveUnit(WarAction, frozen=True):
    """A unit is gone, and its force when that was the last."""

    unit: str

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war without the unit."""
        return dissolve_rogues(rules, _without(war, self.unit))


class SetUnit(WarAction, frozen=True):
    """A unit has so many kills, or another pilot, or none (""); None leaves it as it is."""

    unit: str
    kills: int | None = None
    pilot: str | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the unit as it is set."""
        unit = _free_unit(war, self.unit)
        if self.kills is not None:
            require_number(self.kills, f"{self.unit} can't have {self.kills} kills", "E_BAD_STAT")
            unit = replace(unit, kills=self.kills)
        if self.pilot is not None:
            unit = replace(unit, pilot=_pilot(rules, war, unit, self.pilot) if self.pilot else None)
        return _with_unit(war, self.unit, [unit])


class Strike(WarAction, frozen=True):
    """What a game master rules to be destroyed: units, and panels with all that is on them, which nobody enters any more (AMB-79)."""

    units: tuple[str, ...] = ()
    panels: tuple[Hex, ...] = ()

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war without them."""
        if not self.units and not self.panels:
            raise Refused("E_NO_TARGET", "Name the units or panels that are destroyed.")
        for name in dict.fromkeys(self.units):
            war = _without(war, name)
        for at in dict.fromkeys(self.panels):
            war = _without_panel(war, at)
        return dissolve_rogues(rules, war)


class SetSource(WarAction, frozen=True):
    """A faction is supplied from a panel besides its capitol; None takes that back (AMB-22)."""

    faction: str
    at: Hex | None = None

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Return the war with the faction's source."""
        require_faction(war, self.faction)
        if self.at is not None and panel_at(war, self.at).owner != self.faction:
            whose = possessive(war.factions[self.faction].name)
            raise Refused("E_NOT_OWNER", f"{self.at} isn't {whose}. Name one of their panels as their source.")
        return war.with_side(self.faction, source=self.at)


def _without_panel(war: War, at: Hex) -> War:
    panel_at(war, at)
    require_no_battle(war, at)
    require_unreserved(war, at)
    if len(war.panels) == 1:
        raise Refused("E_OFF_MAP", f"{at} is the last panel of the map.")
    war = war.without_forces([item.name for item in war.on(at)])
    for name, side in war.factions.items():
        if at in {side.seat, side.source}:
            seat, source = (None if place == at else place for place in (side.seat, side.source))
            war = war.with_side(name, seat=seat, source=source)
    works = tuple(item for item in war.works if item.at != at)
    return replace(war, panels={place: panel for place, panel in war.panels.items() if place != at}, works=works)


def _free_unit(war: War, name: str) -> Unit:
    """Return a unit that is in no battle."""
    found = next((unit for unit in war.every_unit() if unit.id == name), None)
    if found is None:
        raise Refused("E_NO_TARGET", f"{name} isn't a unit. Write its id, such as u1.")
    place = next(
        (at for at, battle in war.battles.items() if name in battle.fight.units or _was_there(war, at, name)), None
    )
    if place is not None:
        raise Refused("E_BATTLE_PENDING", f"{name} is in the battle on {place}. End it first.")
    return found


def _was_there(war: War, at: Hex, name: str) -> bool:
    """Return whether a unit is of a force or garrison that fights on a panel, be it destroyed there."""
    battle = war.battles[at]
    return name in battle.garrison or any(unit.id == name for each in battle.forces for unit in war.force(each).units)


def _without(war: War, name: str) -> War:
    _free_unit(war, name)
    emptied = [force.name for force in war.forces.values() if [unit.id for unit in force.units] == [name]]
    return _with_unit(war, name, ()).without_forces(emptied)


def _with_unit(war: War, name: str, now: Iterable[Unit]) -> War:
    """Return the war with others in the place of a unit."""
    instead = [*now]
    for force in war.forces.values():
        if any(unit.id == name for unit in force.units):
            return war.with_forces(replace(force, units=_exchanged(force.units, name, instead)))
    at = next(at for at, panel in war.panels.items() if any(unit.id == name for unit in panel.garrison))
    return war.with_panel(at, garrison=_exchanged(war.panels[at].garrison, name, instead))


def _exchanged(units: Iterable[Unit], name: str, instead: Iterable[Unit]) -> tuple[Unit, ...]:
    return tuple(each for unit in units for each in (instead if unit.id == name else (unit,)))


def _pilot(rules: Rules, war: War, unit: Unit, name: str) -> str:
    """Return a pilot of the scenario who has no other unit."""
    known = [pilot.name for pilot in rules.scenario.pilots]
    if name not in known:
        near = suggestion(name, known) or known_list(known)
        raise Refused("E_NO_TARGET", sentence(f"{name} isn't a pilot{near}"))
    other = next((each.id for each in war.every_unit() if each.pilot == name and each.id != unit.id), None)
    if other is not None:
        raise Refused("E_NAME_IN_USE", f"{name} already pilots {other}. Take them out of that unit first.")
    return name


def require_models(rules: Rules, models: Iterable[str]) -> None:
    """Refuse models that the scenario does not have."""
    known = rules.scenario.units
    for model in models:
        if model not in known:
            near = suggestion(model, known) or known_list(known)
            raise Refused("E_NO_TARGET", sentence(f"{model} isn't a model{near}"))


def offered_models(rules: Rules, faction: str) -> dict[str, UnitModel]:
    """Return the models that a faction may have; all of one that has come since, or of nobody."""
    start = rules.scenario.factions.get(faction)
    return {
        name: item
        for name, item in rules.scenario.units.items()
        if start is None or (item.unit_class in start.classes and item.faction in {None, faction})
    }


def offer_in_turn(*every: Iterator[str]) -> Iterator[str]:
    """Offer one of each in turn."""
    return (text for texts in zip_longest(*every) for text in texts if text is not None)


def read_rulings(war: War, text: str) -> tuple[Strike | SetSource, ...]:
    """Return what of a ruling's text changes the war: `remove:` with units and panels, and `source:` with a faction and a panel.

    Each goes to the end of its line, or to a semicolon; all else is only shown.
    """
    return tuple(
        _read_strike(war, rest) if mark.lower() == "remove" else _read_source(war, rest)
        for mark, rest in MARK.findall(text)
    )


def describe_losses(rules: Rules, war: War, text: str) -> Iterator[str]:
    """Yield what the text of a ruling takes from factions that is asked about first: a capitol, or the last stronghold of a rogue faction."""
    strikes = (action for action in read_rulings(war, text) if isinstance(action, Strike))
    gone = {at for strike in strikes for at in strike.panels} - war.battles.keys()
    left = dissolve_rogues(
        rules, replace(war, panels={at: panel for at, panel in war.panels.items() if at not in gone})
    )
    for name, side in war.factions.items():
        if name not in left.factions:
            yield f"{side.name} loses its last stronghold and dissolves."
        elif side.seat in gone:
            yield f"{side.seat} is the capitol of {side.name}. Without it, all its land is out of supply until you name another source."


def _read_strike(war: War, text: str) -> Strike:
    """Read what a ruling removes: units and panels."""
    found = _STRUCK.findall(text)
    if not found or re.fullmatch(r"(?:[\s,.]|and)*", _STRUCK.sub("", text)) is None:
        words = f"remove:{text} isn't a list of units and panels. Write remove: u12, u13 and 2,-1."
        raise Refused("E_NO_TARGET", words)
    units = tuple(each.lower() for each in found if re.fullmatch(UNIT, each))
    return Strike(
        units=units, panels=tuple(parse_panel(war.panels, each) for each in found if not re.fullmatch(UNIT, each))
    )


def _read_source(war: War, text: str) -> SetSource:
    """Read from where a ruling supplies a faction."""
    faction, rest = read_faction_first(war, text.strip().rstrip("."), "source: E 2,-2, or source: E none")
    return SetSource(faction=faction, at=None if is_nobody(rest) else parse_panel(war.panels, rest))


def _read_unit(rules: Rules, war: War, text: str, example: str) -> WarAction:
    """Read units that come, go, or get kills or a pilot."""
    removed = re.fullmatch(rf"(?:-|remove\b)\s*({UNIT})", text, re.IGNORECASE)
    if removed is not None:
        return RemoveUnit(unit=removed[1].lower())
    edited = re.fullmatch(rf"({UNIT})\s+(kills|pilot)\s+(.+)", text, re.IGNORECASE)
    if edited is not None and edited[2].lower() == "kills":
        return SetUnit(unit=edited[1].lower(), kills=read_number(edited[3], example))
    if edited is not None:
        pilots = [pilot.name for pilot in rules.scenario.pilots]
        pilot = "" if is_nobody(edited[3]) else read_name(pilots, edited[3], "a pilot")
        return SetUnit(unit=edited[1].lower(), pilot=pilot)
    to, plus, units = text.partition(" + ")
    if not plus:
        raise refuse_unread(text, example)
    model, number = read_counted_name(rules.scenario.units, units, "a model")
    place = parse_panel(war.panels, to) if re.fullmatch(PANEL, to.strip()) else read_name(war.forces, to, "a force")
    return AddUnits(to=place, model=model, number=number)


def _offer_units(rules: Rules, war: War, number: str | None) -> Iterator[str]:
    """Offer units that come to forces and garrisons, go, get kills and get pilots, one of each in turn."""
    units = [*war.every_unit()]
    pilots = [pilot.name for pilot in rules.scenario.pilots]
    kills = [number] if number else rules.terms.ace_kills
    manned = {key for key, piece in rules.terms.book.listed(Piece).items() if piece.attacks}
    forces = {item.name: item.faction for item in war.forces.values() if item.kind in manned}
    panels = {str(at): panel.owner for at, panel in sorted(war.panels.items()) if rules.kind(panel).stronghold}
    more = f"{number} " if number else ""
    return offer_in_turn(
        *(
            (f"{to} + {more}{model}" for to, owner in places.items() for model in offered_models(rules, owner))
            for places in (forces, panels)
        ),
        (f"- {unit.id}" for unit in units),
        (f"{unit.id} kills {each}" for unit in units for each in kills),
        (f"{unit.id} pilot {name}" for unit in units for name in (*pilots, NOBODY)),
    )


SETTINGS: Mapping[str, WarSetting] = {"unit": WarSetting(_read_unit, _offer_units)}
