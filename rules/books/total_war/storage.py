"""A war as its scene keeps it, in parts that differ from the start, and as each faction sees it in fog (AMB-80)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rules.book import Book
from rules.books.total_war.catalog import Setting, Terms
from rules.books.total_war.scenario import Panel, Scenario
from rules.books.total_war.war import NEUTRAL, Force, HeldPanel, Player, Rules, Side, War, WarBattle
from rules.effects import SCENE, Change
from rules.geometry import Hex, neighbours
from rules.subjects import name_key

WAR = "war"
SCENARIO, COURSE = "scenario", "course"
"""The stored scenario, and what a war has only one of."""

BATTLE, FACTION, PLAYER = "battle.", "faction.", "player."
_PARTS: Mapping[str, tuple[str, Any]] = {
    "panels": ("panel.", HeldPanel),
    "factions": (FACTION, Side),
    "forces": ("force.", Force),
    "players": (PLAYER, Player),
    "battles": (BATTLE, WarBattle),
    "prices": ("price.", int),
    "switches": ("switch.", Setting),
}
"""Prefix and type of each part. Each can be undone alone."""
_FIELD_OF = {begins: (field, kind) for field, (begins, kind) in _PARTS.items()}
PLAIN = "plain"
_BY_PANEL = frozenset({"panels", "battles"})
OPENED = "opened."
"""Prefix of the entries that opened battles; the panel follows."""
KEEPS = (WAR, OPENED, SCENARIO, COURSE, *(begins for begins, _ in _PARTS.values()))

Values = Mapping[str, Mapping[str, Any]]
"""Stored values by name. All are open: in fog the book decides who sees what."""


class Start(Struct, frozen=True):
    """How a war starts: its rules, its first state, and each part as the ledger stores it."""

    rules: Rules
    war: War
    parts: Mapping[str, Any]


class _StoredScenario:
    """A stored scenario, hashed by book and content."""

    def __init__(self, book: Book, kept: Mapping[str, Any]) -> None:
        self.book, self.kept = book, kept
        self._key = (book.fingerprint, sha256(msgspec.json.encode(kept["is"], order="deterministic")).digest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _StoredScenario) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def begin_war(rules: Rules) -> War:
    """Build the first state of a scenario's war."""
    scenario = rules.scenario
    factions = {
        item.id: Side(item.name, item.colour, item.gold, item.grunt, item.capitol, item.rogue)
        for item in scenario.factions.values()
    }
    war = War({}, factions, {}, numbered=scenario.numbered)
    for at in sorted(scenario.panels - scenario.blocked):
        plan = scenario.kinds.get(at, Panel(at, PLAIN))
        war, garrison = war.new_units(plan.garrison)
        owner = scenario.owners.get(at, NEUTRAL)
        held = HeldPanel(plan.kind, plan.bonus, owner, facility=plan.facility, garrison=garrison)
        war = replace(war, panels={**war.panels, at: held})
    for item in scenario.forces:
        war, units = war.new_units(item.units)
        commander = None if item.commander is None else str(item.commander)
        pilots = {pilot.unit: pilot for pilot in scenario.pilots if pilot.force == item.name}
        units = tuple(
            replace(unit, pilot=pilots[place].name, kills=pilots[place].kills) if place in pilots else unit
            for place, unit in enumerate(units, 1)
        )
        war = war.with_forces(Force(item.name, item.kind, item.faction, item.at, commander, units))
    return war


def store_scenario(scenario: Scenario, fingerprint: str) -> dict[str, Any]:
    """Return a scenario as stored; `fingerprint` is the SHA-256 of its file."""
    given = {name: getattr(scenario, name) for name in scenario.__struct_fields__}
    given |= {"owners": [*scenario.owners.items()], "kinds": [*scenario.kinds.values()]}
    return {"open": True, "fingerprint": fingerprint, "is": _json(given)}


