"""Hit points and wounds, the saving roll (lines 37, 88, 105, 106, 168 to 178), and loot and captivity of whoever is down (lines 462 to 496)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rules.book import Book
from rules.books.campaign.captivity import CAPTIVE, Captivity, begin_captivity, end_captivity
from rules.books.roe.catalog import ACTOR, RESISTER, Option, find_rule
from rules.books.roe.characters import find_racial_number
from rules.books.roe.damage import LOST, DamageTotal, describe_bonuses
from rules.books.roe.turns import SINCE, Timer, apply_lasting
from rules.dice import Dice, Roll
from rules.effects import EFFECT, AppliedConsequence, Change, ConsequenceRule
from rules.ends import Moment, holds
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


LOOTED = "looted"
"""The name under which it is kept who has looted somebody: `by` (numbers) since a Wound, an entry, and since when as a captive."""
WOUNDED = f"{EFFECT}wounded"
NAMES = frozenset({CAPTIVE, LOOTED, WOUNDED})
"""The names of all values by which these facts are told."""
Values = Mapping[str, Any]
"""What is kept of somebody, by name."""
HANGING: Mapping[str, tuple[str, ...]] = {
    CAPTIVE: (f"{EFFECT}escape-",),
    WOUNDED: (LOOTED,),
    f"{EFFECT}cuffed": (f"{EFFECT}lock-tried",),
}
"""How the names begin of what is nothing without what has begun under a name."""
OVER = tuple(EFFECT + trait for trait in ("cuffed", "lock-tried", "escape-", "hidden-stacks"))
"""How the names begin of what ends with a captivity; what is left of tries to escape ends where one begins, too."""


class RollSubject(NamedTuple):
    """Somebody in a roll, by number, and what is kept of that one."""

    number: int
    kept: Values


def list_facts(
    actor: RollSubject, resister: RollSubject | None, moment: Moment, hours: float, *, led: bool = False
) -> frozenset[str]:
    """Return the facts of loot and captivity of two in a roll; a captive is held for so many `hours` at least.

    Of a Wound that no attack has kept, as in a free-form fight, whoever leads the roll says who landed the final blow.
    """
    found: set[str] = set()
    held = actor.kept.get(CAPTIVE)
    found |= {"actor.prisoner"} if held else set()
    if held is not None and moment.later(held["since"], hours) > moment.hence(0):
        found.add("actor.held-shortly")
    if resister is not None:
        wound, held = find_wound(resister.kept, moment), resister.kept.get(CAPTIVE)
        blow = wound.get("other") if wound else None
        found |= {"actor.victor"} if wound and (blow == actor.number or (blow is None and led)) else set()
        found |= {"actor.looted"} if actor.number in list_looters(resister.kept, moment) else set()
        found |= {"resister.prisoner"} if held else set()
        found |= {"actor.captor"} if held and held["by"] == actor.number else set()
        found |= {"resister.stripped"} if _is_stripped(resister.kept) else set()
    return frozenset(found)


def find_wound(kept: Values, moment: Moment) -> Values | None:
    """Return the Wounded period of somebody that still lasts; None where none does."""
    value: Values | None = kept.get(WOUNDED)
    return value if value is not None and holds(value, moment) else None


def list_looters(kept: Values, moment: Moment) -> tuple[int, ...]:
    """Return who (numbers) has looted, or searched, somebody since they are Wounded."""
    wound, looted = find_wound(kept, moment), kept.get(LOOTED)
    if wound is None or looted is None or looted["wound"] != _find_since(wound):
        return ()
    return tuple(looted["by"])


def _is_stripped(kept: Values) -> bool:
    """Tell whether something has been taken from a captive: in the fight that led to it, or since."""
    held, looted = kept.get(CAPTIVE), kept.get(LOOTED)
    return held is not None and looted is not None and looted.get("captive") == held["since"]


def _find_since(wound: Values) -> int:
    """Return the entry that a Wounded period began with, however often it was prolonged."""
    since: int = wound.get(SINCE, wound["entry"])
    return since


def _search(applied: AppliedConsequence) -> Iterator[Change]:
    """Note who has searched somebody Wounded; a vehicle is not."""
    wound = find_wound(applied.kept, applied.moment)
    if wound is None or applied.other is None:
        return
    taken = applied.consequence.do == "loot"
    before = applied.kept.get(LOOTED) or {}
    by = [*list_looters(applied.kept, applied.moment), applied.other]
    captivity = applied.kept.get(CAPTIVE)
    captive = captivity["since"] if taken and captivity else before.get("captive")
    since = _find_since(wound)
    taken = taken or (before.get("wound") == since and before.get("taken", False))
    noted = {"entry": applied.moment.entry, "wound": since, "by": by, "taken": taken}
    yield applied.name, LOOTED, noted | ({"captive": captive} if captive else {})


def _strip(applied: AppliedConsequence) -> Iterator[Change]:
    """Note that something has been taken from a captive."""
    captivity = applied.kept.get(CAPTIVE)
    if captivity is not None:
        before = applied.kept.get(LOOTED) or {"wound": None, "by": [], "taken": False}
        yield applied.name, LOOTED, {**before, "entry": applied.moment.entry, "captive": captivity["since"]}


def _detain(applied: AppliedConsequence) -> Iterator[Change]:
    """Let somebody be held by the other one in the roll, who is where they are held; what was looted in the fight counts."""
    if applied.other is None:
        return
    yield from _end(applied, HANGING[CAPTIVE])
    now, entry = applied.moment.hence(0), applied.moment.entry
    held = Captivity(by=applied.other, at=applied.other, since=now, entry=entry)
    yield from begin_captivity(applied.name, held)
    wound, looted = find_wound(applied.kept, applied.moment), applied.kept.get(LOOTED)
    if looted and wound and looted["taken"] and looted["wound"] == _find_since(wound):
        yield applied.name, LOOTED, {**looted, "entry": entry, "captive": now}


def _end(applied: AppliedConsequence, names: tuple[str, ...]) -> Iterator[Change]:
    """End what is kept under names that begin so."""
    yield from ((applied.name, name, None) for name in applied.kept if name.startswith(names))


def _break_out(applied: AppliedConsequence) -> Iterator[Change]:
    yield from _end(applied, OVER)
    yield from end_captivity(applied.name, "escaped", applied.moment.entry)


def _let_go(applied: AppliedConsequence) -> Iterator[Change]:
    yield from _end(applied, OVER)
    yield from end_captivity(applied.name, "released", applied.moment.entry)


SETTLES: Mapping[str, ConsequenceRule] = {
    "search": _search,
    "loot": _search,
    "strip": _strip,
    "detain": _detain,
    "break-out": _break_out,
    "release-captive": _let_go,
}
"""What deeds about loot and captivity change."""
