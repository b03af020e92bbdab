"""The start of a turn: what lasts takes its HP, less damage reduction once, and HP come back (lines 43, 100, 447 to 459)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from rules.book import Book
from rules.books.roe.allowances import ACTOR, TURN, TURN_START, allowance
from rules.books.roe.arsenal import fighter, with_marks
from rules.books.roe.health import HEALTH, left_hp, lost_hp, with_hp
from rules.books.roe.injury import wound_of
from rules.books.roe.lasting_rules import wounded
from rules.books.roe.marks import IN_ZONE, STARTED, UNREAD
from rules.books.roe.sides import score_of
from rules.books.roe.turn_catalog import Lasting
from rules.books.roe.zones import around, befallen, dosed
from rules.dice import Dice, DiceTerm, Roll
from rules.effects import EFFECT, SCENE, Change
from rules.errors import WrongDice
from rules.facts import JsonObject
from rules.procedure import Conclusion, MethodResult, Part, Policy, Procedure, ResolutionMethod, Throw
from rules.scenes import MEMBER
from rules.tables import Source

_HP, _BACK, _DR = f"{ACTOR}.hp", "hp-per-round", "dr"
_DOWN = "wounded"


class Tick(Struct, frozen=True):
    """What one of the lasting ones takes: what it is, as it is told, by which dice, and how much."""

    title: str
    line: int
    text: str
    rolls: tuple[Roll, ...]
    damage: int


def damages(entry: Lasting, at: Sequence[int], dice: Sequence[Sequence[int]], dr: int = 0) -> list[int]:
    """Return what each tick takes, with so many stacks each and, where it has dice, these; `dr` is subtracted where it helps."""
    if entry.die is None:
        if dice:
            raise WrongDice(f"{entry.label} takes no dice.")
        return [] if entry.amount is None else [entry.amount for _ in at]
    if [len(item) for item in dice] != list(at):
        raise WrongDice(f"{entry.label} takes a d{entry.die} for each stack, tick by tick: {list(at)}.")
    if any(not 1 <= face <= entry.die for face in _faces(dice)):
        raise WrongDice(f"A d{entry.die} has faces from 1 to {entry.die}.")
    return [max(0, sum(item) - (dr if entry.reduced else 0)) for item in dice]


def _faces(dice: Sequence[Sequence[int]]) -> Iterator[int]:
    return (face for item in dice for face in item)


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

    def check(self, part: Part, book: Book) -> None:
        """Refuse where nobody has said how many HP there are, unless a zone does something else."""
        if not _befalling(book, part):
            left_hp(part, ACTOR)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        """Return what befalls, as a line each: nothing that takes HP where nobody has said how many there are, and nothing to who has none left."""
        befalls = tuple(f"{label}: {', '.join(names)}" for label, names in _befalling(book, part).items())
        if _HP not in part.facts:
            return befalls
        if not left_hp(part, ACTOR):
            return ()
        ticks = [f"{entry.label}: {_harm(entry, stacks)} HP" for entry, stacks in standing(book, part)]
        ticks += [f"{charge.item}: {charge.words} HP" for charge, _ in around(part) if charge.harms]
        back = min(lost_hp(part, ACTOR), score_of(book, _BACK, part.facts))
        return [*ticks, *befalls, *([f"{book.scores[_BACK].label}: {back} HP back"] if back > 0 else [])]

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Take what lasts, then let HP come back to whoever is still up, and let befall what zones do besides."""
        known = _HP in part.facts
        drained = _drained(part, book, dice) if known else Drained((), "", 0, {})
        down = known and not drained.hp
        labels, struck = ([], []) if down else befallen(book, part, ACTOR, chain(*(more for _, more in around(part))))
        told = ", ".join(filter(None, [drained.text, *labels]))
        conclusion = Conclusion("up", told or "Nothing", "neutral", "results")
        if down:
            told = f"{told}; down"
            conclusion = Conclusion(_DOWN, told, "failure", "results", (wound_of(book, part, ACTOR),))
        hp = [with_hp(part, ACTOR, drained.hp)] if known else []
        changes = (*hp, *struck, *_changes(book, part, struck, told, down=down))
        return MethodResult(drained.throws, conclusion, {**drained.record, "wounded": down}, changes)


