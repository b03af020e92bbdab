"""Zones of a fight: laid for turns of their creator, they last on whoever is inside (lines 403, 437)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.arsenal import begun_anew, fighter
from rules.books.roe.catalog import DamageKind
from rules.books.roe.contests import ACTOR
from rules.books.roe.damage import Blow, Typed, blow
from rules.books.roe.explosives import ZONE, Charge, Zone, free, zones_of
from rules.books.roe.health import HEALTH, left_hp, with_hp
from rules.books.roe.injury import throws, wound_of
from rules.books.roe.lasting_rules import befalling
from rules.books.roe.marks import UNREAD
from rules.books.roe.turn_catalog import Lasting
from rules.books.roe.wounds import strikes_down
from rules.dice import Dice, Roll
from rules.effects import EFFECT, SCENE, Change, with_changes
from rules.errors import RollError
from rules.procedure import Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure
from rules.scenes import MEMBER
from rules.scores import weigh_score

INSIDE = EFFECT + ZONE
"""How the effect begins on whoever is inside, one for each zone: which it is, and what it does at the start of each turn; its number follows."""


class Step(Struct, frozen=True):
    """The inputs of going into a zone (its name in the fight) or out of it; in one's `own` turn it counts at once for the rest of that."""

    zone: str
    out: bool = False
    own: bool = False


class ZoneMethod(FrozenMethod, frozen=True):
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
            where = "isn't in" if step.out else "is already in"
            raise RollError(f"{who} {where} {zone.charge.item}.")
        if zone.charge.harms and not step.out:
            left_hp(part, ACTOR)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        """Let the zone hold from now on and take what it takes, or until the end of this turn."""
        step = convert(part.inputs, Step)
        zone = zones_of(part.kept.get(SCENE, {}))[step.zone]
        moved = tuple(begun_anew(part)) if step.own else ()
        if step.out:
            return MethodResult((), _told(f"Out of {zone.charge.item}"), {}, (*moved, *_leaving(part, step, book)))
        held = (*moved, *entered(book, zone, step.zone, part, ACTOR))
        if not step.own:
            return MethodResult((), _told(f"In {zone.charge.item}"), {}, held)
        charge = zone.charge
        made = _dose(charge, part, book, dice) if charge.harms else MethodResult((), _told(""))
        labels, struck = befallen(book, part, ACTOR, lasting_of(book, charge))
        text = ", ".join(filter(None, [made.conclusion.text, *labels]))
        told = _told(f"In {charge.item}{': ' * bool(text)}{text}", *made.conclusion.consequences)
        return MethodResult(made.steps, told, made.record, (*held, *struck, *made.changes))


def laid(charge: Charge, part: Part, name: str | None) -> tuple[str, Zone, list[Change]]:
    """Return a zone with its name and what changes: nothing more of one that is laid already."""
    if name is not None and name in part.kept.get(SCENE, {}):
        return name, zones_of(part.kept[SCENE])[name], []
    creator = fighter(part.kept, part.subjects[ACTOR])
    if creator is None:
        raise RollError("A zone's creator must be in a fight.")
    name = free(part.kept, ZONE)
    zone = Zone(charge, {"of": creator["id"], "left": charge.turns})
    return name, zone, [(SCENE, name, {"charge": charge.told, "turns": dict(zone.turns)})]


def entered(book: Book, zone: Zone, name: str, part: Part, role: str) -> Iterator[Change]:
    """Yield what lasts on whoever is in a zone, as long as it does: what it does at each start of a turn, and its effects.

    What lasts by its own rule befalls at those starts alone. Of an effect that lasts already, that which is not over earlier stays.
    """
    who, charge = part.subjects[role], zone.charge
    counted = zone.counted if zone.entry else dict(zone.turns)
    harm = {"dice": charge.dice, "more": charge.more, "kind": charge.kind} if charge.harms else {}
    befalls = lasting_of(book, charge)
    more = {"befalls": befalls} if befalls else {}
    yield who, EFFECT + name, {"turns": counted, "zone": name, "label": f"In {charge.item}", **harm, **more}
    for effect in charge.effects:
        before = part.kept.get(who, {}).get(EFFECT + effect)
        longer = before is None or ("turns" in before and before["turns"]["left"] < counted["left"])
        if effect not in befalls and longer:
            yield who, EFFECT + effect, {"turns": counted, "zone": name}