def find_start(book: Book, values: Values) -> Start:
    """Return the stored war's start."""
    return _begins(_StoredScenario(book, values[SCENARIO]))


def read(book: Book, values: Values) -> tuple[Rules, War]:
    """Return the rules and the war as stored; equal parts are the same object.

    Parts of the start come first, later ones by name, so lists don't depend on the order of values.
    """
    start = find_start(book, values)
    course = values.get(COURSE, {}).get("is", {})
    given: dict[str, Any] = {name: {**getattr(start.war, name), **_read_old(course, name)} for name in _PARTS}
    for name in sorted(values):
        value = values[name]
        prefix, dot, key = name.partition(".")
        if prefix + dot in _FIELD_OF:
            field, kind = _FIELD_OF[prefix + dot]
            place = Hex.parse(key) if field in _BY_PANEL else key
            if value["is"] is None:
                given[field].pop(place, None)
            else:
                given[field][place] = _part(kind, msgspec.json.encode(value["is"]))
    more = {name: _read(name, value) for name, value in course.items() if name not in _PARTS}
    war = replace(start.war, **given, **more, turn=values[WAR]["turn"])
    return start.rules.apply_settings(war), war


def read_battles(values: Values) -> dict[Hex, WarBattle]:
    """Read only the battles, which needs no rules."""
    stored = {name.removeprefix(BATTLE): values[name]["is"] for name in sorted(values) if name.startswith(BATTLE)}
    return {Hex.parse(at): msgspec.convert(value, WarBattle) for at, value in stored.items() if value is not None}


def is_won(values: Values) -> bool:
    """Check for a winner without reading the war."""
    return values.get(COURSE, {}).get("is", {}).get("winner") is not None


def list_changes(book: Book, values: Values, after: War) -> tuple[Change, ...]:
    """List how a war differs from its stored values."""
    first, header = find_start(book, values).parts, values[WAR]
    found: list[Change] = []
    before = read(book, values)[1]
    moved: dict[str, Any] = {name: {} for name in _PARTS if _read_old(values.get(COURSE, {}).get("is", {}), name)}
    for name, new in _list_differences(replace(before, **moved), after):
        if new != (values[name]["is"] if name in values else first.get(name)):
            found.append((SCENE, name, None if new == first.get(name) else {"open": True, "is": new}))
    turned = [(SCENE, WAR, {**header, "turn": after.turn})] if after.turn != header["turn"] else []
    return (*turned, *found)


@lru_cache(maxsize=32)
def _begins(known: _StoredScenario) -> Start:
    given = dict(known.kept["is"])
    given["owners"] = {Hex(*at): name for at, name in given["owners"]}
    panels = msgspec.convert(given.pop("kinds"), list[Panel])
    kinds = {item.at: item for item in panels}
    scenario = msgspec.convert({**given, "owners": {}, "kinds": {}}, Scenario)
    scenario = replace(scenario, owners=given["owners"], kinds=kinds)
    rules = Rules(Terms(known.book, scenario.switches), scenario)
    war = begin_war(rules)
    return Start(rules, war, dict(_list_differences(War({}, {}, {}), war)))


