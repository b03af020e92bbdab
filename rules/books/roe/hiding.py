"""Getting away and staying unseen: flights, calls, noise, hiding and sneak attacks (lines 135 to 165, 353 to 367)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from rules import modifiers, scenes, stages
from rules.book import Book
from rules.books.roe import catalog, characters, turns, wounds
from rules.books.roe.catalog import ACTOR, RESISTER, Arrival, Attached, Comlink, DamageKind, Option, entry_of, find_rule
from rules.books.roe.contests import BY_ACT, BY_WINNER, SkillMethod, find_contest, make_contest, read_contest
from rules.books.roe.fights import BY, FIRST_ATTACK, HIDDEN, SPOTTED
from rules.dice import Dice
from rules.effects import SCENE, Change
from rules.errors import RollError
from rules.procedure import MethodResult, Part, PartResult, Procedure, Step, Throw
from rules.subjects import word_id
from rules.tables import AppliedConsequence, Consequence, Source

STRIKE = "strike"
"""Input: the interrupter's attack, as `rules.books.roe.aim.AttackInputs`."""
BESIDE, CHANNEL, RECIPIENTS = "beside-others", "channel", "recipients"
"""Inputs: whether allies of another race fight on, the channel called, and how many are called."""
COMLINK, COMLINK_M = "comlink", "comlink-m"
"""Inputs of a call over a public comlink, which no one can interrupt: who is summoned, and the distance in metres."""
STOPPED = "stopped"
"""Whether a hit stopped the part, in its record."""
_BESIDE_OTHERS = "flee-beside-non-splicers"


def check_flight(book: Book, facts: modifiers.Facts, attempts: int, *, whole_turn: bool, non_splicers: bool) -> None:
    """Refuse a flight that can't be tried; `attempts` were made before (lines 41 and 135)."""
    most = book.number("flee-attempts")
    if not 0 <= attempts < most:
        raise RollError(f"Each character can try to flee {most} times per combat.")
    if not whole_turn:
        raise RollError("Fleeing takes the whole turn: movement and at least one Action.")
    if non_splicers and find_rule(book.entries_of(Option), facts, ACTOR, _BESIDE_OTHERS) is False:
        raise RollError("This racial option doesn't allow fleeing while allied non-splicers are fighting.")


def is_beside_others(book: Book, own: str | None, allies: Iterable[str | None]) -> bool:
    """Return whether any ally has another race; unknown races don't count."""
    races = {entry.label: entry.race for entry in book.entries_of(Option).values()}
    others = {races[label] for label in allies if label in races}
    return bool(others - {races.get(own or "")})


def check_call(book: Book, *, com_destroyed: bool, recipients: int, channel: str | None) -> None:
    """Refuse a call that reaches no one, or too many (lines 143 and 153)."""
    closed = {
        name.casefold() for it in book.entries_of(catalog.ClosedChannel).values() for name in (it.label, *it.also)
    }
    if com_destroyed:
        raise RollError("The com is destroyed for the rest of the combat.")
    if channel is not None and channel.strip().casefold() in closed:
        raise RollError(f"{channel} isn't an emergency line. Call a person or another group channel.")
    if recipients < 1:
        raise RollError("A call reaches one person or one group channel. Name a target, or a channel as value.")
    if channel is None and recipients > book.number("call-recipients"):
        raise RollError("One call reaches one person or one group channel.")


def check_comlink(book: Book, distance_m: float) -> None:
    """Refuse a public comlink that is too far from the caller (line 151)."""
    most = book.number("comlink-m")
    if not 0 <= distance_m <= most:
        raise RollError(f"A public comlink works within {most} m, not from {distance_m:g} m.")


def find_comlink(book: Book, typed: str) -> Comlink:
    """Return the public comlink with a typed name (line 151)."""
    comlinks = book.entries_of(Comlink).values()
    for entry in comlinks:
        if word_id(typed) in {word_id(name) for name in (entry.label, *entry.also)}:
            return entry
    known = "; ".join(f"{entry.label} (in {entry.place})" for entry in comlinks)
    raise RollError(f"Public comlinks can only call: {known}.")


