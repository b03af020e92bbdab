"""Grenades and zones in play (lines 399, 403, 437)."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, convert
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe import explosives
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind
from rules.books.roe.characters import find_fighter, restart_reloading
from rules.books.roe.contests import BY_ACT, ONCE, SureMethod, conclude_act
from rules.books.roe.damage import DamageTotal, total_plain_damage
from rules.books.roe.fights import FIGHT, UNREAD
from rules.books.roe.hiding import expose
from rules.books.roe.turns import LastingMark, apply_lasting
from rules.books.roe.weapons import is_in_throw
from rules.books.roe.wounds import HEALTH, count_hp_left, describe_harm, make_wound, show_damage, strikes_down, with_hp
from rules.dice import Dice, Roll
from rules.effects import EFFECT, SCENE, Change, with_changes
from rules.errors import RollError
from rules.procedure import FrozenMethod, MethodResult, Part, Procedure
from rules.scenes import MEMBER

INSIDE = EFFECT + explosives.ZONE
"""The prefix, before a zone's number, of the effect of being inside."""
_ZONE, _GRENADE = "{actor} and a zone", "{actor} and a grenade"


class _ZoneMove(Struct, frozen=True):
    """The inputs of going into or out of a zone; in one's `own` turn it counts at once."""

    zone: str
    out: bool = False
    own: bool = False


class _ZoneMethod(FrozenMethod, frozen=True):
    """Going into a zone, which no one dodges (line 84), or out."""

    keeps: tuple[str, ...] = (HEALTH, MEMBER, EFFECT, explosives.ZONE)
    skips: tuple[str, ...] = UNREAD

    def check(self, part: Part, _book: Book) -> None:
        step, who = convert(part.inputs, _ZoneMove), part.subjects[ACTOR]
        zone = explosives.read_zones(part.kept.get(SCENE, {})).get(step.zone)
        if zone is None:
            raise RollError("That zone is gone.")
        if step.out != _is_inside(part, step.zone, who):
            where = "isn't in" if step.out else "is already in"
            raise RollError(f"{who} {where} {zone.charge.item}.")
        if zone.charge.harms and not step.out:
            count_hp_left(part, ACTOR)

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        step = convert(part.inputs, _ZoneMove)
        zone = explosives.read_zones(part.kept.get(SCENE, {}))[step.zone]
        moved = tuple(restart_reloading(part)) if step.own else ()
        if step.out:
            return MethodResult((), conclude_act(f"Out of {zone.charge.item}"), {}, (*moved, *_leave(part, step, book)))
        held = (*moved, *enter_zone(book, zone, step.zone, part, ACTOR))
        if not step.own:
            return MethodResult((), conclude_act(f"In {zone.charge.item}"), {}, held)
        charge = zone.charge
        made = _dose(charge, part, book, dice) if charge.harms else MethodResult((), conclude_act(""))
        labels, struck = befall_now(book, part, ACTOR, _list_lasting(book, charge))
        text = ", ".join(filter(None, [made.conclusion.text, *labels]))
        conclusion = conclude_act(f"In {charge.item}{': ' * bool(text)}{text}", *made.conclusion.consequences)
        return MethodResult(made.steps, conclusion, made.record, (*held, *struck, *made.changes))


def lay_zone(charge: explosives.Charge, part: Part, name: str | None) -> tuple[str, explosives.FightZone, list[Change]]:
    """Return a zone's name, the zone, and the changes that lay it; no changes if it's already there."""
    if name is not None and name in part.kept.get(SCENE, {}):
        return name, explosives.read_zones(part.kept[SCENE])[name], []
    creator = find_fighter(part, ACTOR)
    if creator is None:
        raise RollError("A zone's creator must be in a fight.")
    name = explosives.find_free_name(part.kept, explosives.ZONE)
    zone = explosives.FightZone(charge, {"of": creator["id"], "left": charge.turns})
    return name, zone, [(SCENE, name, {"charge": charge.as_json, "turns": dict(zone.turns)})]


