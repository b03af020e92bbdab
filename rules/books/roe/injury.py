"""What a strike does to whoever it hits: HP, going down and the saving roll, and what criticals cost (lines 37, 88, 105, 106, 168 to 174)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.book import Book
from rules.books.roe.bonuses import told_bonuses
from rules.books.roe.catalog import Option
from rules.books.roe.contests import ACTOR, RESISTER
from rules.books.roe.criticals import LOST
from rules.books.roe.damage import Blow
from rules.books.roe.health import out_by
from rules.books.roe.lasting_rules import befalling
from rules.books.roe.turn_catalog import Timer
from rules.books.roe.wounds import in_need, strikes_down
from rules.dice import Dice, Roll
from rules.facts import JsonObject
from rules.modifiers import WeighedModifier
from rules.procedure import Part, Stage, Step, Throw
from rules.stages import roll_stage, weigh_stage
from rules.tables import Consequence, Source

SAVING = "roe.check.mortal"
WOUND = "wounded"
"""The timer of whoever goes down."""
_PAGE = Source("roe-7th-edition-dice", "Steps of a Combat Turn")
_DAMAGE_LINE, _DR_LINE = 105, 106


def harm(book: Book, hp: int, done: Blow, *, mortal: bool) -> JsonObject:
    """Return what a blow does to so many HP, as JSON has it; one that can be `mortal` may call for a saving roll."""
    return {
        "before_dr": done.before_dr,
        "dr": done.dr,
        "damage": done.damage,
        "hp": max(0, hp - done.damage),
        "wounded": strikes_down(hp, done.damage),
        "mortal_save": in_need(book, hp, done.damage, mortal=mortal),
    }


def throws(
    hp: int, rolls: Sequence[Roll], done: Blow, printed: int = 0, bonuses: Sequence[WeighedModifier] = ()
) -> tuple[Throw, ...]:
    """Return damage with what is added to it and reduces it, and HP, as they are told; `printed` is what is printed beside the dice and no modifier."""
    dice, fell = done.dice - printed, sum(roll.total for roll in rolls)
    told = f"{dice}{' doubled' if dice > fell else ' halved' if dice < fell else ''}"
    told += "".join(f" {more:+}" for more in (printed, done.mod) if more)
    told += f" = {done.before_dr}" if printed or done.mod else ""
    told += f", less {done.dr} DR = {done.damage}" if done.dr else ""
    added = told_bonuses(bonuses)
    told += f" ({added})" if added else ""
    return (
        Throw("Damage", told, tuple(rolls), _PAGE, _DAMAGE_LINE),
        Throw("HP", f"{hp} less {done.damage} = {max(0, hp - done.damage)}", (), _PAGE, _DR_LINE),
    )


def saving(record: JsonObject, part: Part, book: Book, dice: Dice) -> tuple[Step, ...]:
    """Throw the saving roll of whoever is in need of one (line 174); of vehicles and pets none is."""
    return (checked(SAVING, part, book, dice),) if record["mortal_save"] and not out_by(part, RESISTER) else ()


def checked(table: str, part: Part, book: Book, dice: Dice) -> Step:
    """Throw a die of the target's that nothing is added to."""
    alone = Part(table, {ACTOR: part.subjects[RESISTER]})
    return roll_stage(weigh_stage(Stage(book.table(table)), alone, first=False), dice)


def befallen(record: JsonObject, part: Part, book: Book, saved: Sequence[Step] = ()) -> Iterator[Consequence]:
    """Yield what befalls both sides of a strike: its effects, what criticals cost, wounds."""
    for name in record["effects"]:
        yield from befalling(book, part, RESISTER, name)
    for role, lost in ((ACTOR, record["actor_loses"]), (RESISTER, record["resister_loses"])):
        if lost in LOST:
            yield Consequence(LOST[lost], role)
    if record["wounded"]:
        yield wound_of(book, part, RESISTER)
    if any(step.row.outcome == "failure" for step in saved):
        yield Consequence("wound-mortally", RESISTER)


def wound_of(book: Book, part: Part, role: str) -> Consequence:
    """Return what it is to go down: for how many hours, by the racial option (lines 168 and 71), of what is no person out of the fight."""
    if (out := out_by(part, role)) is not None:
        return Consequence(out, role)
    rule = book.listed(Timer)[WOUND].rule
    options = (item for item in book.listed(Option).values() if f"{role}.option.{item.id}" in part.facts)
    hours = (int(item.rules[rule]) for item in options if rule and rule in item.rules)
    return Consequence("wound", role, next(hours, None))