def lasting_of(book: Book, charge: Charge) -> list[str]:
    """Return what of a charge's effects lasts by its own rule, with stacks, immunity and what options make of its turns."""
    return [effect for effect in charge.effects if effect in book.listed(Lasting)]


def befallen(book: Book, part: Part, role: str, names: Iterable[str]) -> tuple[list[str], list[Change]]:
    """Return what befalls whoever is in zones in the own turn, as labels and changes: it counts from this turn on (line 437).

    What takes HP at the starts of turns does so from the next one on.
    """
    who = part.subjects[role]
    labels: list[str] = []
    changes: list[Change] = []
    value = fighter(part.kept, who)
    for name in names if value is not None else ():
        entry = book.listed(Lasting)[name]
        for item in befalling(book, part, role, name):
            deed = book.deeds[item.do]
            left = (item.turns or deed.end.count) + entry.takes
            amount = {} if item.amount is None else {"amount": item.amount}
            turns = {"of": value["id"], "left": left, "since": 0} if value else {}
            changes.append((who, EFFECT + (deed.effect or ""), {"turns": turns, **amount}))
            labels += [entry.label.lower()] if deed.effect == entry.effect else []
            part = replace(part, kept=with_changes(part.kept, changes[-1:]))
    return labels, changes


def inside(part: Part, name: str, who: str) -> bool:
    """Tell whether somebody is in a zone, and has not left it."""
    value = part.kept.get(who, {}).get(EFFECT + name)
    return value is not None and "zone" in value


def around(part: Part) -> list[tuple[Charge, Sequence[str]]]:
    """Return what each zone does in which whoever acts begins a turn: to HP, and what befalls by its own rule."""
    kept = part.kept.get(part.subjects[ACTOR], {})
    values = [value for name, value in sorted(kept.items()) if name.startswith(INSIDE) and "zone" in value]
    return [(_charge(value), value.get("befalls", ())) for value in values]


def _charge(value: Mapping[str, Any]) -> Charge:
    return Charge(value["label"], value.get("dice"), value.get("more", 0), value.get("kind", ""))


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
    text = f"{done.damage} damage{'; down' if down else ''}"
    changes = (with_hp(part, ACTOR, left),) if done.damage else ()
    return MethodResult(throws(hp, rolls, done, charge.more), _told(text, *follows), {"damage": done.damage}, changes)


def _leaving(part: Part, step: Step, book: Book) -> Iterator[Change]:
    """Yield what becomes of what a zone did to whoever leaves it: it ends with the own turn, or at once in another's (line 403).

    An effect that another zone has too, in which one still is, lasts on by that.
    """
    who = part.subjects[ACTOR]
    value = fighter(part.kept, who)
    held = {name: item for name, item in part.kept.get(who, {}).items() if name.startswith(EFFECT)}
    gone = [name for name, item in held.items() if item.get("zone") == step.zone]
    left = replace(part, kept=with_changes(part.kept, [(who, name, None) for name in gone]))
    zones = zones_of(part.kept.get(SCENE, {})).items()
    others = [(name, zone) for name, zone in zones if name != step.zone and inside(part, name, who)]
    still = {name: new for other, zone in others for _, name, new in entered(book, zone, other, left, ACTOR)}
    for name in gone:
        turns = {"of": value["id"], "left": 1, "since": 0} if value else {}
        rest = {key: kept for key, kept in held[name].items() if key not in {"zone", "turns"}}
        yield who, name, still.get(name) or ({**rest, "turns": turns} if step.own and value else None)


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
