"""The start of a turn: what lasts takes its HP, less damage reduction once, and HP come back (lines 43, 100, 447 to 459)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rules.book import Book
from rules.books.roe.allowances import ACTOR, TURN, TURN_START, begin
from rules.books.roe.arsenal import fighter, with_marks
from rules.books.roe.health import HEALTH, left_hp, lost_hp, with_hp
from rules.books.roe.injury import wound_of
from rules.books.roe.lasting import damages
from rules.books.roe.lasting_rules import wounded
from rules.books.roe.marks import IN_ZONE, STARTED, UNREAD
from rules.books.roe.sides import score_of, true_facts
from rules.books.roe.turn_catalog import Lasting
from rules.books.roe.zones import dosed, harming
from rules.dice import Dice, DiceTerm, Roll
from rules.effects import EFFECT, SCENE, Change
from rules.procedure import Conclusion, MethodResult, Part, Policy, Procedure, ResolutionMethod, Throw
from rules.scenes import MEMBER
from rules.tables import Source

_HP, _BACK, _DR = f"{ACTOR}.hp", "hp-per-round", "dr"
_DOWN = "wounded"


class Tick(Struct, frozen=True):
    """What one of the lasting ones takes: what it is, as it is told, by which dice, and how much."""

    entry: Lasting
    text: str
    rolls: tuple[Roll, ...]
    damage: int


def standing(book: Book, part: Part) -> list[tuple[Lasting, int]]:
    """Return which of the lasting ones take HP of whoever begins a turn, each with its stacks."""
    kept = part.kept.get(part.subjects[ACTOR], {})
    ticking = (item for item in book.listed(Lasting).values() if item.effect and item.takes)
    return [
        (item, min(item.most_stacks, value.get("amount") or 1))
        for item in ticking
        if (value := kept.get(f"{EFFECT}{item.effect}")) is not None
    ]


class StartMethod(ResolutionMethod):
    """The method of the start of a turn; by its `TURN` nobody has one start of it twice."""

    keeps = (HEALTH, MEMBER, EFFECT)
    skips = UNREAD

    def check(self, part: Part, _book: Book) -> None:
        """Refuse where nobody has said how many HP there are."""
        left_hp(part, ACTOR)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what befalls, as a line each: nothing where nobody has said how many HP there are, or none are left."""
        if _HP not in part.facts or not left_hp(part, ACTOR):
            return ()
        ticks = [f"{entry.label}: {_harm(entry, stacks)} HP" for entry, stacks in standing(book, part)]
        zone = harming(part)
        ticks += [f"{book.listed(Lasting)[IN_ZONE].label}: {zone.words} HP"] if zone else []
        back = min(lost_hp(part, ACTOR), score_of(book, _BACK, part.facts))
        return [*ticks, *([f"{book.scores[_BACK].label}: {back} HP back"] if back > 0 else [])]

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Take what lasts, then let HP come back to whoever is still up."""
        armour = score_of(book, _DR, part.facts)
        ticks = [_tick(entry, stacks, armour, dice) for entry, stacks in standing(book, part)]
        ticks += [*_zone(part, book, dice)]
        before, taken = left_hp(part, ACTOR), sum(tick.damage for tick in ticks)
        after = max(0, before - taken)
        back = min(lost_hp(part, ACTOR) + before - after, score_of(book, _BACK, part.facts)) if after else 0
        down = not after
        text = ", ".join([*([f"{taken} damage"] if ticks else []), *([f"{back} HP back"] if back else [])])
        told = f"{text}; down" if down else text
        throws = [_throw(tick, book) for tick in ticks]
        if back:
            score = book.scores[_BACK]
            throws.append(Throw(score.label, f"{back} HP", source=Source(book.source, score.label), line=score.line))
        conclusion = Conclusion("up", told or "Nothing", "neutral", "results")
        if down:
            conclusion = Conclusion(_DOWN, told, "failure", "results", (wound_of(book, part, ACTOR),))
        record = {"taken": taken, "back": back, "hp": after + back, "wounded": down}
        return MethodResult((*throws,), conclusion, record, (*_changes(book, part, after + back, told),))


def _harm(entry: Lasting, stacks: int) -> str:
    return f"{stacks}d{entry.die}" if entry.die else str(entry.amount)


def _tick(entry: Lasting, stacks: int, armour: int, dice: Dice) -> Tick:
    roll = dice.roll(DiceTerm(stacks, entry.die)) if entry.die else None
    (damage,) = damages(entry, [stacks], [roll.faces] if roll else [], armour)
    reduced = armour if roll is not None and entry.reduced else 0
    return Tick(entry, _less(roll.total if roll else damage, reduced, damage), (roll,) if roll else (), damage)


def _zone(part: Part, book: Book, dice: Dice) -> Iterator[Tick]:
    """Yield what the zone takes in which one begins the turn (line 437)."""
    charge = harming(part)
    if charge is not None:
        rolls, done = dosed(charge, part, book, dice)
        told = _less(done.before_dr, done.dr, done.damage)
        yield Tick(book.listed(Lasting)[IN_ZONE], told, tuple(rolls), done.damage)


def _less(whole: int, armour: int, damage: int) -> str:
    return f"{whole} less {armour} DR = {damage} HP" if armour else f"{damage} HP"


def _throw(tick: Tick, book: Book) -> Throw:
    entry = tick.entry
    return Throw(entry.label, tick.text, tick.rolls, Source(book.source, entry.label), entry.line)


def _changes(book: Book, part: Part, left: int, told: str) -> Iterator[Change]:
    """Yield what changes: HP, what is left of the turn to whoever goes down, and that this turn has started."""
    who = part.subjects[ACTOR]
    yield with_hp(part, ACTOR, left)
    value = fighter(part.kept, who)
    if value is None:
        return
    if not left:
        yield who, MEMBER, with_marks(value, {**value.get("marks", {}), **begin(book, true_facts(ACTOR, _DOWN)).marks})
    yield SCENE, f"{STARTED}{value['id']}", {"turn": part.inputs[TURN], "told": told}


PROCEDURE = Procedure(
    family=TURN_START,
    title="Start of the turn",
    actor=ACTOR,
    subject="resister",
    headline="{actor} begins a turn",
    headline_alone="{actor} begins a turn",
    method=StartMethod(),
    policy=Policy(on_request=False),
    settles={"wound": wounded},
)
