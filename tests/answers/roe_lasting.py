"""Around a fight of the RoE book: effects, timers, wounds, and who comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, chain
from typing import Annotated, Any, Literal

from msgspec import Meta

from rules.book import Book, weigh_score
from rules.books.roe import wounds
from rules.books.roe.catalog import entry_of
from rules.books.roe.characters import find_score, racial_facts
from rules.books.roe.hiding import count_call_turns, find_arrival, find_entrance, must_shout
from rules.books.roe.turns import Harm, LastingMark, Timer
from rules.books.roe.zones import count_tick
from rules.effects import End, end_values
from rules.errors import RollError, WrongDice
from rules.modifiers import Adjustment
from tests.answers.lines import Answer, Choice, Question

Time = Annotated[datetime, Meta(tz=True)]
Mode = Literal["dice", "freeform"]
BEARER = "resister"
STEP = 10
"""Places from the start of one turn to the start of the next."""
WITHIN = {"before": -1, "during": 1, "after": STEP - 1}
KEY, SCENE, NUMBER = ("subject:1", "effect"), "scene:fight", 1
MOST_TURNS = 1000


class Moment(Question, frozen=True):
    """A moment before, in or after a turn."""

    turn: int
    when: Literal["before", "during", "after"]

    @property
    def place(self) -> int:
        """Its place in order."""
        if not 1 <= self.turn <= MOST_TURNS:
            raise RollError(f"Turns are numbered from 1 to {MOST_TURNS}, not {self.turn}.")
        return self.turn * STEP + WITHIN[self.when]


class Shot(Question, frozen=True):
    """A noise."""

    kind: str
    silencer: bool
    first: bool


START = Moment(1, "before")


def effect(
    book: Book,
    *,
    effect: str,
    turns: int | None = None,
    racial: str | None = None,
    at: Moment = START,
    again: tuple[Moment, ...] | None = None,
    removed: Moment | None = None,
    hp: int | None = None,
    dr: int = 0,
    stacks: int = 1,
    dice: tuple[tuple[int, ...], ...] | None = None,
) -> Answer:
    """Return an effect's turns, restarts and ticks (lines 437 to 459)."""
    entry = entry_of(book.entries_of(LastingMark), effect)
    end = _end_of(book, entry, turns, racial)
    if stacks < 1:
        raise RollError("Give at least one stack.")
    moments = [at, *(again or ())]
    starts = [(moment.place, number, 1 if number else stacks) for number, moment in enumerate(moments)]
    events = sorted([*starts, *([] if removed is None else [(removed.place, len(starts), 0)])])
    if events[0] != starts[0]:
        raise RollError("It can't start again or be removed before it began.")
    run = Run(entry, end.count, events)
    active = [turn for turn, _ in run.active]
    of = {"bearer": "target", "initiator": "initiator"}[end.of]
    answer: Answer = {"turns": end.count, "counted_on": of, "active": active}
    answer |= {"ends_after": active[-1] if active else None, "stacks": run.stacks}
    if hp is not None or dice is not None:
        facts, armour = racial_facts(book, BEARER, racial), [Adjustment(dr, "modifier")]
        reduced = weigh_score(book.scores["dr"], BEARER, facts, adjustments=armour).value
        ticks = _count_ticks(entry, [count for _, count in run.active], dice or (), reduced)
        if hp is not None and hp < 0:
            raise RollError("HP can't be below 0.")
        answer |= {} if hp is None else {"hp": [max(0, hp - taken) for taken in accumulate(ticks)]}
        answer |= {} if dice is None else {"damage": ticks}
    if again is not None:
        answer["again"] = [took for number, took in sorted(run.took.items()) if number]
    return {**answer, "immune_through": run.immune} if entry.immune else answer


