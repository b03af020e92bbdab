"""HP, wounds and saving rolls (lines 37, 88, 105, 106, 168 to 178), loot and captivity (lines 462 to 496)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from rules import errors, stages
from rules.book import Book
from rules.books.campaign.captivity import CAPTIVE, Captivity, CaptivityEnd, begin_captivity, end_captivity
from rules.books.roe.catalog import ACTOR, RESISTER, Option, find_rule
from rules.books.roe.characters import find_racial_number
from rules.books.roe.damage import LOST, DamageTotal, describe_bonuses
from rules.books.roe.turns import SINCE, Timer, apply_lasting
from rules.dice import Dice, Roll
from rules.effects import EFFECT, Change, Moment, is_current
from rules.modifiers import JsonObject, WeighedModifier
from rules.procedure import Part, Stage, Step, Throw
from rules.tables import AppliedConsequence, Consequence, ConsequenceRule, Source

HEALTH = "health"
"""The name of the value with a subject's `lost` HP; absent at full HP."""
_FULL = "hp"
OUT = {"vehicle": "wreck", "pet-level": "withdraw"}
"""Facts of vehicles and pets, and the consequence that takes them out of a fight."""
_OVER = ("wrecked", "withdrawn")
SAVING = "roe.check.mortal"
WOUND = "wounded"
_PAGE = Source("roe-7th-edition-dice", "Steps of a Combat Turn")
_DAMAGE_LINE, _DR_LINE = 105, 106


def full_hp(part: Part, role: str) -> int:
    """Return a role's full HP; raise RollError if none are saved."""
    known = part.facts.get(f"{role}.{_FULL}")
    if known is None or not known.count:
        who = part.subjects.get(role, "The target")
        raise errors.RollError(f"{who}'s HP isn't set: /roster edit, fields: hp: 30.")
    return known.count


def count_hp_left(part: Part, role: str) -> int:
    """Return a role's HP left, at least 0; raise RollError without full HP."""
    return max(0, full_hp(part, role) - count_hp_lost(part, role))


def count_hp_lost(part: Part, role: str) -> int:
    """Return a role's lost HP.

    Vehicles and pets are whole again after the fight (lines 502, 552).
    """
    kept = part.kept.get(part.subjects.get(role, ""), {}).get(HEALTH)
    lost = 0 if kept is None else int(kept["lost"])
    out = any(f"{role}.{trait}" in part.facts for trait in _OVER)
    return 0 if find_knockout(part, role) and not out and lost >= full_hp(part, role) else lost


def find_knockout(part: Part, role: str) -> str | None:
    """Return the consequence that takes a vehicle or pet out of a fight; None for people."""
    kinds = [knockout for fact, knockout in OUT.items() if f"{role}.{fact}" in part.facts]
    return kinds[0] if kinds and f"{role}.seated" not in part.facts else None


def with_hp(part: Part, role: str, left: int) -> Change:
    """Leave a role `left` HP."""
    lost = full_hp(part, role) - left
    return part.subjects[role], HEALTH, {"lost": lost} if lost else None


def strikes_down(hp: int, damage: int) -> bool:
    """Return whether damage takes the last HP; 0 damage never does."""
    return damage >= max(hp, 1)


def needs_saving_roll(book: Book, hp: int, damage: int, *, mortal: bool = True) -> bool:
    """Return whether `mortal` damage above 0 is at least twice the HP before it (A24)."""
    return mortal and damage > 0 and damage >= book.number("mortal-factor") * hp


