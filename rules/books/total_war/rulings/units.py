"""Units as game masters set them, and what a ruling's text removes or supplies (AMB-22, 79)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest

from msgspec.structs import replace

from rules.books.total_war import battles, course, order_kinds
from rules.books.total_war.catalog import Piece, Refused
from rules.books.total_war.scenario import UnitModel
from rules.books.total_war.war import Rules, Ruling, Unit, War, WarAction
from rules.geometry import Hex
from rules.phrases import list_known, possessive, sentence, suggestion

MOST_UNITS = 50
_STRUCK = re.compile(rf"{order_kinds.PANEL_PATTERN}|{order_kinds.UNIT_PATTERN}")


class AddUnits(Ruling, frozen=True):
    """Units join a force or garrison; ranks don't matter."""

    to: str | Hex
    model: str
    number: int = 1

    def apply(self, rules: Rules, war: War) -> War:
        """Add the units."""
        if not 1 <= self.number <= MOST_UNITS:
            words = f"{self.number} {self.model} won't work: write a number from 1 to {MOST_UNITS}."
            raise Refused("E_NO_TARGET", words)
        require_models(rules, [self.model])
        if isinstance(self.to, Hex):
            panel = course.panel_at(war, self.to)
            war.require_no_battle(self.to)
            war, more = war.new_units([self.model] * self.number)
            return war.with_panel(self.to, garrison=(*panel.garrison, *more))
        force = war.force(self.to)
        war.require_free(force)
        if not rules.terms.of(Piece, force.kind).attacks:
            raise Refused("E_SQUADRON_FULL", f"{force.name} is a {force.kind} and has no units.")
        war, more = war.new_units([self.model] * self.number)
        return war.with_forces(replace(force, units=(*force.units, *more)))


class RemoveUnit(Ruling, frozen=True):
    """A unit is gone, and its force with the last one."""

    unit: str

    def apply(self, rules: Rules, war: War) -> War:
        """Remove the unit."""
        return course.dissolve_rogues(rules, _without(war, self.unit))


class SetUnit(Ruling, frozen=True):
    """A unit gets kills or a pilot; "" removes the pilot, None changes nothing."""

    unit: str
    kills: int | None = None
    pilot: str | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Set kills and pilot."""
        unit = _free_unit(war, self.unit)
        if self.kills is not None:
            order_kinds.require_number(self.kills, f"{self.unit} can't have {self.kills} kills", "E_BAD_STAT")
            unit = replace(unit, kills=self.kills)
        if self.pilot:
            known = [pilot.name for pilot in rules.scenario.pilots]
            if self.pilot not in known:
                near = suggestion(self.pilot, known) or list_known(known)
                raise Refused("E_NO_TARGET", sentence(f"{self.pilot} isn't a pilot{near}"))
            flown = (each.id for each in war.every_unit() if each.pilot == self.pilot and each.id != unit.id)
            other = next(flown, None)
            if other is not None:
                what = f"{self.pilot} already pilots {other}. Take them out of that unit first."
                raise Refused("E_NAME_IN_USE", what)
        if self.pilot is not None:
            unit = replace(unit, pilot=self.pilot or None)
        return _with_unit(war, self.unit, unit)


class Strike(Ruling, frozen=True):
    """A ruling destroys units, and panels with everything on them (AMB-79)."""

    units: tuple[str, ...] = ()
    panels: tuple[Hex, ...] = ()

    def apply(self, rules: Rules, war: War) -> War:
        """Destroy units and panels."""
        if not self.units and not self.panels:
            raise Refused("E_NO_TARGET", "Name the units or panels that are destroyed.")
        for name in dict.fromkeys(self.units):
            war = _without(war, name)
        for at in dict.fromkeys(self.panels):
            war = _without_panel(war, at)
        return course.dissolve_rogues(rules, war)


class SetSource(Ruling, frozen=True):
    """A faction gets a source of supply besides its capitol; None removes it (AMB-22)."""

    faction: str
    at: Hex | None = None

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Set the source."""
        order_kinds.require_faction(war, self.faction)
        if self.at is not None and course.panel_at(war, self.at).owner != self.faction:
            whose = possessive(war.factions[self.faction].name)
            raise Refused("E_NOT_OWNER", f"{self.at} isn't {whose}. Name one of their panels as their source.")
        return war.with_side(self.faction, source=self.at)


def _without_panel(war: War, at: Hex) -> War:
    course.panel_at(war, at)
    war.require_no_battle(at)
    course.require_unreserved(war, at)
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
    found = next((unit for unit in war.every_unit() if unit.id == name), None)
    if found is None:
        raise Refused("E_NO_TARGET", f"{name} isn't a unit. Write its id, such as u1.")
    fights = war.battles.items()
    place = next((at for at, item in fights if name in item.fight.units or name in battles.units_of(war, item)), None)
    if place is not None:
        raise Refused("E_BATTLE_PENDING", f"{name} is in the battle on {place}. End it first.")
    return found


def _without(war: War, name: str) -> War:
    _free_unit(war, name)
    emptied = [force.name for force in war.forces.values() if [unit.id for unit in force.units] == [name]]
    return _with_unit(war, name).without_forces(emptied)


def _with_unit(war: War, name: str, *now: Unit) -> War:
    for force in war.forces.values():
        if any(unit.id == name for unit in force.units):
            return war.with_forces(replace(force, units=_exchange(force.units, name, now)))
    at = next(at for at, panel in war.panels.items() if any(unit.id == name for unit in panel.garrison))
    return war.with_panel(at, garrison=_exchange(war.panels[at].garrison, name, now))


