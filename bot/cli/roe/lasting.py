"""What lasts and goes on around a fight of the RoE book: effects, timers, wounds, set-up, and who comes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from bot.cli.questions import Op, Question, Several
from rules.books.roe import fight, lasting, wounds
from rules.books.roe.catalog import entry_of
from rules.books.roe.lasting import Moment, Story
from rules.books.roe.turn_catalog import Lasting, Timer
from rules.errors import RollError
from rules.ruleset import RuleSet

Time = Annotated[datetime, Meta(tz=True)]
WHOSE = {"bearer": "target", "initiator": "initiator"}
Mode = Literal["dice", "freeform"]


class EffectQuestion(Question, frozen=True):
    """What lasts, for how long and on whom, when it began, befalls again and is removed, and what its ticks take."""

    effect: str
    turns: int | None = None
    racial: str | None = None
    at: Moment = lasting.START
    again: tuple[Moment, ...] | None = None
    removed: Moment | None = None
    hp: int | None = None
    dr: int = 0
    stacks: int = 1
    dice: tuple[tuple[int, ...], ...] | None = None


class TimerQuestion(Question, frozen=True):
    """What goes by the clock, from or until when, whether an attack prolongs it, and what time it is."""

    timer: str
    begins: Time | None = field(default=None, name="from")
    until: Time | None = None
    racial: str | None = None
    again: Time | None = None
    now: Time | None = None


class WoundQuestion(Question, frozen=True):
    """HP and damage by a kind of harm, and what a Mortal Wound costs of stacks and credits."""

    hp: int | None = None
    damage: int | None = None
    attack: str = "weapon"
    stacks: tuple[int, ...] | None = None
    credits: int | None = None


class Shot(Question, frozen=True):
    """A noise: of what kind, with a silencer or not, the first of its fight or not."""

    kind: str
    silencer: bool
    first: bool


class FightQuestion(Question, frozen=True):
    """How each side wants to fight, who is for a change and a lock, and a noise."""

    defender: Mode
    attacker: Mode | None = None
    agree: tuple[bool, ...] | None = None
    lock: tuple[bool, ...] | None = None
    admin_overrules: bool = False
    shot: Shot | None = None


class Arriving(Question, frozen=True):
    """How somebody comes into a fight, which may be locked."""

    locked: bool = False


class ByCall(Arriving, frozen=True, kw_only=True):
    """Called by somebody in a turn of theirs; into an order of names, behind the caller."""

    turn: int
    near_base: bool = False
    order: tuple[str, ...] | None = None
    caller: str | None = None
    ally: str | None = None


class ByGunfire(Arriving, frozen=True, kw_only=True):
    """Having heard shots from so far away."""

    distance_m: float


class ByClaim(Arriving, frozen=True, kw_only=True):
    """Having claimed a place in a round."""

    round: int


def effect(asked: EffectQuestion, book: RuleSet) -> dict[str, Any]:
    """Return in which turns something stands and what it takes."""
    entry = entry_of(book.listed(Lasting), asked.effect)
    end = lasting.end_of(book, entry, asked.turns, asked.racial)
    run = lasting.course(entry, end.count, Story(asked.at, asked.again or (), asked.removed, asked.stacks))
    answer: dict[str, Any] = {"turns": end.count, "counted_on": WHOSE[end.of], "active": [*run.active]}
    answer |= {"ends_after": run.active[-1] if run.active else None, "stacks": run.stacks}
    if asked.hp is not None or asked.dice is not None:
        ticks = lasting.damages(entry, run.at, asked.dice or (), lasting.armour(book, asked.dr, asked.racial))
        answer |= {} if asked.hp is None else {"hp": lasting.drained(asked.hp, ticks)}
        answer |= {} if asked.dice is None else {"damage": ticks}
    answer |= {} if asked.again is None else {"again": [*run.took]}
    return {**answer, "immune_through": run.immune} if entry.immune else answer


def timer(asked: TimerQuestion, book: RuleSet) -> dict[str, Any]:
    """Return until when something goes, whether an attack meanwhile prolongs it, and whether it is over."""
    entry = entry_of(book.listed(Timer), asked.timer)
    try:
        until, answer = _until(asked, entry, book), {}
        if asked.again is not None:
            added = timedelta(minutes=wounds.added_minutes(book, entry, asked.racial))
            answer["downed"] = (asked.begins or asked.again) <= asked.again < until
            until += added if answer["downed"] else timedelta()
        told = until.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except OverflowError:
        raise RollError("That is beyond all times that are counted here.") from None
    return {"until": told, **answer, **({} if asked.now is None else {"over": until <= asked.now})}


def _until(asked: TimerQuestion, entry: Timer, book: RuleSet) -> datetime:
    if asked.begins is not None and asked.until is None:
        return asked.begins + timedelta(minutes=wounds.minutes(book, entry, asked.racial))
    if asked.until is not None and asked.begins is None:
        return asked.until
    raise RollError("A timer is asked about with either from or until.")


def wound(asked: WoundQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what damage does, and what a Mortal Wound costs."""
    if (asked.hp is None) != (asked.damage is None):
        raise RollError("HP and damage are asked about together.")
    answer: dict[str, Any] = {}
    if asked.hp is not None and asked.damage is not None:
        struck = wounds.wound(book, asked.hp, asked.damage, asked.attack)
        answer |= {"hp": struck.hp, "wounded": struck.wounded, "save_needed": struck.save}
    if asked.stacks is not None:
        answer["given"] = [wounds.given(book, size) for size in asked.stacks]
    if asked.credits is not None:
        answer |= {"paid": wounds.given(book, asked.credits), "debt": asked.credits == 0}
    if not answer:
        raise RollError("Ask about hp with damage, stacks or credits.")
    return answer