def _end_of(book: Book, entry: LastingMark, turns: int | None, racial: str | None) -> End:
    own = End("turns", 0, entry.of) if entry.effect is None else book.effects[entry.effect].end
    if (entry.said or entry.effect is None) and turns is None:
        raise RollError(f"{entry.label}: add how many turns it lasts.")
    count = own.count if turns is None else turns
    if not 1 <= count <= MOST_TURNS:
        raise RollError(f"{entry.label}: it lasts for 1 to {MOST_TURNS} turns, not {count}.")
    facts = racial_facts(book, BEARER, racial)
    return End("turns", max(0, count + sum(find_score(book, score, facts, BEARER) for score in entry.scores)), own.of)


def _count_ticks(entry: LastingMark, at: Sequence[int], dice: Sequence[tuple[int, ...]], dr: int) -> list[int]:
    if entry.die is None:
        if dice:
            raise WrongDice(f"{entry.label} takes no dice.")
        return [] if entry.amount is None else [count_tick(entry, ()) for _ in at]
    if [len(item) for item in dice] != list(at):
        raise WrongDice(f"{entry.label} takes a d{entry.die} for each stack, tick by tick: {list(at)}.")
    if any(not 1 <= face <= entry.die for face in chain(*dice)):
        raise WrongDice(f"A d{entry.die} has faces from 1 to {entry.die}.")
    return [count_tick(entry, faces, dr) for faces in dice]


