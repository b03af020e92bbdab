"""The line about a whole game: the shipped example, played at random or over again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from rules.books.total_war import actions, course, storage
from rules.books.total_war.actions import resolve
from rules.books.total_war.battles import ace_level
from rules.books.total_war.combat import Die, no_die
from rules.books.total_war.course import add_player
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.storage import begin_war, store_scenario
from rules.books.total_war.terms import Refused, Terms, set_switches
from rules.books.total_war.war import Rules, War, WarAction
from tests.answers.lines import Answer, BadLine, Count
from tests.answers.random_play import Chance, Maker, next_deed, turn_of

PLAYERS = (("Ann", 0), ("Bob", 0), ("Cid", 1), ("Dan", 1))
"""Who plays, and in which of the scenario's factions."""


class Game:
    """A war that is played, with the orders and dice so far and what was gained and lost."""

    def __init__(self, rules: Rules, chance: Chance, dice: Iterable[tuple[int, int]] | None, *, restarts: bool) -> None:
        """Begin the war of the scenario."""
        factions = [*rules.scenario.factions]
        self.rules, self.war = rules, begin_war(rules)
        for name, place in PLAYERS:
            self.war = add_player(rules, self.war, name, factions[place])
        self.chance, self.restarts = chance, restarts
        header, title = {"name": rules.scenario.title, "turn": self.war.turn}, rules.scenario.id
        self.kept: dict[str, Any] = {storage.WAR: header, storage.SCENARIO: store_scenario(rules.scenario, title)}
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

    def order(self, deed: WarAction) -> None:
        """Resolve an order, and count what it brings."""
        before, self.war = self.war, resolve(self.rules, self.war, deed, self.throw)
        if self.restarts and self._reread() != self.war:
            raise RuntimeError(f"the state after {deed!r} isn't read correctly")
        self.orders.append(msgspec.to_builtins(deed))
        self.played += isinstance(deed, course.Advance)
        had, have = _units(before), _units(self.war)
        self.units["gained"] += len(have - had)
        self.units["lost"] += len(had - have)
        for name in {*before.factions, *self.war.factions}:
            was, now = (war.factions[name].gold if name in war.factions else 0 for war in (before, self.war))
            book = self.gold.setdefault(name, {"start": 0, "gained": 0, "spent": 0})
            book["gained" if now > was else "spent"] += abs(now - was)

    def _reread(self) -> War:
        """Return the war as the bot reads it once what has changed is kept.

        The game doesn't go on with it: its parts come in another order, so chance would choose differently.
        """
        for _, name, value in storage.list_changes(self.rules.terms.book, self.kept, self.war):
            self.kept[name] = json.loads(json.dumps(value))
        self.kept = {name: value for name, value in self.kept.items() if value is not None}
        return storage.read(self.rules.terms.book, self.kept)[1]

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
    """Play a game at random by a seed, or as an earlier one was, by its orders and dice.

    With `restart`, what the bot keeps is read again after each order, and has to be the war as it is.
    """
    scenario = read_scenario(terms.book, example()).scenario
    rules = Rules(set_switches(terms.book, {**scenario.switches, **terms.switches}), scenario)
    if (orders is None) != (dice is None):
        raise BadLine("write orders and dice together, or neither")
    game = Game(rules, Chance(seed), dice, restarts=restart)
    for given in (orders or ())[:limit]:
        game.order(msgspec.convert(given, actions.OrderAction))
    if orders is None:
        _play(game, turns, limit)
    return game.describe()


def is_allowed(rules: Rules, war: War, made: WarAction) -> bool:
    """Return whether an order is possible now; outside of battles none throws a die."""
    try:
        resolve(rules, war, made, no_die)
    except Refused:
        return False
    return True


def _play(game: Game, turns: int, limit: int | None) -> None:
    waiting: list[Maker] = turn_of(game.chance, game.war)
    while game.played < turns and game.war.winner is None and (limit is None or len(game.orders) < limit):
        deed = next_deed(game.chance, game.rules, game.war, waiting, is_allowed)
        game.order(deed)
        if isinstance(deed, course.Advance):
            waiting = turn_of(game.chance, game.war)


def _units(war: War) -> set[str]:
    return {unit.id for force in war.forces.values() for unit in force.units}


def _state(rules: Rules, war: War) -> dict[str, Any]:
    """Return a war in the words of the answer."""
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