def enter_zone(book: Book, zone: explosives.FightZone, name: str, part: Part, role: str) -> Iterator[Change]:
    """Yield the changes for a fighter in a zone: its damage and effects.

    Effects with their own rule start only at the start of a turn. A running effect that ends later stays.
    """
    who, charge = part.subjects[role], zone.charge
    turns = zone.effect_turns if zone.entry else dict(zone.turns)
    harm = {"dice": charge.dice, "more": charge.more, "kind": charge.kind} if charge.harms else {}
    lasting = _list_lasting(book, charge)
    more = {"befalls": lasting} if lasting else {}
    yield who, EFFECT + name, {"turns": turns, "zone": name, "label": f"In {charge.item}", **harm, **more}
    for effect in charge.effects:
        before = part.kept.get(who, {}).get(EFFECT + effect)
        longer = before is None or ("turns" in before and before["turns"]["left"] < turns["left"])
        if effect not in lasting and longer:
            yield who, EFFECT + effect, {"turns": turns, "zone": name}


def _list_lasting(book: Book, charge: explosives.Charge) -> list[str]:
    return [effect for effect in charge.effects if effect in book.entries_of(LastingMark)]


def befall_now(book: Book, part: Part, role: str, names: Iterable[str]) -> tuple[list[str], list[Change]]:
    """Start lasting effects on a fighter; return labels and changes, none outside of a fight (line 437).

    What takes HP each turn starts with the next one.
    """
    who = part.subjects[role]
    labels: list[str] = []
    changes: list[Change] = []
    value = find_fighter(part, role)
    for name in names if value is not None else ():
        entry = book.entries_of(LastingMark)[name]
        for item in apply_lasting(book, part, role, name):
            rule = book.deeds[item.do]
            left = (item.turns or rule.end.count) + entry.takes
            amount = {} if item.amount is None else {"amount": item.amount}
            turns = {"of": value["id"], "left": left, "since": 0} if value else {}
            changes.append((who, EFFECT + (rule.effect or ""), {"turns": turns, **amount}))
            labels += [entry.label.lower()] if rule.effect == entry.effect else []
            part = replace(part, kept=with_changes(part.kept, changes[-1:]))
    return labels, changes


def _is_inside(part: Part, name: str, who: str) -> bool:
    value = part.kept.get(who, {}).get(EFFECT + name)
    return value is not None and "zone" in value


def list_around(part: Part) -> list[tuple[explosives.Charge, Sequence[str]]]:
    """Return for each zone the actor is in: its damage as a charge, and the lasting effects it starts."""
    kept = part.kept.get(part.subjects[ACTOR], {})
    values = [value for name, value in sorted(kept.items()) if name.startswith(INSIDE) and "zone" in value]
    return [
        (
            explosives.Charge(value["label"], value.get("dice"), value.get("more", 0), value.get("kind", "")),
            value.get("befalls", ()),
        )
        for value in values
    ]


def throw_dose(charge: explosives.Charge, part: Part, book: Book, dice: Dice) -> tuple[list[Roll], DamageTotal]:
    """Throw a zone's damage to the actor; return the rolls and the total less DR."""
    rolls, kind = [dice.roll(charge.term)] if charge.term else [], book.entries_of(DamageKind)[charge.kind]
    return rolls, total_plain_damage(part, book, ACTOR, kind, sum(roll.total for roll in rolls) + charge.more)


def _dose(charge: explosives.Charge, part: Part, book: Book, dice: Dice) -> MethodResult:
    hp, (rolls, done) = count_hp_left(part, ACTOR), throw_dose(charge, part, book, dice)
    left, down = max(0, hp - done.damage), strikes_down(hp, done.damage)
    follows = (make_wound(book, part, ACTOR),) if down else ()
    conclusion = conclude_act(describe_harm(done.damage, down=down), *follows)
    changes = (with_hp(part, ACTOR, left),) if done.damage else ()
    return MethodResult(show_damage(hp, rolls, done, charge.more), conclusion, {"damage": done.damage}, changes)


