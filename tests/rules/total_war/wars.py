"""Wars of the shipped example for tests."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war.actions import resolve
from rules.books.total_war.aftermath import FightAction
from rules.books.total_war.catalog import Refused, set_switches
from rules.books.total_war.combat import Die
from rules.books.total_war.course import add_player
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.orders.command import Assign, Rogue
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.storage import SCENARIO, WAR, Values, begin_war, list_changes, read, store_scenario
from rules.books.total_war.war import Rules, War, WarAction
from rules.documents import Document
from rules.geometry import Hex
from tests.answers.random_play import Chance, OrderAction
from tests.answers.war_games import Game
from tests.rules.total_war.asking import BOOK

COLONY, SPECIAL, MINE = Hex(1, -3), Hex(0, -3), Hex(2, -2)


def rules(change: Callable[[dict[str, Any]], object] | None = None) -> Rules:
    """Return the example's rules, changed."""
    data = copy.deepcopy(example().data)
    if change is not None:
        change(data)
    scenario = read_scenario(BOOK, Document("war.toml", "", data)).scenario
    return Rules(set_switches(BOOK, scenario.switches), scenario)


RULES = rules()
FOG = rules(lambda data: data["scenario"].update(fog="near", sight=1))


def start_war(by: Rules = RULES) -> War:
    """Begin the war with two players per faction."""
    war = begin_war(by)
    for name, faction in (("Ann", "E"), ("Bob", "E"), ("Cid", "Z"), ("Dan", "Z")):
        war = add_player(by, war, name, faction)
    return war


def seeds(many: int) -> list[Any]:
    """List seeds; only the first is fast."""
    return [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, many))]


def reread(war: War, by: Rules = RULES) -> War:
    """Store and read a war."""
    return read(BOOK, enter(store_start(by), war))[1]


def store_start(by: Rules = RULES) -> dict[str, Any]:
    """Store the start of a war."""
    return {WAR: {"name": "First days", "turn": 1}, SCENARIO: store_scenario(by.scenario, str(hash(str(by.scenario))))}


def enter(values: Values, war: War) -> dict[str, Any]:
    """Store a war as a ledger returns it."""
    then = {**values, **{name: value for _, name, value in list_changes(BOOK, values, war)}}
    return {name: json.loads(json.dumps(value)) for name, value in then.items() if value is not None}


def unthrown(_die: Die) -> int:
    """Fail."""
    raise AssertionError


def after(war: War, *given: WarAction, by: Rules = RULES) -> War:
    """Return the war after orders."""
    for action in given:
        war = resolve(by, war, action, unthrown)
    return war


def find_code(war: War, action: WarAction, by: Rules = RULES) -> str:
    """Return a refused order's code."""
    with pytest.raises(Refused) as caught:
        after(war, action, by=by)
    return caught.value.code


def go_rogue() -> War:
    """Let Bob go rogue with a squadron next to the colony."""
    given = Assign(actor="Ann", who="11th Squadron", player="Bob")
    return after(start_war(), given, Rogue(actor="Bob", player="Bob"))


def attack_colony() -> War:
    """Then let him attack the colony."""
    return after(go_rogue(), MoveForce(actor="Bob", who="11th Squadron", path=("N",)))


def win_colony() -> War:
    """Then let its garrison withdraw, so that he founds R1."""
    return after(attack_colony(), FightAction(at=COLONY, order=Withdraw("E")))


def meet_fleet(**enemy: object) -> War:
    """Let Zeon's 2nd Fleet attack the 11th Squadron on 1,-2."""
    war = start_war()
    placed = replace(war.forces["2nd Fleet"], at=Hex(1, -1), **enemy)
    war = war.with_forces(placed)
    return after(war, MoveForce(actor="Cid", who="2nd Fleet", path=("N",)))


def play_game(seed: int, turns: int, by: Rules = RULES) -> Iterator[tuple[War, OrderAction, War]]:
    """Play a random game; yield each order between its wars."""
    game = Game(by, Chance(seed), None, restarts=False)
    before = game.war
    for action in game.play(turns):
        yield before, action, game.war
        before = game.war
