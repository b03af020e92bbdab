"""Battles of the example scenario as the scene of a war keeps them, and rolls on their boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from rules.books.total_war import storage
from rules.books.total_war.battles import open_battle
from rules.books.total_war.course import add_player
from rules.books.total_war.fight import Fight
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.storage import begin_war
from rules.books.total_war.terms import Refused, set_switches
from rules.books.total_war.war import Rules, War
from rules.dice import Dice, ScriptedDice
from rules.effects import SCENE, Kept, with_changes
from rules.geometry import Hex, Square
from rules.procedure import Chance, Part, PartResult, Request, Throw
from rules.ruleset import resolve
from tests.rules.total_war.asking import BOOK

SCENARIO = read_scenario(BOOK, example()).scenario
AT = Hex(0, 0)
FEDERATION, ZEON = "Amuro", "Char"
"""The callsigns of those who lead the two factions."""


def rules_with(**switches: object) -> Rules:
    """The rules of the example, with other switches, fog or orders."""
    fields = {name: value for name, value in switches.items() if hasattr(SCENARIO, name)}
    others = {name.replace("_", "-"): value for name, value in switches.items() if name not in fields}
    scenario = replace(SCENARIO, **fields, switches={**SCENARIO.switches, **others})
    return Rules(set_switches(BOOK, scenario.switches), scenario)


def battle_war(
    rules: Rules, attackers: Sequence[str] = ("11th Squadron",), others: Sequence[str] = ("21st Squadron",)
) -> War:
    """A war in which forces of the Federation have attacked some of Zeon on 0,0."""
    war = add_player(rules, add_player(rules, begin_war(rules), FEDERATION, "E"), ZEON, "Z")
    war = war.with_forces(*(replace(war.force(name), at=AT) for name in (*attackers, *others)))
    return open_battle(rules, war, AT, "E")


def on_board(war: War, **tiles: str | None) -> War:
    """The war with units of its battle on other tiles; None takes one off the board."""
    battle = war.battles[AT]
    units = dict(battle.fight.units)
    for name, at in tiles.items():
        unit = units.pop(name)
        if at is not None:
            units[name] = replace(unit, at=Square.parse(at))
    fight = replace(battle.fight, units=units)
    return replace(war, battles={**war.battles, AT: replace(battle, fight=fight)})


def kept_of(rules: Rules, war: War) -> Kept:
    """What the scene of a war keeps of it."""
    scenario = storage.store_scenario(rules.scenario, f"{hash(str(rules.scenario))}")
    values: dict[str, Any] = {storage.WAR: {"name": "First days", "turn": war.turn}, storage.SCENARIO: scenario}
    return with_changes({SCENE: values}, storage.list_changes(BOOK, values, war))


def part_of(kept: Kept, subjects: Mapping[str, str], **inputs: object) -> Part:
    """One part of a roll in a war."""
    return Part("", subjects, inputs={"at": str(AT), **inputs}, kept=kept)


def rolled(family: str, part: Part, dice: Dice | None = None) -> tuple[PartResult, Rules, War]:
    """A roll, and the war after it; each die that was written down has fallen."""
    thrown = ScriptedDice(()) if dice is None else dice
    (result,) = resolve(Request(family, (part,)), BOOK, thrown).parts
    if isinstance(thrown, ScriptedDice):
        thrown.finish()
    rules, war = storage.read(BOOK, with_changes(part.kept, result.changes)[SCENE])
    return result, rules, war


def odds_of(family: str, part: Part) -> Sequence[Chance]:
    """What a roll can come to."""
    return BOOK.procedure(family).method.odds(part, BOOK)


def lines_of(family: str, part: Part) -> Sequence[str]:
    """What is told before the dice of a roll."""
    return BOOK.procedure(family).method.lines(part, BOOK)


def fight_of(war: War) -> Fight:
    """The fight on 0,0."""
    return war.battles[AT].fight


def text_of(result: PartResult) -> str:
    """All that is told of a roll, line by line, but for its dice."""
    assert result.conclusion is not None
    others = [step.text for step in result.steps if isinstance(step, Throw) and not step.title]
    return "\n".join([result.conclusion.text, *others])


def thrown(result: PartResult) -> list[tuple[str, str, int | None]]:
    """The steps of a roll's dice: title, text and line."""
    steps = [step for step in result.steps if isinstance(step, Throw)]
    return [(step.title, step.text, step.line) for step in steps if step.title]


def by_code(code: str) -> Callable[[Refused], bool]:
    """A check of a refusal: whether it is by this code."""
    return lambda refusal: refusal.code == code
