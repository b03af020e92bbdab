"""Answers about whole games, random or replayed."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rules.books.total_war.actions import resolve
from rules.books.total_war.battles import ace_level
from rules.books.total_war.catalog import Refused, Terms, set_switches
from rules.books.total_war.combat import Die, no_die
from rules.books.total_war.course import Advance, add_player
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.storage import SCENARIO, WAR, begin_war, list_changes, read, store_scenario
from rules.books.total_war.war import Rules, War, WarAction
from tests.answers.lines import Answer, BadLine, Count
from tests.answers.random_play import Chance, Maker, OrderAction, next_deed, turn_of

PLAYERS = (("Ann", 0), ("Bob", 0), ("Cid", 1), ("Dan", 1))
"""Who plays, and in which of the scenario's factions."""


class Game:
    """A game with its orders, dice, gains and losses."""

    def __init__(self, rules: Rules, chance: Chance, dice: Iterable[tuple[int, int]] | None, *, restarts: bool) -> None:
        """Begin the war of the scenario."""
        factions = [*rules.scenario.factions]
        self.rules, self.war = rules, begin_war(rules)
        for name, place in PLAYERS:
            self.war = add_player(rules, self.war, name, factions[place])
        self.chance, self.restarts = chance, restarts
        header, title = {"name": rules.scenario.title, "turn": self.war.turn}, rules.scenario.id
        self.kept: dict[str, Any] = {WAR: header, SCENARIO: store_scenario(rules.scenario, title)}
        self.given = None if dice is None else iter(dice)
        self.orders: list[Any] = []
        self.dice: list[tuple[int, int]] = []
        self.played = 0
        self.units = {"start": len(_units(self.war)), "gained": 0, "lost": 0}
        self.gold = {name: {"start": side.gold, "gained": 0, "spent": 0} for name, side in self.war.factions.items()}

    def throw(self, die: Die) -> int:
        """Return how a die falls, by chance or as it fell before."""
        if self.given is None:
            face = self.chance.randint(1, die.sides)
        else:
            sides, face = next(self.given, (0, 0))
            if sides != die.sides or not 1 <= face <= sides:
                raise BadLine(f"dice: the next die has {die.sides} sides")
        self.dice.append((die.sides, face))
        return face

    def order(self, action: WarAction) -> None:
        """Resolve an order, and count what it brings."""
        before, self.war = self.war, resolve(self.rules, self.war, action, self.throw)
        if self.restarts and self._reread() != self.war:
            raise RuntimeError(f"the state after {action!r} isn't read correctly")
        self.orders.append(msgspec.to_builtins(action))
        self.played += isinstance(action, Advance)
        had, have = _units(before), _units(self.war)
        self.units["gained"] += len(have - had)
        self.units["lost"] += len(had - have)
        for name in {*before.factions, *self.war.factions}:
            was, now = (war.factions[name].gold if name in war.factions else 0 for war in (before, self.war))
            book = self.gold.setdefault(name, {"start": 0, "gained": 0, "spent": 0})
            book["gained" if now > was else "spent"] += abs(now - was)

    def play(self, turns: int, choose: Callable[..., OrderAction] = next_deed) -> Iterator[OrderAction]:
        """Yield random orders until a side wins or the turns are over."""
        waiting: list[Maker] = turn_of(self.chance, self.war)
        while self.played < turns and self.war.winner is None:
            action = choose(self.chance, self.rules, self.war, waiting, is_allowed)
            self.order(action)
            if isinstance(action, Advance):
                waiting = turn_of(self.chance, self.war)
            yield action

    def _reread(self) -> War:
        for _, name, value in list_changes(self.rules.terms.book, self.kept, self.war):
            self.kept[name] = json.loads(json.dumps(value))
        self.kept = {name: value for name, value in self.kept.items() if value is not None}
        return read(self.rules.terms.book, self.kept)[1]

    def describe(self) -> dict[str, Any]:
        """Return the answer."""
        now = {name: side.gold for name, side in self.war.factions.items()}
        return {
            "turns": self.played,
            "orders": self.orders,
            "dice": self.dice,
            "units": {**self.units, "now": len(_units(self.war))},
            "gold": {name: {**book, "now": now.get(name, 0)} for name, book in self.gold.items()},
            "panels": len(self.war.panels),
            "state": _state(self.rules, self.war),
        }


def simulate(
    terms: Terms,
    *,
    turns: Annotated[int, Meta(ge=0, le=1000)],
    seed: int = 0,
    limit: Count | None = None,
    restart: bool = False,
    orders: tuple[dict[str, Any], ...] | None = None,
    dice: tuple[tuple[int, int], ...] | None = None,
) -> Answer:
    """Play a random or recorded game; `restart` reads the stored war after each order."""
    scenario = read_scenario(terms.book, example()).scenario
    rules = Rules(set_switches(terms.book, {**scenario.switches, **terms.switches}), scenario)
    if (orders is None) != (dice is None):
        raise BadLine("write orders and dice together, or neither")
    game = Game(rules, Chance(seed), dice, restarts=restart)
    for given in (orders or ())[:limit]:
        game.order(msgspec.convert(given, OrderAction))
    if orders is None:
        deque(islice(game.play(turns), limit), maxlen=0)
    return game.describe()


def is_allowed(rules: Rules, war: War, made: WarAction) -> bool:
    """Check whether an order is possible now."""
    try:
        resolve(rules, war, made, no_die)
    except Refused:
        return False
    return True


def _units(war: War) -> set[str]:
    return {unit.id for force in war.forces.values() for unit in force.units}


def _state(rules: Rules, war: War) -> dict[str, Any]:
    return {
        "turn": war.turn,
        "panels": {
            str(at): {"kind": panel.kind, "owner": panel.owner, "facility": panel.facility}
            for at, panel in war.panels.items()
        },
        "factions": {
            name: {"name": side.name, "colour": side.colour, "bank": side.gold} for name, side in war.factions.items()
        },
        "forces": {name: _force(rules, war, name) for name in war.forces},
        "battles": [_battle(war, at) for at in war.battles],
        "players": {
            name: {"faction": player.faction, "rank": player.rank, "rogue": player.faction is None}
            for name, player in war.players.items()
        },
        "answers": dict(war.answers),
    }


def _force(rules: Rules, war: War, name: str) -> dict[str, Any]:
    force = war.forces[name]
    units = [
        {"id": unit.id, "type": unit.model, "kills": unit.kills, "ace": ace_level(rules.terms, unit.kills)}
        for unit in force.units
    ]
    shown = {key: getattr(force, key) for key in ("kind", "faction", "moved", "tagged", "fought", "won")}
    return {**shown, "at": str(force.at), "units": units}


def _battle(war: War, at: Any) -> dict[str, Any]:  # noqa: ANN401 - a panel
    fight = war.battles[at].fight
    units: Mapping[str, Any] = {
        name: {"tile": str(unit.at), "moved": unit.moved, "attacked": unit.attacked, "fired": unit.fired}
        for name, unit in fight.units.items()
    }
    return {"at": str(at), "turn": fight.turn, "units": units}
