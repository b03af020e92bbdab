"""Wars of the shipped example for tests: as it begins, changed, and after orders."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war import actions
from rules.books.total_war.actions import OrderAction, resolve
from rules.books.total_war.combat import Die
from rules.books.total_war.course import add_player
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.storage import SCENARIO, WAR, begin_war, list_changes, read, store_scenario
from rules.books.total_war.terms import Refused, set_switches
from rules.books.total_war.war import Rules, War, WarAction
from rules.documents import Document
from rules.geometry import Hex
from tests.answers.random_play import Chance, next_deed, turn_of
from tests.answers.war_games import Game, is_allowed
from tests.rules.total_war.asking import BOOK

COLONY, SPECIAL, MINE = Hex(1, -3), Hex(0, -3), Hex(2, -2)


def rules(change: Callable[[dict[str, Any]], object] | None = None) -> Rules:
    """The rules of the example, changed."""
    data = copy.deepcopy(example().data)
    if change is not None:
        change(data)
    scenario = read_scenario(BOOK, Document("war.toml", "", data)).scenario
    return Rules(set_switches(BOOK, scenario.switches), scenario)


RULES = rules()


def started(by: Rules = RULES) -> War:
    """The war as it begins, with two players in each faction."""
    war = begin_war(by)
    for name, faction in (("Ann", "E"), ("Bob", "E"), ("Cid", "Z"), ("Dan", "Z")):
        war = add_player(by, war, name, faction)
    return war


def seeds(many: int) -> list[Any]:
    """List this many seeds for a test's games; the first one is for the fast tier."""
    return [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, many))]


def reread(war: War, by: Rules = RULES) -> War:
    """The war as it is read once it is kept."""
    scenario = store_scenario(by.scenario, str(hash(str(by.scenario))))
    values: dict[str, Any] = {WAR: {"name": "First days", "turn": 1}, SCENARIO: scenario}
    values |= {name: json.loads(json.dumps(value)) for _, name, value in list_changes(BOOK, values, war)}
    return read(BOOK, {name: value for name, value in values.items() if value is not None})[1]


def unthrown(_die: Die) -> int:
    """No die is thrown."""
    raise AssertionError


def after(war: War, *given: WarAction, by: Rules = RULES) -> War:
    """The war after orders."""
    for deed in given:
        war = resolve(by, war, deed, unthrown)
    return war


def code(war: War, deed: WarAction, by: Rules = RULES) -> str:
    """By which code an order is refused."""
    with pytest.raises(Refused) as caught:
        after(war, deed, by=by)
    return caught.value.code


def rogue() -> War:
    """A war in which Bob has gone rogue with a squadron beside the colony."""
    given = actions.Assign(actor="Ann", who="11th Squadron", player="Bob")
    return after(started(), given, actions.Rogue(actor="Bob", player="Bob"))


def attacked() -> War:
    """The same when he has attacked the colony."""
    return after(rogue(), actions.Move(actor="Bob", who="11th Squadron", path=("N",)))


def won() -> War:
    """The same when the garrison has withdrawn: his faction is R1."""
    return after(attacked(), actions.FightAction(at=COLONY, order=Withdraw("E")))


def met(**enemy: object) -> War:
    """A war in which the 2nd Fleet of Zeon has come upon the 11th Squadron on 1,-2."""
    war = started()
    placed = replace(war.forces["2nd Fleet"], at=Hex(1, -1), **enemy)
    war = war.with_forces(placed)
    return after(war, actions.Move(actor="Cid", who="2nd Fleet", path=("N",)))


def played(seed: int, turns: int, by: Rules = RULES) -> Iterator[tuple[War, OrderAction, War]]:
    """A game by chance: the war before each order, what is ordered, and the war after it."""
    game = Game(by, Chance(seed), None, restarts=False)
    waiting = turn_of(game.chance, game.war)
    while game.played < turns and game.war.winner is None:
        before, deed = game.war, next_deed(game.chance, by, game.war, waiting, is_allowed)
        if isinstance(deed, actions.Advance):
            waiting = turn_of(game.chance, game.war)
        game.order(deed)
        yield before, deed, game.war