class Run:
    """An effect, turn by turn; a turn counts only what was there at its start."""

    def __init__(self, entry: LastingMark, turns: int, events: list[tuple[int, int, int]]) -> None:
        """Run events: their place, order, and stacks (0 removes)."""
        self.entry, self.turns = entry, turns
        self.value: Mapping[str, Any] | None = None
        self.stacks = 0
        self.immune: int | None = None
        self.active: list[tuple[int, int]] = []
        self.took: dict[int, bool] = {}
        turn = max(1, events[0][0] // STEP)
        while events or self.value is not None:
            self._until(turn * STEP, events)
            if self.value is not None:
                self.active.append((turn, self.stacks))
            self._until(turn * STEP + STEP // 2, events)
            if self.value is not None:
                changed = end_values({KEY: self.value}, SCENE, began=turn * STEP, turns={NUMBER})
                self._keep(changed.get(KEY, self.value), turn * STEP + STEP // 2)
            turn += 1

    def _until(self, limit: int, events: list[tuple[int, int, int]]) -> None:
        while events and events[0][0] < limit:
            at, number, stacks = events.pop(0)
            if stacks:
                self.took[number] = self._start(at, stacks)
            elif self.value is not None:
                self._keep(None, at)

    def _start(self, at: int, stacks: int) -> bool:
        self.stacks = min(self.entry.most_stacks, stacks + (self.stacks if self.value else 0))
        immune = self.value is None and self.immune is not None and at < self.immune * STEP + STEP // 2
        if immune or not self.turns:
            return False
        self.value = {"entry": at, "turns": {"scene": SCENE, "of": NUMBER, "left": self.turns}}
        return True

    def _keep(self, value: Mapping[str, Any] | None, at: int) -> None:
        self.value = value
        if value is None and self.entry.immune:
            self.immune = at // STEP + self.entry.immune


def timer(
    book: Book,
    *,
    timer: str,
    from_: Time | None = None,
    until: Time | None = None,
    racial: str | None = None,
    again: Time | None = None,
    now: Time | None = None,
) -> Answer:
    """Return when a timer ends, and whether it's over."""
    entry, answer = entry_of(book.entries_of(Timer), timer), {}
    try:
        if from_ is not None and until is None:
            end = from_ + timedelta(minutes=wounds.count_minutes(book, entry, racial))
        elif until is not None and from_ is None:
            end = until
        else:
            raise RollError("A timer is asked about with either from or until.")
        if again is not None:
            if not entry.prolonged:
                raise RollError(f"{entry.label}: attacks don't prolong it.")
            added = timedelta(minutes=wounds.count_minutes(book, entry, racial))
            answer["downed"] = (from_ or again) <= again < end
            end += added if answer["downed"] else timedelta()
        written = end.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except OverflowError:
        raise RollError("That is beyond all times that are counted here.") from None
    return {"until": written, **answer, **({} if now is None else {"over": end <= now})}


def wound(
    book: Book,
    *,
    hp: int | None = None,
    damage: int | None = None,
    attack: str = "weapon",
    stacks: tuple[int, ...] | None = None,
    credits_: int | None = None,
) -> Answer:
    """Return what damage does, and what a Mortal Wound costs."""
    if (hp is None) != (damage is None):
        raise RollError("HP and damage are asked about together.")
    answer: Answer = {}
    if hp is not None and damage is not None:
        if min(hp, damage) < 0:
            raise RollError("HP and damage can't be below 0.")
        save = wounds.needs_saving_roll(book, hp, damage, mortal=entry_of(book.entries_of(Harm), attack).mortal)
        answer |= {"hp": max(0, hp - damage), "wounded": damage >= hp, "save_needed": save}
    if stacks is not None:
        answer["given"] = [wounds.halve_loss(book, size) for size in stacks]
    if credits_ is not None:
        answer |= {"paid": wounds.halve_loss(book, credits_), "debt": credits_ == 0}
    if not answer:
        raise RollError("Ask about hp with damage, stacks or credits.")
    return answer


def set_up(
    book: Book,
    *,
    defender: Mode,
    attacker: Mode | None = None,  # noqa: ARG001 - the defender decides
    agree: tuple[bool, ...] | None = None,
    lock: tuple[bool, ...] | None = None,
    admin_overrules: bool = False,
    shot: Shot | None = None,
) -> Answer:
    """Return how a fight is fought, locked and heard."""
    answer: Answer = {"mode": defender}
    if agree is not None:
        answer["changed"] = bool(agree) and all(agree)
    if lock is not None:
        answer["locked"] = bool(lock) and all(lock) and not admin_overrules
    if shot is not None:
        answer["shout"] = must_shout(book, shot.kind, silencer=shot.silencer, first=shot.first)
    return answer


def by_call(
    book: Book,
    *,
    locked: bool = False,
    turn: int,
    near_base: bool = False,
    order: tuple[str, ...] | None = None,
    caller: str | None = None,
    ally: str | None = None,
) -> Answer:
    """Return when a called ally comes, and the new order."""
    way = find_entrance(book, "call", locked=locked)
    answer: Answer = {"allowed": way is not None, "enters_after_turn": None, "after": None}
    if way is not None:
        enters = _require_number(turn) + count_call_turns(book, near_base=near_base)
        answer |= {"enters_after_turn": enters, "after": way.after}
    if order is not None:
        if caller is None or ally is None:
            raise RollError("With an order, name the caller and the ally.")
        if caller not in order:
            raise RollError(f"{caller} isn't in the turn order.")
        if ally in order:
            raise RollError(f"{ally} is already in the turn order.")
        place = order.index(caller) + 1
        answer["order"] = [*order[:place], ally, *order[place:]]
    return answer


def by_gunfire(book: Book, *, locked: bool = False, distance_m: float) -> Answer:
    """Return when hearers of shots come."""
    way, found = find_entrance(book, "gunfire", locked=locked), find_arrival(book, distance_m)
    if way is None or found is None:
        return {"allowed": False, "hears": found is not None, "rounds": None, "after": None}
    return {"allowed": True, "hears": True, "rounds": found.rounds, "after": way.after}


def by_claim(book: Book, *, locked: bool = False, round_: int) -> Answer:
    """Return when claimants of a place come."""
    way = find_entrance(book, "claim", locked=locked)
    enters = _require_number(round_) + book.number("claim-rounds")
    return {"allowed": way is not None, "enters_round": None if way is None else enters}


def _require_number(turn: int) -> int:
    if turn < 1:
        raise RollError("Turns and rounds are numbered from 1.")
    return turn


OPS: Mapping[str, Any] = {
    "effect": effect,
    "timer": timer,
    "wound": wound,
    "fight": set_up,
    "arrive": Choice("by", {"call": by_call, "gunfire": by_gunfire, "claim": by_claim}),
}