class Drained(Struct, frozen=True):
    """What the start of a turn does to HP: how that is thrown and told, how many are left, and what of it is recorded."""

    throws: tuple[Throw, ...]
    text: str
    hp: int
    record: JsonObject


def _drained(part: Part, book: Book, dice: Dice) -> Drained:
    """Take the HP of what lasts and of zones, and give back what comes back to whoever is still up."""
    armour = score_of(book, _DR, part.facts)
    ticks = [_tick(entry, stacks, armour, dice) for entry, stacks in standing(book, part)]
    ticks += [*_zones(part, book, dice)]
    before, taken = left_hp(part, ACTOR), sum(tick.damage for tick in ticks)
    after = max(0, before - taken)
    back = min(lost_hp(part, ACTOR) + before - after, score_of(book, _BACK, part.facts)) if after else 0
    text = ", ".join([*([f"{taken} damage"] if ticks else []), *([f"{back} HP back"] if back else [])])
    throws = [Throw(tick.title, tick.text, tick.rolls, Source(book.source, tick.title), tick.line) for tick in ticks]
    if back:
        score = book.scores[_BACK]
        throws.append(Throw(score.label, f"{back} HP", source=Source(book.source, score.label), line=score.line))
    return Drained((*throws,), text, after + back, {"taken": taken, "back": back, "hp": after + back})


def _befalling(book: Book, part: Part) -> dict[str, list[str]]:
    """Return what else than harm zones do to whoever begins a turn in them, by what it is called to be there."""
    entries = book.listed(Lasting)
    return {charge.item: [entries[name].label.lower() for name in names] for charge, names in around(part) if names}


def _harm(entry: Lasting, stacks: int) -> str:
    return f"{stacks}d{entry.die}" if entry.die else str(entry.amount)


def _tick(entry: Lasting, stacks: int, armour: int, dice: Dice) -> Tick:
    roll = dice.roll(DiceTerm(stacks, entry.die)) if entry.die else None
    (damage,) = damages(entry, [stacks], [roll.faces] if roll else [], armour)
    reduced = armour if roll is not None and entry.reduced else 0
    return Tick(
        entry.label, entry.line, _less(roll.total if roll else damage, reduced, damage), (roll,) if roll else (), damage
    )


def _zones(part: Part, book: Book, dice: Dice) -> Iterator[Tick]:
    """Yield what each zone takes in which one begins the turn (line 437)."""
    for charge, _ in around(part):
        if charge.harms:
            rolls, done = dosed(charge, part, book, dice)
            told = _less(done.before_dr, done.dr, done.damage)
            yield Tick(charge.item, book.listed(Lasting)[IN_ZONE].line, told, tuple(rolls), done.damage)


def _less(whole: int, armour: int, damage: int) -> str:
    return f"{whole} less {armour} DR = {damage} HP" if armour else f"{damage} HP"


def _changes(book: Book, part: Part, struck: Iterable[Change], told: str, *, down: bool) -> Iterator[Change]:
    """Yield what changes of the turn: what is left of it to whoever goes down or is struck by a zone, and that it has started."""
    who = part.subjects[ACTOR]
    value = fighter(part.kept, who)
    if value is None:
        return
    now = {name.removeprefix(EFFECT) for _, name, _ in struck}
    if down or now:
        held = {fact.removeprefix(f"{ACTOR}.") for fact in part.facts if fact.startswith(f"{ACTOR}.")}
        marks = allowance(book, held | now | ({_DOWN} if down else set()))
        yield who, MEMBER, with_marks(value, {**value.get("marks", {}), **marks})
    yield SCENE, f"{STARTED}{value['id']}", {"turn": part.inputs[TURN], "told": told}


PROCEDURE = Procedure(
    family=TURN_START,
    title="Start of the turn",
    actor=ACTOR,
    subject="resister",
    headline="{actor}'s turn starts",
    headline_alone="{actor}'s turn starts",
    method=StartMethod(),
    policy=Policy(on_request=False),
    settles={"wound": wounded},
)
