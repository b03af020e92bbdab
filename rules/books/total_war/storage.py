"""A war as its scene keeps it: the scenario, and what differs from its start, part by part; and whether all parts fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import chain
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war.catalog import Setting
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.scenario import Panel, Pilot, Scenario
from rules.books.total_war.terms import Terms
from rules.books.total_war.war import Battle, Force, HeldPanel, Player, Rules, Side, Unit, War, apply_settings
from rules.effects import SCENE, Change
from rules.geometry import Hex
from rules.subjects import name_key

WAR = "war"
"""What a scene of this kind is called, and the name of its header."""
SCENARIO, COURSE = "scenario", "course"
"""The names under which the scenario is kept, and what is no part of which a war has several."""

BATTLE, FACTION, PLAYER = "battle.", "faction.", "player."
"""How the names begin under which battles, factions and players are kept; panel, id or callsign follows."""
_PARTS: Mapping[str, tuple[str, Any]] = {
    "panels": ("panel.", HeldPanel),
    "factions": (FACTION, Side),
    "forces": ("force.", Force),
    "players": (PLAYER, Player),
    "battles": (BATTLE, Battle),
    "prices": ("price.", int),
    "switches": ("switch.", Setting),
}
"""Of what a war has several: how the names begin under which each is kept, and what it is. Each is taken back alone."""
_FIELD_OF = {begins: (field, kind) for field, (begins, kind) in _PARTS.items()}
PLAIN = "plain"
"""The kind of panels of which a scenario says nothing."""
_BY_PANEL = frozenset({"panels", "battles"})
OPENED = "opened."
"""How the names begin under which a war keeps which entry has opened a battle; its panel follows."""
KEEPS = (WAR, OPENED, SCENARIO, COURSE, *(begins for begins, _ in _PARTS.values()))
"""How the names begin of all that is kept of a war."""

Values = Mapping[str, Mapping[str, Any]]
"""What is kept of a war, by name. All of it is open: what is seen of it where there is fog is the book's to say."""


class Start(Struct, frozen=True):
    """A war as it begins: the rules it is played by, and each part of it by name."""

    rules: Rules
    war: War
    parts: Mapping[str, Any]