def set_up(asked: FightQuestion, book: RuleSet) -> dict[str, Any]:
    """Return how a fight is fought, locked and heard."""
    answer: dict[str, Any] = {"mode": asked.defender}
    if asked.agree is not None:
        answer["changed"] = fight.agreed(asked.agree)
    if asked.lock is not None:
        answer["locked"] = fight.agreed(asked.lock) and not asked.admin_overrules
    if asked.shot is not None:
        shot = asked.shot
        answer["shout"] = fight.shouted(book, shot.kind, silencer=shot.silencer, first=shot.first)
    return answer


def by_call(asked: ByCall, book: RuleSet) -> dict[str, Any]:
    """Return when somebody who was called comes, and the order with them."""
    way = fight.entrance(book, "call", locked=asked.locked)
    answer: dict[str, Any] = {"allowed": way is not None, "enters_after_turn": None, "after": None}
    if way is not None:
        enters = fight.number(asked.turn) + fight.called_turns(book, near_base=asked.near_base)
        answer |= {"enters_after_turn": enters, "after": way.after}
    if asked.order is not None:
        answer["order"] = fight.ordered(asked.order, asked.caller, asked.ally)
    return answer


def by_gunfire(asked: ByGunfire, book: RuleSet) -> dict[str, Any]:
    """Return when somebody comes who heard shots, if they were heard."""
    way, heard = fight.entrance(book, "gunfire", locked=asked.locked), fight.heard(book, asked.distance_m)
    if way is None or heard is None:
        return {"allowed": False, "hears": heard is not None, "rounds": None, "after": None}
    return {"allowed": True, "hears": True, "rounds": heard.rounds, "after": way.after}


def by_claim(asked: ByClaim, book: RuleSet) -> dict[str, Any]:
    """Return when somebody comes who has claimed a place."""
    way = fight.entrance(book, "claim", locked=asked.locked)
    enters = fight.number(asked.round) + book.number("claim-rounds")
    return {"allowed": way is not None, "enters_round": None if way is None else enters}


OPS: Mapping[str, Op | Several] = {
    "effect": Op(EffectQuestion, effect),
    "timer": Op(TimerQuestion, timer),
    "wound": Op(WoundQuestion, wound),
    "fight": Op(FightQuestion, set_up),
    "arrive": Several(
        "by", {"call": Op(ByCall, by_call), "gunfire": Op(ByGunfire, by_gunfire), "claim": Op(ByClaim, by_claim)}
    ),
}
