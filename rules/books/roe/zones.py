"""Zones of a fight: laid for turns of their creator, they last on whoever is inside (lines 403, 437)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import Struct, convert

from rules.book import Book
from rules.books.roe.arsenal import begun_anew, fighter
from rules.books.roe.catalog import DamageKind
from rules.books.roe.contests import ACTOR
from rules.books.roe.damage import Blow, Typed, blow
from rules.books.roe.explosives import ZONE, Charge, Zone, free, zones_of
from rules.books.roe.health import HEALTH, left_hp, with_hp
from rules.books.roe.injury import throws, wound_of
from rules.books.roe.marks import IN_ZONE, UNREAD
from rules.books.roe.turn_catalog import Lasting
from rules.books.roe.wounds import strikes_down
from rules.dice import Dice, Roll
from rules.effects import EFFECT, SCENE, Change
from rules.errors import RollError
from rules.procedure import Conclusion, MethodResult, Part, Policy, Procedure, ResolutionMethod
from rules.scenes import MEMBER
from rules.scores import weigh_score

INSIDE = EFFECT + IN_ZONE
"""The effect on whoever is inside: which zone it is, and what it does at the start of each turn."""


class Step(Struct, frozen=True):
    """The inputs of going into a zone (its name in the fight) or out of it; in one's `own` turn it counts at once for the rest of that."""

    zone: str
    out: bool = False
    own: bool = False


@dataclass(frozen=True, slots=True)
class ZoneMethod(ResolutionMethod):
    """The method of going into a zone, which nobody dodges (line 84), or out of it."""

    tables: tuple[str, ...] = ()
    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, ZONE)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, _book: Book) -> None:
        """Refuse a zone that is gone, to go in twice, and to leave one where one is not."""
        step, who = convert(part.inputs, Step), part.subjects[ACTOR]
        zone = zones_of(part.kept.get(SCENE, {})).get(step.zone)
        if zone is None:
            raise RollError("That zone is gone.")
        if step.out != inside(part, step.zone, who):
            raise RollError(
                f"{who} is {'not in' if step.out else 'in'} {zone.charge.item}{'' if step.out else ' already'}."
            )
        if zone.charge.harms and not step.out:
            left_hp(part, ACTOR)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Let the zone hold from now on and take what it takes, or until the end of this turn."""
        step = convert(part.inputs, Step)
        zone = zones_of(part.kept.get(SCENE, {}))[step.zone]
        moved = tuple(begun_anew(part)) if step.own else ()
        if step.out:
            return MethodResult((), _told(f"Out of {zone.charge.item}"), {}, (*moved, *_leaving(part, step)))
        held = (*moved, *entered(book, zone, step.zone, part, ACTOR))
        made = (
            _dose(zone.charge, part, book, dice) if step.own and zone.charge.harms else MethodResult((), _told("In it"))
        )
        text = f"In {zone.charge.item}{made.conclusion.text.removeprefix('In it')}"
        told = _told(text, *made.conclusion.consequences)
        return MethodResult(made.steps, told, made.record, (*held, *made.changes))


def laid(charge: Charge, part: Part, name: str | None) -> tuple[str, Zone, list[Change]]:
    """Return a zone with its name and what changes: nothing more of one that is laid already.

    Raises:
        RollError: its creator stands in no fight.

    """
    if name is not None and name in part.kept.get(SCENE, {}):
        return name, zones_of(part.kept[SCENE])[name], []
    creator = fighter(part.kept, part.subjects[ACTOR])
    if creator is None:
        raise RollError("A zone lasts for turns of its creator, who stands in no fight.")
    name = free(part.kept, ZONE)
    zone = Zone(charge, {"of": creator["id"], "left": charge.turns})
    return name, zone, [(SCENE, name, {"charge": charge.told, "turns": dict(zone.turns)})]


def entered(book: Book, zone: Zone, name: str, part: Part, role: str) -> Iterator[Change]:
    """Yield what lasts on whoever is in a zone, as long as it does: what it takes at each start of a turn, and its effects."""
    who = part.subjects[role]
    counted = zone.counted if zone.entry else dict(zone.turns)
    harm = {"dice": zone.charge.dice, "more": zone.charge.more, "kind": zone.charge.kind} if zone.charge.harms else {}
    yield who, INSIDE, {"turns": counted, "zone": name, **harm}
    for effect in zone.charge.effects:
        yield who, EFFECT + _trait(book, effect), {"turns": counted, "zone": name}


def inside(part: Part, name: str, who: str) -> bool:
    """Tell whether somebody is in a zone, and has not left it."""
    value = part.kept.get(who, {}).get(INSIDE)
    return value is not None and value.get("zone") == name


def harming(part: Part) -> Charge | None:
    """Return what the zone does in which whoever acts is; None where it takes no HP, or there is none."""
    value = part.kept.get(part.subjects[ACTOR], {}).get(INSIDE, {})
    charge = Charge("", value.get("dice"), value.get("more", 0), value.get("kind", ""))
    return charge if charge.harms else None


def dosed(charge: Charge, part: Part, book: Book, dice: Dice) -> tuple[list[Roll], Blow]:
    """Throw what a zone takes of whoever acts: its dice, and what they come to less damage reduction."""
    rolls, kind = [dice.roll(charge.term)] if charge.term else [], book.listed(DamageKind)[charge.kind]
    dr = sum(weigh_score(book.scores[score], ACTOR, part.facts, part.marks).raw for score in kind.dr)
    return rolls, blow(book, sum(roll.total for roll in rolls) + charge.more, [Typed(kind.id, 0, dr)])


def _dose(charge: Charge, part: Part, book: Book, dice: Dice) -> MethodResult:
    """Take what a zone takes of whoever acts; no saving roll is due (A24)."""
    hp, (rolls, done) = left_hp(part, ACTOR), dosed(charge, part, book, dice)
    left, down = max(0, hp - done.damage), strikes_down(hp, done.damage)
    follows = (wound_of(book, part, ACTOR),) if down else ()
    text = f"In it: {done.damage} damage{'; down' if down else ''}"
    changes = (with_hp(part, ACTOR, left),) if done.damage else ()
    return MethodResult(throws(hp, rolls, done, charge.more), _told(text, *follows), {"damage": done.damage}, changes)


def _leaving(part: Part, step: Step) -> Iterator[Change]:
    """Yield what becomes of what a zone did to whoever leaves it: it ends with the own turn, or at once in another's (line 403)."""
    who = part.subjects[ACTOR]
    value = fighter(part.kept, who)
    held = {name: item for name, item in part.kept.get(who, {}).items() if name.startswith(EFFECT)}
    for name, item in held.items():
        if item.get("zone") == step.zone:
            turns = {"of": value["id"], "left": 1, "since": 0} if value else {}
            rest = {key: kept for key, kept in item.items() if key not in {"zone", "turns"}}
            yield who, name, {**rest, "turns": turns} if step.own and value else None


def _trait(book: Book, effect: str) -> str:
    entry = book.listed(Lasting).get(effect)
    return effect if entry is None or entry.effect is None else entry.effect


def _told(text: str, *follows: Any) -> Conclusion:  # noqa: ANN401 - consequences
    return Conclusion("done", text, "neutral", "results", follows)


PROCEDURE = Procedure(
    family="roe.zone",
    title="Zone",
    actor=ACTOR,
    subject="resister",
    headline="{actor} and a zone",
    headline_alone="{actor} and a zone",
    method=ZoneMethod(),
    policy=Policy(again="never"),
)
