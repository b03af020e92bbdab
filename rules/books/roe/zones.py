"""Grenades and zones in play: primed, thrown and held; laid for turns of their creator, lasting on whoever is inside (lines 399, 403, 437)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind
from rules.books.roe.characters import find_fighter, restart_reloading
from rules.books.roe.contests import BY_ACT, ONCE, SureMethod, conclude_act
from rules.books.roe.damage import DamageTotal, total_plain_damage
from rules.books.roe.explosives import (
    FUSE,
    UNSEEN,
    ZONE,
    Charge,
    FightZone,
    Fuse,
    find_free_name,
    find_round,
    list_fuses,
    read_zones,
)
from rules.books.roe.fights import FIGHT, UNREAD
from rules.books.roe.hiding import expose
from rules.books.roe.turns import Lasting, apply_lasting
from rules.books.roe.weapons import is_in_throw
from rules.books.roe.wounds import HEALTH, describe_harm, left_hp, make_wound, show_damage, strikes_down, with_hp
from rules.dice import Dice, Roll
from rules.effects import EFFECT, SCENE, Change, with_changes
from rules.errors import RollError
from rules.procedure import FrozenMethod, MethodResult, Part, Procedure
from rules.scenes import MEMBER

INSIDE = EFFECT + ZONE
"""How the effect begins on whoever is inside, one for each zone: which it is, and what it does at the start of each turn; its number follows."""
_ZONE, _GRENADE = "{actor} and a zone", "{actor} and a grenade"


class ZoneMove(Struct, frozen=True):
    """The inputs of going into a zone (its name in the fight) or out of it; in one's `own` turn it counts at once for the rest of that."""

    zone: str
    out: bool = False
    own: bool = False


class _ZoneMethod(FrozenMethod, frozen=True):
    """The method of going into a zone, which nobody dodges (line 84), or out of it."""

    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, ZONE)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, _book: Book) -> None:
        step, who = convert(part.inputs, ZoneMove), part.subjects[ACTOR]
        zone = read_zones(part.kept.get(SCENE, {})).get(step.zone)
        if zone is None:
            raise RollError("That zone is gone.")
        if step.out != is_inside(part, step.zone, who):
            where = "isn't in" if step.out else "is already in"
            raise RollError(f"{who} {where} {zone.charge.item}.")
        if zone.charge.harms and not step.out:
            left_hp(part, ACTOR)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        step = convert(part.inputs, ZoneMove)
        zone = read_zones(part.kept.get(SCENE, {}))[step.zone]
        moved = tuple(restart_reloading(part)) if step.own else ()
        if step.out:
            return MethodResult((), conclude_act(f"Out of {zone.charge.item}"), {}, (*moved, *_leave(part, step, book)))
        held = (*moved, *enter_zone(book, zone, step.zone, part, ACTOR))
        if not step.own:
            return MethodResult((), conclude_act(f"In {zone.charge.item}"), {}, held)
        charge = zone.charge
        made = _dose(charge, part, book, dice) if charge.harms else MethodResult((), conclude_act(""))
        labels, struck = befall_now(book, part, ACTOR, list_lasting(book, charge))
        text = ", ".join(filter(None, [made.conclusion.text, *labels]))
        told = conclude_act(f"In {charge.item}{': ' * bool(text)}{text}", *made.conclusion.consequences)
        return MethodResult(made.steps, told, made.record, (*held, *struck, *made.changes))


def lay_zone(charge: Charge, part: Part, name: str | None) -> tuple[str, FightZone, list[Change]]:
    """Return a zone with its name and what changes: nothing more of one that is laid already."""
    if name is not None and name in part.kept.get(SCENE, {}):
        return name, read_zones(part.kept[SCENE])[name], []
    creator = find_fighter(part, ACTOR)
    if creator is None:
        raise RollError("A zone's creator must be in a fight.")
    name = find_free_name(part.kept, ZONE)
    zone = FightZone(charge, {"of": creator["id"], "left": charge.turns})
    return name, zone, [(SCENE, name, {"charge": charge.told, "turns": dict(zone.turns)})]