FLEE = stages.contest_method("roe.flee", ("roe.flee", "roe.interrupt"), BY_WINNER)
CALL = stages.contest_method("roe.call", ("roe.call", "roe.interrupt.call"), BY_WINNER)
AWAY = (
    make_contest("Flee", "{actor} flees from {resister}", FLEE, "roe.flee"),
    make_contest("Call for aid", "{actor} calls for aid", CALL, "roe.call"),
)


NOISE = "noise"
"""The name of a fight's first noise: its maker (`by`, a number)."""
EXPLOSION = "explosion"
_PAGE = Source("roe-7th-edition-dice", "Gunfire and Explosions")


def must_shout(book: Book, noise: str, *, silencer: bool, first: bool) -> bool:
    """Return whether a noise is announced: the fight's first one, unless a silencer works on it."""
    return first and not (entry_of(book.entries_of(turns.Noise), noise).can_be_silenced and silencer)


def find_entrance(book: Book, way: str, *, locked: bool) -> turns.Entrance | None:
    """Return a way into a fight by id; None if a lock closes it."""
    entry = book.entries_of(turns.Entrance)[way]
    return entry if entry.into_locked or not locked else None


def count_call_turns(book: Book, *, near_base: bool) -> int:
    """Return after how many of the caller's turns called help comes."""
    return book.number("call-rounds-near-base" if near_base else "call-rounds")


def find_arrival(book: Book, metres: float) -> Arrival | None:
    """Return how a fighter who hears shots at a distance arrives; None if too far to hear."""
    if metres < 0:
        raise RollError("A distance can't be below 0 metres.")
    return next((item for item in book.entries_of(Arrival).values() if metres <= item.most_m), None)


def is_silenced(book: Book, arm: characters.Arm) -> bool:
    """Return whether an attachment silences the weapon."""
    quiet = {word_id(name) for it in book.entries_of(Attached).values() if it.silences for name in (it.id, it.label)}
    return any(word_id(item.name) in quiet for item in arm.attachments)


def list_noises(kinds: Iterable[DamageKind], quiet: Sequence[bool]) -> Iterator[tuple[str, bool]]:
    """Yield each weapon's noise, and whether it's silenced; weapons without noise are left out."""
    for place, kind in enumerate(kinds):
        if kind.noise is not None:
            yield kind.noise, place < len(quiet) and quiet[place]


def shout(
    part: Part, book: Book, who: str, made: Iterable[tuple[str, bool]]
) -> tuple[tuple[Throw, ...], tuple[Change, ...]]:
    """Return announcement and change for a fight's first noise, of (noise, silenced) pairs; else empty."""
    value: Mapping[str, Any] | None = part.kept.get(who, {}).get(scenes.MEMBER)
    first = not part.kept.get(SCENE, {}).get(NOISE)
    for noise, quiet in made:
        if value is not None and must_shout(book, noise, silencer=quiet, first=first):
            entry = entry_of(book.entries_of(turns.Noise), noise)
            most = max(item.most_m for item in book.entries_of(Arrival).values())
            text = f"heard up to {most} m away. Join with /fight join how:drawn by gunfire"
            said = Throw(entry.label, text, (), _PAGE, entry.line)
            return (said,), ((SCENE, NOISE, {"by": value["id"], "open": True}),)
    return (), ()


STEALTH_ROLL = find_contest("sneak")
SNEAK = STEALTH_ROLL.tables
VANISH, NOTICED = "vanish", "be-noticed"
_NO_ONE = "No one of that name is hiding here"


def isolate_stealth(part: Part) -> Part:
    """Return an attack's part reduced to its stealth roll: no inputs, only its adjustments."""
    return replace(part, adjustments=tuple(item for item in part.adjustments if item.table in SNEAK), inputs={})


def find_stealth_chance(part: Part, book: Book) -> Fraction:
    """Return the chance of stealth."""
    odds = STEALTH_ROLL.odds(isolate_stealth(part), book)
    return sum((item.chance for item in odds if item.conclusion.outcome == ACTOR), Fraction(0))


