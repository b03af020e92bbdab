"""The start of a turn: lasting effects take HP, less DR once, and HP come back (lines 43, 100, 447 to 459)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rules.book import Book
from rules.books.roe.catalog import ACTOR
from rules.books.roe.characters import find_fighter, find_score, mark_fighter
from rules.books.roe.fights import IN_ZONE, STARTED, UNREAD
from rules.books.roe.handling import TURN, TURN_START, count_allowance
from rules.books.roe.turns import LastingMark, settle_wound
from rules.books.roe.wounds import HEALTH, count_hp_left, count_hp_lost, make_wound, with_hp
from rules.books.roe.zones import befall_now, list_around, throw_dose
from rules.dice import Dice, DiceTerm, Roll
from rules.effects import EFFECT, SCENE, Change
from rules.procedure import Conclusion, MethodResult, Part, Policy, Procedure, ResolutionMethod, Throw
from rules.scenes import MEMBER
from rules.tables import Source

_HP, _BACK, _DR = f"{ACTOR}.hp", "hp-per-round", "dr"
_DOWN = "wounded"


def count_tick(entry: LastingMark, faces: Sequence[int], dr: int = 0) -> int:
    """Return the HP a lasting effect takes; `dr` reduces only dice of `reduced` effects."""
    return max(0, sum(faces) - (dr if entry.reduced else 0)) if entry.die else entry.amount or 0


def _list_ticking(book: Book, part: Part) -> list[tuple[LastingMark, int]]:
    kept = part.kept.get(part.subjects[ACTOR], {})
    ticking = (item for item in book.entries_of(LastingMark).values() if item.effect and item.takes)
    return [
        (item, min(item.most_stacks, value.get("amount") or 1))
        for item in ticking
        if (value := kept.get(f"{EFFECT}{item.effect}")) is not None
    ]


class _StartMethod(ResolutionMethod):
    """The start of a turn; `TURN` keeps it from happening twice."""

    keeps = (HEALTH, MEMBER, EFFECT)
    skips = UNREAD

    def check(self, part: Part, book: Book) -> None:
        if not _list_zone_effects(book, part):
            count_hp_left(part, ACTOR)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        zones = tuple(f"{label}: {', '.join(names)}" for label, names in _list_zone_effects(book, part).items())
        if _HP not in part.facts:
            return zones
        if not count_hp_left(part, ACTOR):
            return ()
        ticking = _list_ticking(book, part)
        ticks = [f"{item.label}: {f'{stacks}d{item.die}' if item.die else item.amount} HP" for item, stacks in ticking]
        ticks += [f"{charge.item}: {charge.words} HP" for charge, _ in list_around(part) if charge.harms]
        back = min(count_hp_lost(part, ACTOR), find_score(book, _BACK, part.facts))
        return [*ticks, *zones, *([f"{book.scores[_BACK].label}: {back} HP back"] if back > 0 else [])]

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        known = _HP in part.facts
        drained = _drain(part, book, dice) if known else MethodResult((), _conclude(""))
        down = known and not drained.record["hp"]
        lasting = [] if down else chain(*(more for _, more in list_around(part)))
        labels, struck = befall_now(book, part, ACTOR, lasting)
        text = ", ".join(filter(None, [drained.conclusion.text, *labels]))
        conclusion = _conclude(text or "Nothing")
        if down:
            text = f"{text}; down"
            conclusion = Conclusion(_DOWN, text, "failure", "results", (make_wound(book, part, ACTOR),))
        hp = [with_hp(part, ACTOR, drained.record["hp"])] if known else []
        changes = (*hp, *struck, *_list_changes(book, part, struck, text, down=down))
        return MethodResult(drained.steps, conclusion, {**drained.record, "wounded": down}, changes)


def _conclude(text: str) -> Conclusion:
    return Conclusion("up", text, "neutral", "results")


def _drain(part: Part, book: Book, dice: Dice) -> MethodResult:
    armour = find_score(book, _DR, part.facts)
    ticks = [_tick(book, entry, stacks, armour, dice) for entry, stacks in _list_ticking(book, part)]
    ticks += [*_list_zone_ticks(part, book, dice)]
    before, taken = count_hp_left(part, ACTOR), sum(damage for _, damage in ticks)
    after = max(0, before - taken)
    back = min(count_hp_lost(part, ACTOR) + before - after, find_score(book, _BACK, part.facts)) if after else 0
    text = ", ".join([*([f"{taken} damage"] if ticks else []), *([f"{back} HP back"] if back else [])])
    throws, score = [throw for throw, _ in ticks], book.scores[_BACK]
    if back:
        throws.append(_throw(book, score.label, f"{back} HP", (), score.line))
    return MethodResult((*throws,), _conclude(text), {"taken": taken, "back": back, "hp": after + back})


def _throw(book: Book, title: str, text: str, rolls: Sequence[Roll], line: int) -> Throw:
    return Throw(title, text, tuple(rolls), Source(book.source, title), line)


def _list_zone_effects(book: Book, part: Part) -> dict[str, list[str]]:
    entries = book.entries_of(LastingMark)
    return {
        charge.item: [entries[name].label.lower() for name in names] for charge, names in list_around(part) if names
    }


def _tick(book: Book, entry: LastingMark, stacks: int, armour: int, dice: Dice) -> tuple[Throw, int]:
    rolls = [dice.roll(DiceTerm(stacks, entry.die))] if entry.die else []
    damage = count_tick(entry, rolls[0].faces if rolls else (), armour)
    text = _describe_less(rolls[0].total, armour if entry.reduced else 0, damage) if rolls else f"{damage} HP"
    return _throw(book, entry.label, text, rolls, entry.line), damage


def _list_zone_ticks(part: Part, book: Book, dice: Dice) -> Iterator[tuple[Throw, int]]:
    for charge, _ in list_around(part):
        if charge.harms:
            rolls, done = throw_dose(charge, part, book, dice)
            text = _describe_less(done.before_dr, done.dr, done.damage)
            yield _throw(book, charge.item, text, rolls, book.entries_of(LastingMark)[IN_ZONE].line), done.damage


def _describe_less(whole: int, armour: int, damage: int) -> str:
    return f"{whole} less {armour} DR = {damage} HP" if armour else f"{damage} HP"


def _list_changes(book: Book, part: Part, struck: Iterable[Change], text: str, *, down: bool) -> Iterator[Change]:
    value = find_fighter(part, ACTOR)
    if value is None:
        return
    now = {name.removeprefix(EFFECT) for _, name, _ in struck}
    if down or now:
        held = {fact.removeprefix(f"{ACTOR}.") for fact in part.facts if fact.startswith(f"{ACTOR}.")}
        marks = count_allowance(book, held | now | ({_DOWN} if down else set()))
        yield from mark_fighter(part, ACTOR, marks)
    yield SCENE, f"{STARTED}{value['id']}", {"turn": part.inputs[TURN], "told": text}


_STARTS = "{actor}'s turn starts"
PROCEDURE = Procedure(
    TURN_START,
    "Start of the turn",
    ACTOR,
    "resister",
    _STARTS,
    _StartMethod(),
    _STARTS,
    policy=Policy(on_request=False),
    settles={"wound": settle_wound},
)