class _Known:
    """A scenario as kept, equal to one of the same content by the same book: the fingerprint beside it is only a claim."""

    def __init__(self, book: Book, kept: Mapping[str, Any]) -> None:
        self.book, self.kept = book, kept
        self._key = (book.fingerprint, sha256(msgspec.json.encode(kept["is"], order="deterministic")).digest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def begin_war(rules: Rules) -> War:
    """Return the war as its scenario has it at the start."""
    scenario = rules.scenario
    factions = {
        item.id: Side(item.name, item.colour, item.gold, item.grunt, item.capitol, item.rogue)
        for item in scenario.factions.values()
    }
    war = War({}, factions, {}, numbered=scenario.numbered)
    for at in sorted(scenario.panels - scenario.blocked):
        kept = scenario.kinds.get(at, Panel(at, PLAIN))
        war, garrison = war.new_units(kept.garrison)
        owner = scenario.owners.get(at, NEUTRAL)
        held = HeldPanel(kept.kind, kept.bonus, owner, facility=kept.facility, garrison=garrison)
        war = replace(war, panels={**war.panels, at: held})
    for item in scenario.forces:
        war, units = war.new_units(item.units)
        commander = None if item.commander is None else str(item.commander)
        piloted = _piloted(units, [pilot for pilot in scenario.pilots if pilot.force == item.name])
        war = war.with_forces(Force(item.name, item.kind, item.faction, item.at, commander, piloted))
    return war


def store_scenario(scenario: Scenario, fingerprint: str) -> dict[str, Any]:
    """Return what is kept of a scenario; `fingerprint` is the SHA-256 of its file."""
    given = {name: getattr(scenario, name) for name in scenario.__struct_fields__}
    given |= {"owners": [*scenario.owners.items()], "kinds": [*scenario.kinds.values()]}
    return _open({"fingerprint": fingerprint, "is": _json(given)})


def find_start(book: Book, values: Values) -> Start:
    """Return how the war began whose scenario is kept."""
    return _begins(_Known(book, values[SCENARIO]))


def read(book: Book, values: Values) -> tuple[Rules, War]:
    """Return the rules by which a war is played that is kept, and how it stands; what is kept alike is one and the same part whenever it is read.

    Parts stand as at the start, those that have come since by name: in whatever order values are kept, all are offered alike.
    """
    start = find_start(book, values)
    course = values.get(COURSE, {}).get("is", {})
    given: dict[str, Any] = {name: {**getattr(start.war, name), **_of_old(course, name)} for name in _PARTS}
    for name in sorted(values):
        value = values[name]
        prefix, dot, key = name.partition(".")
        if prefix + dot in _FIELD_OF:
            field, kind = _FIELD_OF[prefix + dot]
            _put(given[field], Hex.parse(key) if field in _BY_PANEL else key, value["is"], kind)
    more = {name: _read(name, value) for name, value in course.items() if name not in _PARTS}
    war = replace(start.war, **given, **more, turn=values[WAR]["turn"])
    return apply_settings(start.rules, war), war


def read_battles(values: Values) -> dict[Hex, Battle]:
    """Return the battles of a war that is kept, without the rules that it is played by."""
    kept = {name.removeprefix(BATTLE): values[name]["is"] for name in sorted(values) if name.startswith(BATTLE)}
    return {Hex.parse(at): msgspec.convert(value, Battle) for at, value in kept.items() if value is not None}


def is_won(values: Values) -> bool:
    """Return whether somebody has won a war that is kept."""
    return values.get(COURSE, {}).get("is", {}).get("winner") is not None


def list_changes(book: Book, values: Values, after: War) -> tuple[Change, ...]:
    """Return what of a war's scene is otherwise than it is kept, once it stands so."""
    first, header = find_start(book, values).parts, values[WAR]
    found: list[Change] = []
    before = read(book, values)[1]
    moved: dict[str, Any] = {name: {} for name in _PARTS if _of_old(values.get(COURSE, {}).get("is", {}), name)}
    for name, new in _otherwise(replace(before, **moved), after):
        if new != (values[name]["is"] if name in values else first.get(name)):
            found.append((SCENE, name, None if new == first.get(name) else _open({"is": new})))
    turned = [(SCENE, WAR, {**header, "turn": after.turn})] if after.turn != header["turn"] else []
    return (*turned, *found)


def _piloted(units: Sequence[Unit], pilots: Sequence[Pilot]) -> tuple[Unit, ...]:
    named = {pilot.unit: pilot for pilot in pilots}
    return tuple(
        replace(unit, pilot=named[place].name, kills=named[place].kills) if place in named else unit
        for place, unit in enumerate(units, 1)
    )


def _open(value: Mapping[str, Any]) -> dict[str, Any]:
    return {"open": True, **value}


@lru_cache(maxsize=32)
def _begins(known: _Known) -> Start:
    given = dict(known.kept["is"])
    given["owners"] = {Hex(*at): name for at, name in given["owners"]}
    panels = msgspec.convert(given.pop("kinds"), list[Panel])
    kinds = {item.at: item for item in panels}
    scenario = msgspec.convert({**given, "owners": {}, "kinds": {}}, Scenario)
    scenario = replace(scenario, owners=given["owners"], kinds=kinds)
    rules = Rules(Terms(known.book, scenario.switches), scenario)
    war = begin_war(rules)
    return Start(rules, war, dict(_parts(war)))


def _of_old(course: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """Return what an older version has kept in the course of a war that has a name of its own by now: prices and switches."""
    return _read(field, course[field]) if field in course else {}


def _parts(war: War) -> Iterator[tuple[str, Any]]:
    """Yield each part of a war by the name under which it is kept, as JSON has it."""
    for field, (prefix, _) in _PARTS.items():
        yield from ((f"{prefix}{key}", _json(item)) for key, item in getattr(war, field).items())
    yield COURSE, _course(war)


def _course(war: War) -> dict[str, Any]:
    """Return what is no part of which a war has several."""
    return {name: _json(getattr(war, name)) for name in _FIELDS if name not in _PARTS and name != "turn"}


def _otherwise(before: War, after: War) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a war, by name, that are not the very ones of another: as JSON has them, None what there is no more."""
    for field, (prefix, _) in _PARTS.items():
        old, new = getattr(before, field), getattr(after, field)
        if old is not new:
            yield from (
                (f"{prefix}{key}", _json(new[key]) if key in new else None)
                for key in {**old, **new}
                if old.get(key) is not new.get(key)
            )
    yield COURSE, _course(after)


def _json(value: object) -> Any:  # noqa: ANN401 - JSON
    return msgspec.json.decode(msgspec.json.encode(value, order="sorted"))  # lists, as what was kept has them


def _put(held: dict[Any, Any], key: object, value: Any, kind: Any) -> None:  # noqa: ANN401 - JSON
    """Put a part in its place; None takes it away, of what was there at the start."""
    if value is None:
        held.pop(key, None)
    else:
        held[key] = _part(kind, msgspec.json.encode(value))


@lru_cache(maxsize=2048)
def _part(kind: Any, kept: bytes) -> Any:  # noqa: ANN401 - JSON
    """Return a part that is kept as this JSON: nobody changes one, and a roll reads the same war several times."""
    return msgspec.json.decode(kept, type=kind)


def _read(name: str, value: Any) -> Any:  # noqa: ANN401 - JSON
    return msgspec.convert(value, _FIELDS[name])


_FIELDS = {item.name: item.type for item in msgspec.structs.fields(War)}


def find_misfits(rules: Rules, war: War, before: War) -> list[str]:
    """Return in words what does not fit in a war, of which somewhat was otherwise `before`; nothing of what did not fit then either."""
    known = {*_every(rules, before)}
    lost = {*before.players} - {*war.players}
    return [fault for fault in (*_every(rules, war), *_of_players(war, lost)) if fault not in known]


def _every(rules: Rules, war: War) -> Iterator[str]:
    yield from chain.from_iterable(part(rules, war) for part in (_forces, _places, _battles, _units, _names))


def _forces(_rules: Rules, war: War) -> Iterator[str]:
    """Yield whose faction is not there."""
    sides = {*war.factions, *war.players, NEUTRAL}
    for force in war.forces.values():
        if force.faction not in sides:
            yield f"the faction of {force.name} would be missing"
        if force.at not in war.panels:
            yield f"{force.name} would be on {force.at}, off the map"
    for at, panel in war.panels.items():
        if panel.owner not in sides:
            yield f"the faction that owns {at} would be missing"
    for name, player in war.players.items():
        if player.faction is not None and player.faction not in war.factions:
            yield f"the faction of {name} would be missing"


def _places(rules: Rules, war: War) -> Iterator[str]:
    """Yield forces on one panel that neither may stand together nor fight there, nor are fought for without units of their own."""
    stacking = apply_settings(rules, war).terms.setting("stacking", int)
    first: dict[object, str] = {}
    for force in (item for item in war.forces.values() if item.units or item.at not in war.battles):
        other = war.forces[first.setdefault(force.at, force.name)]
        fighting = war.battles[force.at].forces if force.at in war.battles else {}
        alone = other.faction == force.faction and not stacking
        if other is not force and not alone and not {other.name, force.name} <= {*fighting}:
            yield f"{other.name} and {force.name} would both be on {force.at}"


def _battles(_rules: Rules, war: War) -> Iterator[str]:
    """Yield battles of which somebody is not there."""
    for at, battle in war.battles.items():
        if at not in war.panels:
            yield f"a battle would be on {at}, off the map"
            continue
        if {*battle.fight.sides} != {battle.attacker, battle.defender}:
            yield f"only one side would fight on {at}"
        yield from (
            f"{name} would fight on {at} without being there" for name in battle.forces if name not in war.forces
        )
        there = [unit for name in battle.forces if name in war.forces for unit in war.forces[name].units]
        known = {unit.id for unit in (*there, *war.panels[at].garrison)}
        yield from (
            f"{name} would fight on {at} without being there" for name in battle.fight.units if name not in known
        )


def _units(_rules: Rules, war: War) -> Iterator[str]:
    """Yield units that are there twice, and pilots of two."""
    every = [*war.every_unit()]
    yield from (f"unit {name} would exist twice" for name in _twice([unit.id for unit in every]))
    yield from (f"{name} would pilot two units" for name in _twice([unit.pilot for unit in every if unit.pilot]))


def _names(rules: Rules, war: War) -> Iterator[str]:
    """Yield names and colours that two bear; in fog a player may be called as a force is of which they do not know."""
    if not rules.scenario.has_fog:
        yield from (f"{name} would be both a force and a player" for name in _twice([*war.forces, *war.players]))
    sides = war.factions.values()
    for what, some in (("called", [side.name for side in sides]), ("coloured", [side.colour for side in sides])):
        yield from (f"two factions would be {what} {each}" for each in _twice(some))


def _of_players(war: War, lost: set[str]) -> Iterator[str]:
    """Yield what players (names) would have to do who are not in the war any more."""
    for force in war.forces.values():
        if force.commander in lost:
            yield f"{force.commander}, commander of {force.name}, wouldn't be in the war"
    for side in war.factions.values():
        for name in {side.leader, side.delegate} & lost:
            yield f"{name}, with a post of {side.name}, wouldn't be in the war"


def _twice(names: Sequence[str]) -> Iterator[str]:
    """Yield each name, as it is there first, that another one equals."""
    seen: dict[str, str] = {}
    for name in names:
        key = name_key(name)
        if key in seen:
            yield seen[key]
        seen.setdefault(key, name)