def _exchange(units: Iterable[Unit], name: str, instead: Iterable[Unit]) -> tuple[Unit, ...]:
    return tuple(each for unit in units for each in (instead if unit.id == name else (unit,)))


def require_models(rules: Rules, models: Iterable[str]) -> None:
    """Refuse models that the scenario doesn't have."""
    known = rules.scenario.units
    for model in models:
        if model not in known:
            near = suggestion(model, known) or list_known(known)
            raise Refused("E_NO_TARGET", sentence(f"{model} isn't a model{near}"))


def list_offered_models(rules: Rules, faction: str) -> dict[str, UnitModel]:
    """Return a faction's models by id; all for new factions and neutral land."""
    start = rules.scenario.factions.get(faction)
    return {
        name: item
        for name, item in rules.scenario.units.items()
        if start is None or (item.unit_class in start.classes and item.faction in {None, faction})
    }


def offer_in_turn(*every: Iterator[str]) -> Iterator[str]:
    """Interleave offers, one of each in turn."""
    return (text for texts in zip_longest(*every) for text in texts if text is not None)


def read_rulings(war: War, text: str) -> tuple[Strike | SetSource, ...]:
    """Read what a ruling's text changes: `remove:` and `source:`, each to a semicolon or line end."""
    return tuple(
        _read_strike(war, rest) if mark.lower() == "remove" else _read_source(war, rest)
        for mark, rest in order_kinds.MARK.findall(text)
    )


def describe_losses(rules: Rules, war: War, text: str) -> Iterator[str]:
    """Yield capitols and last strongholds that a ruling would destroy."""
    strikes = (action for action in read_rulings(war, text) if isinstance(action, Strike))
    gone = {at for strike in strikes for at in strike.panels} - war.battles.keys()
    panels = {at: panel for at, panel in war.panels.items() if at not in gone}
    left = course.dissolve_rogues(rules, replace(war, panels=panels))
    for name, side in war.factions.items():
        if name not in left.factions:
            yield f"{side.name} loses its last stronghold and dissolves."
        elif side.seat in gone:
            yield f"{side.seat} is the capitol of {side.name}. Without it, all its land is out of supply until you name another source."


def _read_strike(war: War, text: str) -> Strike:
    found = _STRUCK.findall(text)
    if not found or re.fullmatch(r"(?:[\s,.]|and)*", _STRUCK.sub("", text)) is None:
        words = f"remove:{text} isn't a list of units and panels. Write remove: u12, u13 and 2,-1."
        raise Refused("E_NO_TARGET", words)
    units = tuple(each.lower() for each in found if re.fullmatch(order_kinds.UNIT_PATTERN, each))
    return Strike(
        units=units,
        panels=tuple(
            order_kinds.parse_panel(war.panels, each)
            for each in found
            if not re.fullmatch(order_kinds.UNIT_PATTERN, each)
        ),
    )


def _read_source(war: War, text: str) -> SetSource:
    faction, rest = order_kinds.read_faction_first(war, text.strip().rstrip("."), "source: E 2,-2, or source: E none")
    at = None if order_kinds.is_nobody(rest) else order_kinds.parse_panel(war.panels, rest)
    return SetSource(faction=faction, at=at)


def _read_unit(rules: Rules, war: War, text: str, example: str) -> WarAction:
    removed = re.fullmatch(rf"(?:-|remove\b)\s*({order_kinds.UNIT_PATTERN})", text, re.IGNORECASE)
    if removed is not None:
        return RemoveUnit(unit=removed[1].lower())
    edited = re.fullmatch(rf"({order_kinds.UNIT_PATTERN})\s+(kills|pilot)\s+(.+)", text, re.IGNORECASE)
    if edited is not None and edited[2].lower() == "kills":
        return SetUnit(unit=edited[1].lower(), kills=order_kinds.read_number(edited[3], example))
    if edited is not None:
        pilots = [pilot.name for pilot in rules.scenario.pilots]
        pilot = "" if order_kinds.is_nobody(edited[3]) else order_kinds.read_name(pilots, edited[3], "a pilot")
        return SetUnit(unit=edited[1].lower(), pilot=pilot)
    to, plus, units = text.partition(" + ")
    if not plus:
        raise order_kinds.refuse_unread(text, example)
    model, number = order_kinds.read_counted_name(rules.scenario.units, units, "a model")
    place = (
        order_kinds.parse_panel(war.panels, to)
        if re.fullmatch(order_kinds.PANEL_PATTERN, to.strip())
        else order_kinds.read_name(war.forces, to, "a force")
    )
    return AddUnits(to=place, model=model, number=number)


def _offer_units(rules: Rules, war: War, number: str | None) -> Iterator[str]:
    units = [*war.every_unit()]
    pilots = [pilot.name for pilot in rules.scenario.pilots]
    kills = [number] if number else rules.terms.ace_kills
    manned = {key for key, piece in rules.terms.book.entries_of(Piece).items() if piece.attacks}
    forces = {item.name: item.faction for item in war.forces.values() if item.kind in manned}
    panels = {str(at): panel.owner for at, panel in sorted(war.panels.items()) if rules.kind(panel).stronghold}
    more = f"{number} " if number else ""
    return offer_in_turn(
        *(
            (f"{to} + {more}{model}" for to, owner in places.items() for model in list_offered_models(rules, owner))
            for places in (forces, panels)
        ),
        (f"- {unit.id}" for unit in units),
        (f"{unit.id} kills {each}" for unit in units for each in kills),
        (f"{unit.id} pilot {name}" for unit in units for name in (*pilots, order_kinds.NOBODY)),
    )


SETTINGS: Mapping[str, order_kinds.WarSetting] = {"unit": order_kinds.WarSetting(_read_unit, _offer_units)}