def _leave(part: Part, step: _ZoneMove, book: Book) -> Iterator[Change]:
    who = part.subjects[ACTOR]
    value = find_fighter(part, ACTOR)
    held = {name: item for name, item in part.kept.get(who, {}).items() if name.startswith(EFFECT)}
    gone = [name for name, item in held.items() if item.get("zone") == step.zone]
    left = replace(part, kept=with_changes(part.kept, [(who, name, None) for name in gone]))
    zones = explosives.read_zones(part.kept.get(SCENE, {})).items()
    others = [(name, zone) for name, zone in zones if name != step.zone and _is_inside(part, name, who)]
    still = {name: new for other, zone in others for _, name, new in enter_zone(book, zone, other, left, ACTOR)}
    # An effect ends with the own turn, at once in another's (line 403), or lasts on by another zone.
    for name in gone:
        turns = {"of": value["id"], "left": 1, "since": 0} if value else {}
        rest = {key: kept for key, kept in held[name].items() if key not in {"zone", "turns"}}
        yield who, name, still.get(name) or ({**rest, "turns": turns} if step.own and value else None)


class _Grenade(Struct, frozen=True):
    """The inputs of an act with a grenade: a new `charge`, or a burning `fuse` to throw.

    `near` are those (numbers) where it lies.
    """

    charge: explosives.Charge | None = None
    fuse: str | None = None
    held: bool = False
    near: tuple[int, ...] = ()
    range_m: float | None = None


class _GrenadeMethod(SureMethod, frozen=True):
    """All acts with grenades, without dice."""

    keeps: tuple[str, ...] = (MEMBER, explosives.FUSE, FIGHT)
    manual_facts: tuple[str, ...] = (explosives.UNSEEN,)

    def settle(self, part: Part, book: Book) -> MethodResult:
        asked = convert(part.inputs, _Grenade)
        who, now = find_fighter(part, ACTOR), explosives.find_round(part.kept)
        if who is None or now is None:
            raise RollError("A fuse needs the turns of a fight. Outside of one, set the grenade off at once.")
        metres = asked.range_m
        if not asked.held and metres is not None and not is_in_throw(book, metres):
            raise RollError(f"A grenade can be thrown {book.number('thrown-m')} m at most, not {metres:g} m.")
        fuses = explosives.list_fuses(part.kept)
        if asked.charge is None:
            name = asked.fuse or ""
            burning = fuses.get(name)
            if burning is None:
                raise RollError("That grenade has already exploded or is gone.")
            if burning.held and burning.of != who["id"]:
                raise RollError(f"{burning.charge.item} is in someone's hand.")
            fuse, text = replace(burning, held=False, near=asked.near), "Thrown" if burning.held else "Thrown back"
        else:
            if asked.held and any(item.held and item.of == who["id"] for item in fuses.values()):
                raise RollError("One grenade is already in hand. Throw that one first.")
            name, last = explosives.find_free_name(part.kept, explosives.FUSE), now + book.number("grenade-turns") - 1
            fuse = explosives.Fuse(asked.charge, who["id"], last, asked.held, asked.near)
            text = "In hand" if fuse.held else "Thrown"
        when = f"{fuse.charge.item} explodes at the end of its user's turn in round {fuse.round}"
        changes = ((SCENE, name, fuse.value()), *restart_reloading(part))
        return MethodResult((), conclude_act(f"{text}: {when}", *expose(part, ACTOR)), {}, changes)


PROCEDURES = (
    Procedure("roe.grenade", "Grenade", ACTOR, RESISTER, _GRENADE, _GrenadeMethod(), _GRENADE, policy=BY_ACT),
    Procedure("roe.zone", "Zone", ACTOR, RESISTER, _ZONE, _ZoneMethod(), _ZONE, policy=ONCE),
)
