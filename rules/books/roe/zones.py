"""Grenades and zones in play, and the start of a turn (lines 43, 100, 399, 403, 437 to 459)."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct, convert
from msgspec.structs import replace

from rules import procedure, tables
from rules.book import Book
from rules.books.roe import explosives, fights, hiding, weapons, wounds
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind
from rules.books.roe.characters import find_fighter, find_score, mark_fighter, restart_reloading
from rules.books.roe.contests import BY_ACT, ONCE, SureMethod, conclude_act
from rules.books.roe.damage import DamageTotal, total_plain_damage
from rules.books.roe.handling import TURN, TURN_START, count_allowance
from rules.books.roe.turns import LastingMark, apply_lasting, settle_wound
from rules.dice import Dice, DiceTerm, Roll
from rules.effects import EFFECT, SCENE, Change
from rules.errors import RollError
from rules.procedure import Conclusion, FrozenMethod, MethodResult, Part, Procedure, Throw, with_changes
from rules.scenes import MEMBER

_KNOWN_HP, _BACK, _DR, _DOWN = f"{ACTOR}.hp", "hp-per-round", "dr", "wounded"
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

    keeps: tuple[str, ...] = (wounds.HEALTH, MEMBER, EFFECT, explosives.ZONE)
    skips: tuple[str, ...] = fights.UNREAD

    def check(self, part: Part, _book: Book) -> None:
        step, who = convert(part.inputs, _ZoneMove), part.subjects[ACTOR]
        zone = explosives.read_zones(part.kept.get(SCENE, {})).get(step.zone)
        if zone is None:
            raise RollError("That zone is gone.")
        if step.out != _is_inside(part, step.zone, who):
            where = "isn't in" if step.out else "is already in"
            raise RollError(f"{who} {where} {zone.charge.item}.")
        if zone.charge.harms and not step.out:
            wounds.count_hp_left(part, ACTOR)

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
    turns = {"since": zone.entry, **zone.turns} if zone.entry else dict(zone.turns)  # it ends with the zone
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
    hp, (rolls, done) = wounds.count_hp_left(part, ACTOR), throw_dose(charge, part, book, dice)
    left, down = max(0, hp - done.damage), wounds.strikes_down(hp, done.damage)
    follows = (wounds.make_wound(book, part, ACTOR),) if down else ()
    conclusion = conclude_act(wounds.describe_harm(done.damage, down=down), *follows)
    changes = (wounds.with_hp(part, ACTOR, left),) if done.damage else ()
    return MethodResult(wounds.show_damage(hp, rolls, done, charge.more), conclusion, {"damage": done.damage}, changes)


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
    """An act with a grenade: a new `charge`, or a burning `fuse` to throw."""

    charge: explosives.Charge | None = None
    fuse: str | None = None
    held: bool = False
    near: tuple[int, ...] = ()
    range_m: float | None = None


class _GrenadeMethod(SureMethod, frozen=True):
    """All acts with grenades, without dice."""

    keeps: tuple[str, ...] = (MEMBER, explosives.FUSE, fights.FIGHT)
    manual_facts: tuple[str, ...] = (explosives.UNSEEN,)

    def settle(self, part: Part, book: Book) -> MethodResult:
        asked = convert(part.inputs, _Grenade)
        who, now = find_fighter(part, ACTOR), explosives.find_round(part.kept)
        if who is None or now is None:
            raise RollError("A fuse needs the turns of a fight. Outside of one, set the grenade off at once.")
        metres = asked.range_m
        if not asked.held and metres is not None and not weapons.is_in_throw(book, metres):
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
        return MethodResult((), conclude_act(f"{text}: {when}", *hiding.expose(part, ACTOR)), {}, changes)


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


class _StartMethod(procedure.ResolutionMethod):
    """The start of a turn; `TURN` keeps it from happening twice."""

    keeps = (wounds.HEALTH, MEMBER, EFFECT)
    skips = fights.UNREAD

    def check(self, part: Part, book: Book) -> None:
        if not _list_zone_effects(book, part):
            wounds.count_hp_left(part, ACTOR)

    def lines(self, part: Part, book: Book) -> Sequence[str]:
        zones = tuple(f"{label}: {', '.join(names)}" for label, names in _list_zone_effects(book, part).items())
        if _KNOWN_HP not in part.facts:
            return zones
        if not wounds.count_hp_left(part, ACTOR):
            return ()
        ticking = _list_ticking(book, part)
        ticks = [f"{item.label}: {f'{stacks}d{item.die}' if item.die else item.amount} HP" for item, stacks in ticking]
        ticks += [f"{charge.item}: {charge.words} HP" for charge, _ in list_around(part) if charge.harms]
        back = min(wounds.count_hp_lost(part, ACTOR), find_score(book, _BACK, part.facts))
        return [*ticks, *zones, *([f"{book.scores[_BACK].label}: {back} HP back"] if back > 0 else [])]

    def play(self, part: Part, book: Book, dice: Dice) -> MethodResult:
        known = _KNOWN_HP in part.facts
        drained = _drain(part, book, dice) if known else MethodResult((), _conclude(""))
        down = known and not drained.record["hp"]
        lasting = [] if down else chain(*(more for _, more in list_around(part)))
        labels, struck = befall_now(book, part, ACTOR, lasting)
        text = ", ".join(filter(None, [drained.conclusion.text, *labels]))
        conclusion = _conclude(text or "Nothing")
        if down:
            text = f"{text}; down"
            conclusion = Conclusion(_DOWN, text, "failure", "results", (wounds.make_wound(book, part, ACTOR),))
        hp = [wounds.with_hp(part, ACTOR, drained.record["hp"])] if known else []
        changes = (*hp, *struck, *_list_changes(book, part, struck, text, down=down))
        return MethodResult(drained.steps, conclusion, {**drained.record, "wounded": down}, changes)


def _conclude(text: str) -> Conclusion:
    return Conclusion("up", text, "neutral", "results")


def _drain(part: Part, book: Book, dice: Dice) -> MethodResult:
    armour = find_score(book, _DR, part.facts)
    ticks = [_tick(book, entry, stacks, armour, dice) for entry, stacks in _list_ticking(book, part)]
    ticks += [*_list_zone_ticks(part, book, dice)]
    before, taken = wounds.count_hp_left(part, ACTOR), sum(damage for _, damage in ticks)
    after = max(0, before - taken)
    back = min(wounds.count_hp_lost(part, ACTOR) + before - after, find_score(book, _BACK, part.facts)) if after else 0
    text = ", ".join([*([f"{taken} damage"] if ticks else []), *([f"{back} HP back"] if back else [])])
    throws, score = [throw for throw, _ in ticks], book.scores[_BACK]
    if back:
        throws.append(_throw(book, score.label, f"{back} HP", (), score.line))
    return MethodResult((*throws,), _conclude(text), {"taken": taken, "back": back, "hp": after + back})


def _throw(book: Book, title: str, text: str, rolls: Sequence[Roll], line: int) -> Throw:
    return Throw(title, text, tuple(rolls), tables.Source(book.source, title), line)


def _list_zone_effects(book: Book, part: Part) -> dict[str, list[str]]:
    entries = book.entries_of(LastingMark)
    around = ((charge, names) for charge, names in list_around(part) if names)
    return {charge.item: [entries[name].label.lower() for name in names] for charge, names in around}


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
            yield _throw(book, charge.item, text, rolls, book.entries_of(LastingMark)[fights.IN_ZONE].line), done.damage


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
    yield SCENE, f"{fights.STARTED}{value['id']}", {"turn": part.inputs[TURN], "told": text}


_UNASKED, _WOUNDS, _STARTS = procedure.Policy(on_request=False), {"wound": settle_wound}, "{actor}'s turn starts"
TURN_STARTS = Procedure(
    TURN_START, "Start of the turn", ACTOR, RESISTER, _STARTS, _StartMethod(), _STARTS, policy=_UNASKED, settles=_WOUNDS
)
PROCEDURES = (
    Procedure("roe.grenade", "Grenade", ACTOR, RESISTER, _GRENADE, _GrenadeMethod(), _GRENADE, policy=BY_ACT),
    Procedure("roe.zone", "Zone", ACTOR, RESISTER, _ZONE, _ZoneMethod(), _ZONE, policy=ONCE),
)
