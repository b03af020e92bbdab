"""Battles of the example scenario, and rolls on their boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from rules.books.total_war import storage
from rules.books.total_war.battles import open_battle
from rules.books.total_war.catalog import Refused, set_switches
from rules.books.total_war.course import add_player
from rules.books.total_war.fight import Fight
from rules.books.total_war.scenario_file import example, read_scenario
from rules.books.total_war.storage import begin_war
from rules.books.total_war.war import Rules, War
from rules.dice import Dice, DiceTerm, Roll, ScriptedDice
from rules.effects import SCENE, Kept
from rules.geometry import Hex, Square
from rules.procedure import Chance, Part, PartResult, Request, Throw, with_changes
from rules.ruleset import resolve
from tests.rules.total_war.asking import BOOK


class Seeded(Random):
    """Seeded dice and decisions."""

    def roll(self, term: DiceTerm) -> Roll:
        """Return a face."""
        return Roll(term, (self.randint(1, term.sides),), "seeded")


SCENARIO = read_scenario(BOOK, example()).scenario
AT = Hex(0, 0)
FEDERATION, ZEON = "Amuro", "Char"


def rules_with(**switches: object) -> Rules:
    """Return the example's rules with other switches, fog or orders."""
    fields = {name: value for name, value in switches.items() if hasattr(SCENARIO, name)}
    others = {name.replace("_", "-"): value for name, value in switches.items() if name not in fields}
    scenario = replace(SCENARIO, **fields, switches={**SCENARIO.switches, **others})
    return Rules(set_switches(BOOK, scenario.switches), scenario)


def battle_war(
    rules: Rules, attackers: Sequence[str] = ("11th Squadron",), others: Sequence[str] = ("21st Squadron",)
) -> War:
    """Begin a battle of the Federation against Zeon on 0,0."""
    war = add_player(rules, add_player(rules, begin_war(rules), FEDERATION, "E"), ZEON, "Z")
    war = war.with_forces(*(replace(war.force(name), at=AT) for name in (*attackers, *others)))
    return open_battle(rules, war, AT, "E")


def on_board(war: War, **tiles: str | None) -> War:
    """Move units of the battle; None removes one."""
    battle = war.battles[AT]
    units = dict(battle.fight.units)
    for name, at in tiles.items():
        unit = units.pop(name)
        if at is not None:
            units[name] = replace(unit, at=Square.parse(at))
    fight = replace(battle.fight, units=units)
    return replace(war, battles={**war.battles, AT: replace(battle, fight=fight)})


def store_war(rules: Rules, war: War) -> Kept:
    """Return the stored war."""
    scenario = storage.store_scenario(rules.scenario, f"{hash(str(rules.scenario))}")
    values: dict[str, Any] = {storage.WAR: {"name": "First days", "turn": war.turn}, storage.SCENARIO: scenario}
    return with_changes({SCENE: values}, storage.list_changes(BOOK, values, war))


def make_part(kept: Kept, subjects: Mapping[str, str], **inputs: object) -> Part:
    """Return a part of a roll."""
    return Part("", subjects, inputs={"at": str(AT), **inputs}, kept=kept)


def roll_part(family: str, part: Part, dice: Dice | None = None) -> tuple[PartResult, Rules, War]:
    """Roll with exactly these dice; return the war too."""
    thrown = ScriptedDice(()) if dice is None else dice
    (result,) = resolve(Request(family, (part,)), BOOK, thrown).parts
    if isinstance(thrown, ScriptedDice):
        thrown.finish()
    rules, war = storage.read(BOOK, with_changes(part.kept, result.changes)[SCENE])
    return result, rules, war


def find_odds(family: str, part: Part) -> Sequence[Chance]:
    """Return a roll's chances."""
    return BOOK.procedure(family).method.odds(part, BOOK)


def find_lines(family: str, part: Part) -> Sequence[str]:
    """Return a roll's lines before the dice."""
    return BOOK.procedure(family).method.lines(part, BOOK)


def find_fight(war: War) -> Fight:
    """Return the fight on 0,0."""
    return war.battles[AT].fight


def find_text(result: PartResult) -> str:
    """Return a roll's text without its dice."""
    assert result.conclusion is not None
    others = [step.text for step in result.steps if isinstance(step, Throw) and not step.title]
    return "\n".join([result.conclusion.text, *others])


def list_dice(result: PartResult) -> list[tuple[str, str, int | None]]:
    """Return title, text and line of each die."""
    steps = [step for step in result.steps if isinstance(step, Throw)]
    return [(step.title, step.text, step.line) for step in steps if step.title]


def by_code(code: str) -> Callable[[Refused], bool]:
    """Return a check for a refusal's code."""
    return lambda refusal: refusal.code == code