def halve_loss(book: Book, amount: int) -> int:
    """Return half an amount, rounded up; refuse one below 0."""
    if amount < 0:
        raise errors.RollError("The amount can't be below 0.")
    return -(-amount // book.number("give-part"))


def count_minutes(book: Book, timer: Timer, racial: str | None = None) -> int:
    """Return a timer's minutes, which a racial option may change."""
    number = book.number(timer.number)
    return timer.minutes * (number if timer.rule is None else find_racial_number(book, racial, timer.rule, number))


def record_harm(book: Book, hp: int, done: DamageTotal, *, mortal: bool) -> JsonObject:
    """Return damage, HP left, and whether it wounds or needs a saving roll, as JSON."""
    return {
        "before_dr": done.before_dr,
        "dr": done.dr,
        "damage": done.damage,
        "hp": max(0, hp - done.damage),
        "wounded": strikes_down(hp, done.damage),
        "mortal_save": needs_saving_roll(book, hp, done.damage, mortal=mortal),
    }


def describe_harm(damage: int, *, down: bool) -> str:
    """Describe damage, and whether it strikes down."""
    return f"{damage} damage{'; down' if down else ''}"


def show_damage(
    hp: int, rolls: Sequence[Roll], done: DamageTotal, printed: int = 0, bonuses: Sequence[WeighedModifier] = ()
) -> tuple[Throw, ...]:
    """Return a line on damage and one on HP left; `printed` is the fixed number already in `done.dice`."""
    dice, fell = done.dice - printed, sum(roll.total for roll in rolls)
    text = f"{dice}{' doubled' if dice > fell else ' halved' if dice < fell else ''}"
    text += "".join(f" {more:+}" for more in (printed, done.mod) if more)
    text += f" = {done.before_dr}" if printed or done.mod else ""
    text += f", less {done.dr} DR = {done.damage}" if done.dr else ""
    added = describe_bonuses(bonuses)
    text += f" ({added})" if added else ""
    return (
        Throw("Damage", text, tuple(rolls), _PAGE, _DAMAGE_LINE),
        Throw("HP", f"{hp} less {done.damage} = {max(0, hp - done.damage)}", (), _PAGE, _DR_LINE),
    )


def throw_saving_roll(record: JsonObject, part: Part, book: Book, dice: Dice) -> tuple[Step, ...]:
    """Throw the target's saving roll if the record has one due (line 174)."""
    due = record["mortal_save"] and not find_knockout(part, RESISTER)
    return (throw_check(SAVING, part, book, dice),) if due else ()


def throw_check(table: str, part: Part, book: Book, dice: Dice) -> Step:
    """Throw the target's check on a table, without modifiers."""
    alone = Part(table, {ACTOR: part.subjects[RESISTER]})
    return stages.roll_stage(stages.weigh_stage(Stage(book.table(table)), alone, first=False), dice)


def list_injuries(record: JsonObject, part: Part, book: Book, saved: Sequence[Step] = ()) -> Iterator[Consequence]:
    """Yield what a strike does to both sides: effects, critical losses, wounds."""
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
    """Return the wound of going down, or the knockout of a vehicle or pet (lines 168 and 71)."""
    if (out := find_knockout(part, role)) is not None:
        return Consequence(out, role)
    hours = find_rule(book.entries_of(Option), part.facts, role, book.entries_of(Timer)[WOUND].rule or "")
    return Consequence("wound", role, None if hours is None else int(hours))


LOOTED = "looted"
"""The name of the value for who looted a subject: `by` (numbers), since a wound, an entry, or as a captive."""
WOUNDED = f"{EFFECT}wounded"
NAMES = frozenset({CAPTIVE, LOOTED, WOUNDED})
Values = Mapping[str, Any]
HANGING: Mapping[str, tuple[str, ...]] = {
    CAPTIVE: (f"{EFFECT}escape-",),
    WOUNDED: (LOOTED,),
    f"{EFFECT}cuffed": (f"{EFFECT}lock-tried",),
}
"""The prefixes of values that end with another value."""
OVER = tuple(EFFECT + trait for trait in ("cuffed", "lock-tried", "escape-", "hidden-stacks"))
"""The prefixes of values that end with a captivity."""


class RollSubject(NamedTuple):
    """A subject in a roll: number, and kept values."""

    number: int
    kept: Values


def list_facts(
    actor: RollSubject, resister: RollSubject | None, moment: Moment, hours: float, *, led: bool = False
) -> frozenset[str]:
    """Return the loot and captivity facts of a roll's actor and resister, if any.

    Captives must be held for `hours` at least. If a wound names no attacker, the actor is the victor in a roll that a game master leads (`led`).
    """
    found: set[str] = set()
    held = actor.kept.get(CAPTIVE)
    found |= {"actor.prisoner"} if held else set()
    if held is not None and moment.later(held["since"], hours) > moment.hence(0):
        found.add("actor.held-shortly")
    if resister is not None:
        wound, held = _find_wound(resister.kept, moment), resister.kept.get(CAPTIVE)
        blow = wound.get("other") if wound else None
        found |= {"actor.victor"} if wound and (blow == actor.number or (blow is None and led)) else set()
        found |= {"actor.looted"} if actor.number in _list_looters(resister.kept, moment) else set()
        found |= {"resister.prisoner"} if held else set()
        found |= {"actor.captor"} if held and held["by"] == actor.number else set()
        looted = resister.kept.get(LOOTED)
        found |= {"resister.stripped"} if held and looted and looted.get("captive") == held["since"] else set()
    return frozenset(found)


def _find_wound(kept: Values, moment: Moment) -> Values | None:
    value: Values | None = kept.get(WOUNDED)
    return value if value is not None and is_current(value, moment) else None


def _list_looters(kept: Values, moment: Moment) -> tuple[int, ...]:
    wound, looted = _find_wound(kept, moment), kept.get(LOOTED)
    if wound is None or looted is None or looted["wound"] != _find_since(wound):
        return ()
    return tuple(looted["by"])


def _find_since(wound: Values) -> int:
    since: int = wound.get(SINCE, wound["entry"])
    return since


def _search(applied: AppliedConsequence) -> Iterator[Change]:
    wound = _find_wound(applied.kept, applied.moment)
    if wound is None or applied.other is None:
        return
    taken = applied.consequence.do == "loot"
    before = applied.kept.get(LOOTED) or {}
    by = [*_list_looters(applied.kept, applied.moment), applied.other]
    captivity = applied.kept.get(CAPTIVE)
    captive = captivity["since"] if taken and captivity else before.get("captive")
    since = _find_since(wound)
    taken = taken or (before.get("wound") == since and before.get("taken", False))
    noted = {"entry": applied.moment.entry, "wound": since, "by": by, "taken": taken}
    yield applied.name, LOOTED, noted | ({"captive": captive} if captive else {})


def _strip(applied: AppliedConsequence) -> Iterator[Change]:
    captivity = applied.kept.get(CAPTIVE)
    if captivity is not None:
        before = applied.kept.get(LOOTED) or {"wound": None, "by": [], "taken": False}
        yield applied.name, LOOTED, {**before, "entry": applied.moment.entry, "captive": captivity["since"]}


def _detain(applied: AppliedConsequence) -> Iterator[Change]:
    if applied.other is None:
        return
    yield from _end(applied, HANGING[CAPTIVE])
    now, entry = applied.moment.hence(0), applied.moment.entry
    held = Captivity(by=applied.other, at=applied.other, since=now, entry=entry)
    yield from begin_captivity(applied.name, held)
    wound, looted = _find_wound(applied.kept, applied.moment), applied.kept.get(LOOTED)
    if looted and wound and looted["taken"] and looted["wound"] == _find_since(wound):
        yield applied.name, LOOTED, {**looted, "entry": entry, "captive": now}


def _end(applied: AppliedConsequence, names: tuple[str, ...]) -> Iterator[Change]:
    yield from ((applied.name, name, None) for name in applied.kept if name.startswith(names))


def _set_free(fate: CaptivityEnd, applied: AppliedConsequence) -> Iterator[Change]:
    yield from _end(applied, OVER)
    yield from end_captivity(applied.name, fate, applied.moment.entry)


SETTLES: Mapping[str, ConsequenceRule] = {
    "search": _search,
    "loot": _search,
    "strip": _strip,
    "detain": _detain,
    "break-out": partial(_set_free, "escaped"),
    "release-captive": partial(_set_free, "released"),
}