def enter_zone(book: Book, zone: FightZone, name: str, part: Part, role: str) -> Iterator[Change]:
    """Yield what lasts on whoever is in a zone, as long as it does: what it does at each start of a turn, and its effects.

    What lasts by its own rule befalls at those starts alone. Of an effect that lasts already, that which is not over earlier stays.
    """
    who, charge = part.subjects[role], zone.charge
    counted = zone.counted if zone.entry else dict(zone.turns)
    harm = {"dice": charge.dice, "more": charge.more, "kind": charge.kind} if charge.harms else {}
    befalls = list_lasting(book, charge)
    more = {"befalls": befalls} if befalls else {}
    yield who, EFFECT + name, {"turns": counted, "zone": name, "label": f"In {charge.item}", **harm, **more}
    for effect in charge.effects:
        before = part.kept.get(who, {}).get(EFFECT + effect)
        longer = before is None or ("turns" in before and before["turns"]["left"] < counted["left"])
        if effect not in befalls and longer:
            yield who, EFFECT + effect, {"turns": counted, "zone": name}


def list_lasting(book: Book, charge: Charge) -> list[str]:
    """Return what of a charge's effects lasts by its own rule, with stacks, immunity and what options make of its turns."""
    return [effect for effect in charge.effects if effect in book.listed(Lasting)]


def befall_now(book: Book, part: Part, role: str, names: Iterable[str]) -> tuple[list[str], list[Change]]:
    """Return what befalls whoever is in zones in the own turn, as labels and changes: it counts from this turn on (line 437).

    What takes HP at the starts of turns does so from the next one on.
    """
    who = part.subjects[role]
    labels: list[str] = []
    changes: list[Change] = []
    value = find_fighter(part, role)
    for name in names if value is not None else ():
        entry = book.listed(Lasting)[name]
        for item in apply_lasting(book, part, role, name):
            deed = book.deeds[item.do]
            left = (item.turns or deed.end.count) + entry.takes
            amount = {} if item.amount is None else {"amount": item.amount}
            turns = {"of": value["id"], "left": left, "since": 0} if value else {}
            changes.append((who, EFFECT + (deed.effect or ""), {"turns": turns, **amount}))
            labels += [entry.label.lower()] if deed.effect == entry.effect else []
            part = replace(part, kept=with_changes(part.kept, changes[-1:]))
    return labels, changes


def is_inside(part: Part, name: str, who: str) -> bool:
    """Tell whether somebody is in a zone, and has not left it."""
    value = part.kept.get(who, {}).get(EFFECT + name)
    return value is not None and "zone" in value


def list_around(part: Part) -> list[tuple[Charge, Sequence[str]]]:
    """Return what each zone does in which whoever acts begins a turn: to HP, and what befalls by its own rule."""
    kept = part.kept.get(part.subjects[ACTOR], {})
    values = [value for name, value in sorted(kept.items()) if name.startswith(INSIDE) and "zone" in value]
    return [(_read_charge(value), value.get("befalls", ())) for value in values]


def _read_charge(value: Mapping[str, Any]) -> Charge:
    return Charge(value["label"], value.get("dice"), value.get("more", 0), value.get("kind", ""))


def throw_dose(charge: Charge, part: Part, book: Book, dice: Dice) -> tuple[list[Roll], DamageTotal]:
    """Throw what a zone takes of whoever acts: its dice, and what they come to less damage reduction."""
    rolls, kind = [dice.roll(charge.term)] if charge.term else [], book.listed(DamageKind)[charge.kind]
    return rolls, total_plain_damage(part, book, ACTOR, kind, sum(roll.total for roll in rolls) + charge.more)


def _dose(charge: Charge, part: Part, book: Book, dice: Dice) -> MethodResult:
    """Take what a zone takes of whoever acts; no saving roll is due (A24)."""
    hp, (rolls, done) = left_hp(part, ACTOR), throw_dose(charge, part, book, dice)
    left, down = max(0, hp - done.damage), strikes_down(hp, done.damage)
    follows = (make_wound(book, part, ACTOR),) if down else ()
    text = describe_harm(done.damage, down=down)
    changes = (with_hp(part, ACTOR, left),) if done.damage else ()
    return MethodResult(
        show_damage(hp, rolls, done, charge.more), conclude_act(text, *follows), {"damage": done.damage}, changes
    )