def _read_old(course: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    return _read(field, course[field]) if field in course else {}


def _list_differences(before: War, after: War) -> Iterator[tuple[str, Any]]:
    for field, (prefix, _) in _PARTS.items():
        old, new = getattr(before, field), getattr(after, field)
        if old is not new:
            changed = (key for key in {**old, **new} if old.get(key) is not new.get(key))
            yield from ((f"{prefix}{key}", _json(new[key]) if key in new else None) for key in changed)
    yield COURSE, {name: _json(getattr(after, name)) for name in _FIELDS if name not in _PARTS and name != "turn"}


def _json(value: object) -> Any:  # noqa: ANN401 - JSON
    return msgspec.json.decode(msgspec.json.encode(value, order="sorted"))  # stored values have lists


@lru_cache(maxsize=2048)
def _part(kind: Any, kept: bytes) -> Any:  # noqa: ANN401 - JSON
    # Decode a part once: parts never change, and a roll reads the war several times.
    return msgspec.json.decode(kept, type=kind)


def _read(name: str, value: Any) -> Any:  # noqa: ANN401 - JSON
    return msgspec.convert(value, _FIELDS[name])


_FIELDS = {item.name: item.type for item in msgspec.structs.fields(War)}


def find_misfits(rules: Rules, war: War, before: War) -> list[str]:
    """Say what doesn't fit in a war, except what didn't fit `before` either."""
    known = {*_list_all_values(rules, before)}
    lost = {*before.players} - {*war.players}
    return [fault for fault in (*_list_all_values(rules, war), *_of_players(war, lost)) if fault not in known]


def _list_all_values(rules: Rules, war: War) -> Iterator[str]:
    for part in (_list_forces, _list_places, _list_battles, _list_units, _list_names):
        yield from part(rules, war)


def _list_forces(_rules: Rules, war: War) -> Iterator[str]:
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


def _list_places(rules: Rules, war: War) -> Iterator[str]:
    stacking = rules.apply_settings(war).terms.setting("stacking", int)
    first: dict[object, str] = {}
    for force in (item for item in war.forces.values() if item.units or item.at not in war.battles):
        other = war.forces[first.setdefault(force.at, force.name)]
        fighting = war.battles[force.at].forces if force.at in war.battles else {}
        alone = other.faction == force.faction and not stacking
        if other is not force and not alone and not {other.name, force.name} <= {*fighting}:
            yield f"{other.name} and {force.name} would both be on {force.at}"


def _list_battles(_rules: Rules, war: War) -> Iterator[str]:
    for at, battle in war.battles.items():
        if at not in war.panels:
            yield f"a battle would be on {at}, off the map"
            continue
        if {*battle.fight.sides} != {battle.attacker, battle.defender}:
            yield f"only one side would fight on {at}"
        missing = [name for name in battle.forces if name not in war.forces]
        there = [unit for name in battle.forces if name in war.forces for unit in war.forces[name].units]
        known = {unit.id for unit in (*there, *war.panels[at].garrison)}
        missing += [name for name in battle.fight.units if name not in known]
        yield from (f"{name} would fight on {at} without being there" for name in missing)


def _list_units(_rules: Rules, war: War) -> Iterator[str]:
    every = [*war.every_unit()]
    yield from (f"unit {name} would exist twice" for name in _find_duplicates([unit.id for unit in every]))
    pilots = [unit.pilot for unit in every if unit.pilot]
    yield from (f"{name} would pilot two units" for name in _find_duplicates(pilots))


def _list_names(rules: Rules, war: War) -> Iterator[str]:
    if not rules.scenario.has_fog:
        names = _find_duplicates([*war.forces, *war.players])
        yield from (f"{name} would be both a force and a player" for name in names)
    sides = war.factions.values()
    for what, some in (("called", [side.name for side in sides]), ("coloured", [side.colour for side in sides])):
        yield from (f"two factions would be {what} {each}" for each in _find_duplicates(some))


def _of_players(war: War, lost: set[str]) -> Iterator[str]:
    for force in war.forces.values():
        if force.commander in lost:
            yield f"{force.commander}, commander of {force.name}, wouldn't be in the war"
    for side in war.factions.values():
        for name in side.posts & lost:
            yield f"{name}, with a post of {side.name}, wouldn't be in the war"


def _find_duplicates(names: Sequence[str]) -> Iterator[str]:
    seen: dict[str, str] = {}
    for name in names:
        key = name_key(name)
        if key in seen:
            yield seen[key]
        seen.setdefault(key, name)


class Sight(Struct, frozen=True):
    """How much of a war a viewer knows: panels without details, and factions with known gold (None: all)."""

    unseen: frozenset[Hex] = frozenset()
    known: frozenset[str] | None = None


WHOLE = Sight()


def find_unseen(rules: Rules, war: War, faction: str | None, seen: Collection[Hex] | None = None) -> set[Hex]:
    """Return the panels of which a faction sees only the owner.

    A lone rogue goes by name, and None sees nothing. `seen` replaces what the faction sees, see `last_seen`.
    """
    if not rules.scenario.has_fog:
        return set()
    return {*war.panels} - {*(_list_seen(rules, war, faction) if seen is None else seen)}


def last_seen(rules: Rules, before: War, after: War, faction: str | None) -> set[Hex] | None:
    """Return the panels where an ended faction learns of its end; None while it exists."""
    if faction not in before.factions.keys() - after.factions.keys():
        return None
    own = (item.name for item in before.forces.values() if item.faction == faction)
    stand = {after.forces[name].at for name in own if name in after.forces}
    return (_list_seen(rules, before, faction) | stand) & after.panels.keys()


def sight_of(rules: Rules, war: War, faction: str | None) -> Sight:
    """Return how much a faction, or an onlooker (None), knows of a war."""
    if not rules.scenario.has_fog:
        return WHOLE
    return Sight(frozenset(find_unseen(rules, war, faction)), frozenset([faction] if faction else []))


def knows(rules: Rules, viewer: str | None, faction: str) -> bool:
    """Check whether a viewer knows a faction's gold, pool, models and ranks."""
    return not rules.scenario.has_fog or viewer == faction


def mask_war(rules: Rules, war: War, faction: str | None, seen: Collection[Hex] | None = None) -> War:
    """Return the war as a faction, a lone rogue (by name) or an onlooker (None) sees it.

    Others have no gold, and their ranks are `UNKNOWN`. All rules work on this war. `seen` replaces the panels in
    sight, see `last_seen`. New units get the next number in sight, which reveals no total.
    """
    if not rules.scenario.has_fog:
        return war
    seen = _list_seen(rules, war, faction) if seen is None else seen
    forces = (item for item in war.forces.values() if item.at in seen)
    shown = replace(
        war,
        panels={
            at: panel if at in seen else replace(panel, facility=None, garrison=()) for at, panel in war.panels.items()
        },
        factions={name: side if name == faction else side.public_view for name, side in war.factions.items()},
        forces={item.name: item if item.faction == faction else replace(item, follows=None) for item in forces},
        players={
            name: player if faction is not None and faction == (player.faction or name) else player.mask(faction)
            for name, player in war.players.items()
        },
        battles={at: _mask_battle(war, battle, faction, seen) for at, battle in war.battles.items() if at in seen},
        works=tuple(item for item in war.works if item.faction == faction or item.at in seen),
        answers={name: answer for name, answer in war.answers.items() if name == faction},
    )
    return replace(shown, units=max((int(unit.id[1:]) for unit in shown.every_unit()), default=0), numbered="")


def _list_seen(rules: Rules, war: War, faction: str | None) -> set[Hex]:
    if faction is None:
        return set()
    near = {at for at, panel in war.panels.items() if panel.owner == faction}
    near |= {item.at for item in war.forces.values() if item.faction == faction}
    edge = near
    for _ in range(rules.scenario.sight):  # over the edge of the map too
        edge = {beside for place in edge for beside in neighbours(place)} - near
        near |= edge
    fights = {at for at, battle in war.battles.items() if _takes_part(war, battle, faction)}
    return (near | fights) & war.panels.keys()


def _takes_part(war: War, battle: WarBattle, faction: str) -> bool:
    sides = {battle.attacker, battle.defender}
    return faction in sides or any(war.forces[name].faction == faction for name in battle.forces)


def _mask_battle(war: War, battle: WarBattle, faction: str | None, seen: Collection[Hex]) -> WarBattle:
    if faction is not None and _takes_part(war, battle, faction):
        return battle
    return replace(battle, retreats={name: to for name, to in battle.retreats.items() if to in seen})
