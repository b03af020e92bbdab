"""A war as its scene keeps it: the scenario, and beside it what is otherwise than at the start, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
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


def kept_scenario(scenario: Scenario, fingerprint: str) -> dict[str, Any]:
    """Return what is kept of a scenario; `fingerprint` is the SHA-256 of its file."""
    given = {name: getattr(scenario, name) for name in scenario.__struct_fields__}
    given |= {"owners": [*scenario.owners.items()], "kinds": [*scenario.kinds.values()]}
    return _open({"fingerprint": fingerprint, "is": _json(given)})


def begins(book: Book, values: Values) -> Start:
    """Return how the war began whose scenario is kept."""
    return _begins(_Known(book, values[SCENARIO]))


def read(book: Book, values: Values) -> tuple[Rules, War]:
    """Return the rules by which a war is played that is kept, and how it stands; what is kept alike is one and the same part whenever it is read.

    Parts stand as at the start, those that have come since by name: in whatever order values are kept, all are offered alike.
    """
    start = begins(book, values)
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


def battles(values: Values) -> dict[Hex, Battle]:
    """Return the battles of a war that is kept, without the rules that it is played by."""
    kept = {name.removeprefix(BATTLE): values[name]["is"] for name in sorted(values) if name.startswith(BATTLE)}
    return {Hex.parse(at): msgspec.convert(value, Battle) for at, value in kept.items() if value is not None}


def is_won(values: Values) -> bool:
    """Return whether somebody has won a war that is kept."""
    return values.get(COURSE, {}).get("is", {}).get("winner") is not None


def changes(book: Book, values: Values, after: War) -> tuple[Change, ...]:
    """Return what of a war's scene is otherwise than it is kept, once it stands so."""
    first, header = begins(book, values).parts, values[WAR]
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
