"""Values of the RoE book: sums, characters, conditions, stacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from bot.cli.questions import Op, Question
from bot.cli.roe.questions import words
from rules.books.roe import characters
from rules.books.roe.conditions import Light, Posture, Surroundings, conditions, night_penalty
from rules.books.roe.sums import Served, add_up
from rules.books.roe.things import stack_sides
from rules.ruleset import RuleSet


class SumQuestion(Question, frozen=True):
    """Modifiers, the roll that they are for, the game master's own, and whether it is rolled out of a vehicle."""

    mods: tuple[int | Served, ...]
    roll: str | None = None
    gm: int = 0
    seat: bool = False


class Slots(Question, frozen=True):
    """How many things are in the slots."""

    cybernetics: int = 0
    implants: int = 0
    magika: int = 0


class CharacterQuestion(Question, frozen=True):
    """Height, size class, racial options, slots, and what is attached to a weapon."""

    feet: float | None = None
    size: str | None = None
    racials: tuple[str, ...] | None = None
    slots: Slots | None = None
    attachments: tuple[str, ...] = ()


class Start(Question, frozen=True):
    """How it was when the fight began."""

    light: Light | None = None
    weather: int | None = None


class ConditionsQuestion(Question, frozen=True):
    """Who somebody is, the light and weather, how they stand and are attacked, and what is in between."""

    size: str | None = None
    racial: str | None = None
    light: Light | None = None
    weather: int = 0
    start: Start = Start()
    stance: str | None = None
    moved: bool = False
    against: Literal["melee", "ranged"] | None = None
    object_m: float | None = None
    ally_in_line: bool = False
    sight: Literal["partial"] | None = None
    seat: bool = False


class StackQuestion(Question, frozen=True):
    """How many things lie in a stack."""

    size: int


def total(asked: SumQuestion, book: RuleSet) -> dict[str, int]:
    """Return what modifiers come to, before and after the cap."""
    added = add_up(book, asked.mods, asked.roll, asked.gm, seated=asked.seat)
    return {"raw": added.raw, "applied": added.applied}


def character(asked: CharacterQuestion, book: RuleSet) -> dict[str, Any]:
    """Return the size classes of a height, and the race and effects of a racial option."""
    answered: dict[str, Any] = {}
    racial: str | None = None
    if asked.racials is not None:
        option = characters.only_option(book, asked.racials)
        racial = option.label
        answered |= {"race": option.race, "effects": words(characters.changes(book, option))}
    if asked.feet is not None:
        answered["sizes"] = characters.sizes_of(book, asked.feet)
        answered["needs_approval"] = characters.needs_approval(book, asked.feet)
    if asked.size is not None:
        characters.check_size(book, asked.size, asked.feet)
    if (slots := asked.slots) is not None:
        characters.check_slots(book, slots.cybernetics, slots.implants, slots.magika, racial=racial)
    characters.check_attachments(book, asked.attachments)
    return answered


def around(asked: ConditionsQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what size, light, weather, stance and cover add."""
    start = asked.start
    weather = asked.weather if start.weather is None else start.weather
    at = Surroundings(start.light or asked.light, weather)
    posture = Posture(
        stance=asked.stance,
        moved=asked.moved,
        against=asked.against,
        object_m=asked.object_m,
        ally_in_line=asked.ally_in_line,
        partial_sight=asked.sight is not None,
        seated=asked.seat,
    )
    return {
        "modifiers": words(conditions(book, at, posture, asked.size, asked.racial)),
        "light": at.light,
        "night_penalty": night_penalty(book, asked.racial, at.light),
    }


def stack(asked: StackQuestion, book: RuleSet) -> dict[str, int]:
    """Return the sides of the die for the amount taken."""
    return {"sides": stack_sides(book, asked.size)}


OPS: Mapping[str, Op] = {
    "sum": Op(SumQuestion, total),
    "character": Op(CharacterQuestion, character),
    "conditions": Op(ConditionsQuestion, around),
    "stack": Op(StackQuestion, stack),
}