def check_sneak(part: Part) -> None:
    """Refuse a sneak attack that isn't the first attack, or not set up (line 359)."""
    if characters.find_fighter(part, ACTOR) is not None and not characters.read_marks(part, ACTOR).get(FIRST_ATTACK):
        raise RollError("A sneak attack must be the character's first attack of the fight.")
    if f"{ACTOR}.set-up" not in part.facts:
        raise RollError("Spend at least one Action on setting up before a sneak attack.")


def expose(part: Part, *roles: str) -> Iterator[Consequence]:
    """Yield a consequence `be-seen` for each of these roles that is hidden."""
    for role in roles:
        if f"{role}.hidden" in part.facts:
            yield Consequence("be-seen", role)


class _UnseenMethod(stages.TableMethod, frozen=True):
    """A contest only its maker and the staff see: the actor hides or searches."""

    hides: bool = False
    keeps: tuple[str, ...] = (scenes.MEMBER, wounds.HEALTH)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        played = stages.TableMethod.play(self, part, book, dice)
        won = played.conclusion.outcome == ACTOR
        costs = read_contest(PartResult(part, played.steps, None), book).costs
        follows = (*played.conclusion.consequences, *costs)
        conclusion = replace(played.conclusion, audience="maker", consequences=follows)
        if not self.hides and characters.find_fighter(part, RESISTER) is None:
            return _find_no_one(replace(played, conclusion=conclusion), sure=won)
        role, consequence = (ACTOR, VANISH if won else NOTICED) if self.hides else (RESISTER, NOTICED)
        seen = (Consequence(consequence, role),) if self.hides or won else ()
        return replace(played, conclusion=replace(conclusion, consequences=(*follows, *seen)))


def _find_no_one(played: MethodResult, *, sure: bool) -> MethodResult:
    """Search for a name that isn't there; it looks like any search that fails."""
    own = tuple(item for item in played.conclusion.consequences if item.to != RESISTER)
    conclusion = replace(played.conclusion, consequences=own)
    *steps, last = played.steps
    if not (sure and isinstance(last, Step)):
        return replace(played, conclusion=conclusion)
    conclusion = replace(conclusion, outcome=RESISTER, text=_NO_ONE, tone="failure")
    return replace(played, steps=(*steps, replace(last, row=replace(last.row, text=_NO_ONE))), conclusion=conclusion)


def _settle_hidden(applied: AppliedConsequence) -> Iterator[Change]:
    before = [applied.kept.get(name) for name in (HIDDEN, SPOTTED)]
    now = applied.moment.entry
    seen = {number for value in before if value and value["entry"] == now for number in value.get(BY, ())}
    yield applied.name, SPOTTED, None
    yield applied.name, HIDDEN, _make_value(applied, seen)


def _settle_noticed(applied: AppliedConsequence) -> Iterator[Change]:
    name = HIDDEN if HIDDEN in applied.kept else SPOTTED
    before = applied.kept.get(name) or {}
    seen = {*before.get(BY, ()), *([applied.other] if applied.other else [])}
    entry = {"entry": before["entry"]} if before else {}
    yield applied.name, name, {**before, **_make_value(applied, seen), **entry}


def _make_value(applied: AppliedConsequence, seen: set[int]) -> dict[str, Any]:
    return {**{key: value for key, value in applied.effect().items() if key != "other"}, BY: sorted(seen)}


def _procedure(name: str, title: str, method: stages.TableMethod) -> Procedure:
    headline = f"{{actor}} against {{resister}}: {title.lower()}"
    settles = {VANISH: _settle_hidden, NOTICED: _settle_noticed}
    return Procedure(f"roe.turn.{name}", title, ACTOR, RESISTER, headline, method, policy=BY_ACT, settles=settles)


def _make_unseen(name: str, title: str, *, hides: bool) -> Procedure:
    base = find_contest(name)
    return _procedure(name, title, _UnseenMethod(base.tables, BY_WINNER, base.plan, shares=base.shares, hides=hides))


PROCEDURES = (
    _make_unseen("hide", "Hide", hides=True),
    _make_unseen("spot", "Search", hides=False),
    _procedure("hack", "Hack", SkillMethod(("roe.check.hacking",), BY_WINNER)),
)