def _leave(part: Part, step: ZoneMove, book: Book) -> Iterator[Change]:
    """Yield what becomes of what a zone did to whoever leaves it: it ends with the own turn, or at once in another's (line 403).

    An effect that another zone has too, in which one still is, lasts on by that.
    """
    who = part.subjects[ACTOR]
    value = find_fighter(part, ACTOR)
    held = {name: item for name, item in part.kept.get(who, {}).items() if name.startswith(EFFECT)}
    gone = [name for name, item in held.items() if item.get("zone") == step.zone]
    left = replace(part, kept=with_changes(part.kept, [(who, name, None) for name in gone]))
    zones = read_zones(part.kept.get(SCENE, {})).items()
    others = [(name, zone) for name, zone in zones if name != step.zone and is_inside(part, name, who)]
    still = {name: new for other, zone in others for _, name, new in enter_zone(book, zone, other, left, ACTOR)}
    for name in gone:
        turns = {"of": value["id"], "left": 1, "since": 0} if value else {}
        rest = {key: kept for key, kept in held[name].items() if key not in {"zone", "turns"}}
        yield who, name, still.get(name) or ({**rest, "turns": turns} if step.own and value else None)


class Grenade(Struct, frozen=True):
    """The inputs of an act with a grenade: one that is primed (`charge`), and `held` or thrown; or one whose `fuse` burns, to be thrown.

    `near` are those (numbers) who stand in its radius where it lies; it is thrown so many metres.
    """

    charge: Charge | None = None
    fuse: str | None = None
    held: bool = False
    near: tuple[int, ...] = ()
    range_m: float | None = None


class _GrenadeMethod(SureMethod, frozen=True):
    """The method of all acts with grenades, without a die."""

    keeps: tuple[str, ...] = (MEMBER, FUSE, FIGHT)
    manual_facts: tuple[str, ...] = (UNSEEN,)

    def done(self, part: Part, book: Book) -> MethodResult:
        asked = convert(part.inputs, Grenade)
        who, now = find_fighter(part, ACTOR), find_round(part.kept)
        if who is None or now is None:
            raise RollError("A fuse needs the turns of a fight. Outside of one, set the grenade off at once.")
        if not asked.held:
            check_throw(book, asked.range_m)
        if asked.charge is None:
            name, fuse, text = _move(asked, part, who["id"])
        else:
            name, fuse = find_free_name(part.kept, FUSE), _prime(asked, asked.charge, part, book, who["id"])
            text = "In hand" if fuse.held else "Thrown"
        when = f"{fuse.charge.item} explodes at the end of its user's turn in round {fuse.round}"
        changes = ((SCENE, name, fuse.value()), *restart_reloading(part))
        return MethodResult((), conclude_act(f"{text}: {when}", *expose(part, ACTOR)), {}, changes)


def _prime(asked: Grenade, charge: Charge, part: Part, book: Book, who: int) -> Fuse:
    if asked.held and any(item.held and item.of == who for item in list_fuses(part.kept).values()):
        raise RollError("One grenade is already in hand. Throw that one first.")
    last = (find_round(part.kept) or 0) + book.number("grenade-turns") - 1
    return Fuse(charge, who, last, asked.held, asked.near)


def _move(asked: Grenade, part: Part, who: int) -> tuple[str, Fuse, str]:
    """Return a grenade that is thrown out of the hand, or back."""
    name = asked.fuse or ""
    fuse = list_fuses(part.kept).get(name)
    if fuse is None:
        raise RollError("That grenade has already exploded or is gone.")
    if fuse.held and fuse.of != who:
        raise RollError(f"{fuse.charge.item} is in someone's hand.")
    return name, replace(fuse, held=False, near=asked.near), "Thrown" if fuse.held else "Thrown back"


def check_throw(book: Book, metres: float | None) -> None:
    """Refuse to throw something farther than anybody can (line 394)."""
    if metres is not None and not is_in_throw(book, metres):
        raise RollError(f"A grenade can be thrown {book.number('thrown-m')} m at most, not {metres:g} m.")


PROCEDURES = (
    Procedure("roe.grenade", "Grenade", ACTOR, RESISTER, _GRENADE, _GrenadeMethod(), _GRENADE, policy=BY_ACT),
    Procedure("roe.zone", "Zone", ACTOR, RESISTER, _ZONE, _ZoneMethod(), _ZONE, policy=ONCE),
)
