"""Hit points that are kept, going down, the saving roll, and what else a strike does (lines 37, 88, 105, 106, 168 to 178)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.book import Book
from rules.books.roe.catalog import Option, find_rule
from rules.books.roe.characters import find_racial_number
from rules.books.roe.damage import ACTOR, LOST, RESISTER, DamageTotal, describe_bonuses
from rules.books.roe.turns import Timer, apply_lasting
from rules.dice import Dice, Roll
from rules.effects import Change
from rules.errors import RollError
from rules.modifiers import JsonObject, WeighedModifier
from rules.procedure import Part, Stage, Step, Throw
from rules.stages import roll_stage, weigh_stage
from rules.tables import Consequence, Source

HEALTH = "health"
"""The name under which it is kept how many HP somebody has `lost`; nothing is where none are."""
_FULL = "hp"
OUT = {"vehicle": "wreck", "pet-level": "withdraw"}
"""The facts of what is no person, and the deed that takes it out of a fight when it has no HP left."""
_OVER = ("wrecked", "withdrawn")
"""The effects of that, until the fight is over."""
SAVING = "roe.check.mortal"
WOUND = "wounded"
"""The timer of whoever goes down."""
_PAGE = Source("roe-7th-edition-dice", "Steps of a Combat Turn")
_DAMAGE_LINE, _DR_LINE = 105, 106


class NoHp(RollError):
    """Nobody has said how many HP somebody has."""


def full_hp(part: Part, role: str) -> int:
    """Return the HP that whoever stands in a role has in full."""
    known = part.facts.get(f"{role}.{_FULL}")
    if known is None or not known.count:
        who = part.subjects.get(role, "The target")
        raise NoHp(f"{who}'s HP isn't set: /character edit, fields: hp: 30.")
    return known.count


def left_hp(part: Part, role: str) -> int:
    """Return the HP that are left to whoever stands in a role."""
    return max(0, full_hp(part, role) - lost_hp(part, role))


def lost_hp(part: Part, role: str) -> int:
    """Return how many HP whoever stands in a role has lost.

    A vehicle or pet without any is whole again once the fight is over (lines 502, 552).
    """
    kept = part.kept.get(part.subjects.get(role, ""), {}).get(HEALTH)
    lost = 0 if kept is None else int(kept["lost"])
    out = any(f"{role}.{trait}" in part.facts for trait in _OVER)
    return 0 if find_knockout(part, role) and not out and lost >= full_hp(part, role) else lost


def find_knockout(part: Part, role: str) -> str | None:
    """Return the deed that takes whoever stands in a role out of a fight without HP left; None of people, who are Wounded."""
    kinds = [deed for fact, deed in OUT.items() if f"{role}.{fact}" in part.facts]
    return kinds[0] if kinds and f"{role}.seated" not in part.facts else None


def with_hp(part: Part, role: str, left: int) -> Change:
    """Return what changes when so many HP are left to whoever stands in a role."""
    lost = full_hp(part, role) - left
    return part.subjects[role], HEALTH, {"lost": lost} if lost else None


def strikes_down(hp: int, damage: int) -> bool:
    """Return whether damage leaves none of so many HP; what does none strikes nobody down who is down already."""
    return damage >= max(hp, 1)


def needs_saving_roll(book: Book, hp: int, damage: int, *, mortal: bool = True) -> bool:
    """Return whether a strike calls for a saving roll: one that can be `mortal`, of at least twice the HP left (A24)."""
    return mortal and damage > 0 and damage >= book.number("mortal-factor") * hp


def halve_loss(book: Book, amount: int) -> int:
    """Return how much of an amount a Mortal Wound costs: half, rounded up.

    Raises:
        RollError: an amount below nought.

    """
    if amount < 0:
        raise RollError("The amount can't be below 0.")
    return -(-amount // book.number("give-part"))


def count_minutes(book: Book, timer: Timer, racial: str | None = None) -> int:
    """Return for how many minutes a timer runs, for somebody of a racial option."""
    number = book.number(timer.number)
    return timer.minutes * (number if timer.rule is None else find_racial_number(book, racial, timer.rule, number))


def record_harm(book: Book, hp: int, done: DamageTotal, *, mortal: bool) -> JsonObject:
    """Return what a blow does to so many HP, as JSON has it; one that can be `mortal` may call for a saving roll."""
    return {
        "before_dr": done.before_dr,
        "dr": done.dr,
        "damage": done.damage,
        "hp": max(0, hp - done.damage),
        "wounded": strikes_down(hp, done.damage),
        "mortal_save": needs_saving_roll(book, hp, done.damage, mortal=mortal),
    }


def describe_harm(damage: int, *, down: bool) -> str:
    """Return how much damage is done, and whether it strikes down."""
    return f"{damage} damage{'; down' if down else ''}"


def show_damage(
    hp: int, rolls: Sequence[Roll], done: DamageTotal, printed: int = 0, bonuses: Sequence[WeighedModifier] = ()
) -> tuple[Throw, ...]:
    """Return damage with what is added to it and reduces it, and HP, as they are told; `printed` is what is printed beside the dice and no modifier."""
    dice, fell = done.dice - printed, sum(roll.total for roll in rolls)
    told = f"{dice}{' doubled' if dice > fell else ' halved' if dice < fell else ''}"
    told += "".join(f" {more:+}" for more in (printed, done.mod) if more)
    told += f" = {done.before_dr}" if printed or done.mod else ""
    told += f", less {done.dr} DR = {done.damage}" if done.dr else ""
    added = describe_bonuses(bonuses)
    told += f" ({added})" if added else ""
    return (
        Throw("Damage", told, tuple(rolls), _PAGE, _DAMAGE_LINE),
        Throw("HP", f"{hp} less {done.damage} = {max(0, hp - done.damage)}", (), _PAGE, _DR_LINE),
    )


def throw_saving_roll(record: JsonObject, part: Part, book: Book, dice: Dice) -> tuple[Step, ...]:
    """Throw the saving roll of whoever is in need of one (line 174); of vehicles and pets none is."""
    due = record["mortal_save"] and not find_knockout(part, RESISTER)
    return (throw_check(SAVING, part, book, dice),) if due else ()


def throw_check(table: str, part: Part, book: Book, dice: Dice) -> Step:
    """Throw a die of the target's that nothing is added to."""
    alone = Part(table, {ACTOR: part.subjects[RESISTER]})
    return roll_stage(weigh_stage(Stage(book.table(table)), alone, first=False), dice)


def list_injuries(record: JsonObject, part: Part, book: Book, saved: Sequence[Step] = ()) -> Iterator[Consequence]:
    """Yield what befalls both sides of a strike: its effects, what criticals cost, wounds."""
    for name in record["effects"]:
        yield from apply_lasting(book, part, RESISTER, name)
    for role, lost in ((ACTOR, record["actor_loses"]), (RESISTER, record["resister_loses"])):
        if lost in LOST:
            yield Consequence(LOST[lost], role)
    if record["wounded"]:
        yield make_wound(book, part, RESISTER)
    if any(step.row.outcome == "failure" for step in saved):
        yield Consequence("wound-mortally", RESISTER)


def make_wound(book: Book, part: Part, role: str) -> Consequence:
    """Return what it is to go down: for how many hours, by the racial option (lines 168 and 71), of what is no person out of the fight."""
    if (out := find_knockout(part, role)) is not None:
        return Consequence(out, role)
    hours = find_rule(book.listed(Option), part.facts, role, book.listed(Timer)[WOUND].rule or "")
    return Consequence("wound", role, None if hours is None else int(hours))
