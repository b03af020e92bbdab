"""Values of the RoE book: sums, characters, conditions, weapons, vehicles and pets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import field
from msgspec.structs import asdict

from rules.book import Book, weigh_score
from rules.books.roe import characters, weapons
from rules.books.roe.aftermath import stack_sides
from rules.books.roe.catalog import Option, Size, Stance, Vehicle, entry_of
from rules.books.roe.handling import find_phase_m
from rules.books.roe.vehicles import bring_pet, find_builtin, find_seat
from rules.books.roe.weapons import UnknownToken, Weapon
from rules.errors import RollError
from rules.modifiers import Adjustment, Facts, Modifier
from tests.answers.lines import Answer, BadLine, Op, Question

ACCURACY = {"accuracy", "melee", "ranged"}
"""Rolls that a bonus to accuracy serves: it counts in melee and at range, unless it says otherwise (line 19)."""
ADDED = ("accuracy", "ranged-accuracy", "dodge", "stealth", "melee-damage")
"""Scores that conditions add to."""
Light = Literal["day", "night"]


class Named(Question, frozen=True):
    """A modifier by name."""

    name: str
    value: int


class Served(Named, frozen=True):
    """A modifier, its rolls, and whether it's the weapon's."""

    serves: tuple[str, ...] | None = field(default=None, name="for")
    on: Literal["character", "weapon"] = "character"


class Slots(Question, frozen=True):
    """How many things are in the slots."""

    cybernetics: int = 0
    implants: int = 0
    magika: int = 0


class Start(Question, frozen=True):
    """The conditions at a fight's start."""

    light: Light | None = None
    weather: int | None = None


Mods = tuple[int | Named, ...]
"""Modifiers as they are typed, with or without a name."""
ANY_START = Start()


def words(values: Mapping[str, Any]) -> Answer:
    """Return ids as the words of answers, also nested."""
    return {
        name.replace("-", "_"): words(value) if isinstance(value, Mapping) else value for name, value in values.items()
    }


def list_adjustments(mods: Iterable[int | Named]) -> Iterator[Adjustment]:
    """Yield modifiers as adjustments; of one name the first counts (line 17)."""
    names: set[str] = set()
    for mod in mods:
        if isinstance(mod, int):
            yield Adjustment(mod, "modifier")
        elif (key := mod.name.casefold().strip()) not in names:
            names.add(key)
            yield Adjustment(mod.value, mod.name)


def total(
    book: Book, *, mods: tuple[int | Served, ...], roll: str | None = None, gm: int = 0, seat: bool = False
) -> Answer:
    """Return modifiers before and after the cap (lines 10 to 21)."""
    most = book.number("gm-modifier")
    if abs(gm) > most:
        raise RollError(f"A game master can add or take at most {most}.")
    raw = gm + sum(item.value for item in list_adjustments(mod for mod in mods if _serves(mod, roll, seat=seat)))
    return {"raw": raw, "applied": min(raw, book.number("modifier-cap"))}


def _serves(mod: int | Served, roll: str | None, *, seat: bool) -> bool:
    if isinstance(mod, int):
        return not seat
    if seat and (mod.on == "character" or roll not in {None, "damage", *ACCURACY}):
        return False
    return mod.serves is None or roll in mod.serves or (roll in ACCURACY and "accuracy" in mod.serves)


def character(
    book: Book,
    *,
    feet: float | None = None,
    size: str | None = None,
    racials: tuple[str, ...] | None = None,
    slots: Slots | None = None,
    attachments: tuple[str, ...] = (),
) -> Answer:
    """Return a height's size classes, and an option's race and effects."""
    answer: Answer = {}
    racial: str | None = None
    if racials is not None:
        if len(racials) != 1:
            raise RollError(f"A character has exactly one racial option, not {len(racials)}.")
        option = characters.find_option(book, racials[0])
        racial = option.label
        answer |= {"race": option.race, "effects": words(_changes(book, option))}
    if feet is not None:
        if feet <= 0:
            raise RollError("A height must be above 0 feet.")
        most, sizes = book.number("approval-feet"), book.entries_of(Size).values()
        fits = [item.id for item in sizes if item.least_feet <= min(feet, most) <= item.most_feet]
        answer |= {"sizes": fits, "needs_approval": feet > most}
    if size is not None:
        entry = entry_of(book.entries_of(Size), size)
        if feet is not None and size not in answer["sizes"]:
            raise RollError(f"{entry.label} is {entry.least_feet} to {entry.most_feet} feet tall, not {feet:g}.")
    if slots is not None:
        characters.check_slots(book, **asdict(slots), racial=racial)
    characters.check_attachments(book, attachments)
    return answer


def _changes(book: Book, option: Option) -> Answer:
    found: Answer = dict(option.rules)
    for score in book.scores.values():
        for item in score.modifiers:
            for clause in (clause for clause in item.when if f"self.option.{option.id}" in clause):
                light = next((fact.removeprefix("scene.") for fact in clause if fact.startswith("scene.")), None)
                (found if light is None else found.setdefault(light, {}))[score.id] = item.value
    return found


def conditions(
    book: Book,
    *,
    size: str | None = None,
    racial: str | None = None,
    light: Light | None = None,
    weather: int = 0,
    start: Start = ANY_START,
    stance: str | None = None,
    moved: bool = False,
    against: Literal["melee", "ranged"] | None = None,
    object_m: float | None = None,
    ally_in_line: bool = False,
    sight: Literal["partial"] | None = None,
    seat: bool = False,
) -> Answer:
    """Return what size, light, weather, stance and cover add (line 77)."""
    light = start.light or light
    posture = _stance_named(book, stance, seated=seat)
    held = None if moved and posture.moving_ends else posture.fact
    facts = {
        **characters.racial_facts(book, "actor", racial),
        **({} if size is None else characters.true_facts("actor", f"size.{entry_of(book.entries_of(Size), size).id}")),
        **characters.true_facts("scene", *filter(None, [light])),
    }
    if object_m is not None and object_m < 0:
        raise RollError("The distance can't be below 0 metres.")
    # Cover counts once however much of it there is (lines 371, 377, 384, 502).
    behind = object_m is not None and object_m <= book.number("cover-m")
    covered = behind or (ally_in_line and against != "melee") or sight is not None or seat
    facts |= characters.true_facts("actor", *["cover"] * covered, *filter(None, [held]))
    attacked = {**facts, **characters.true_facts("attack", *filter(None, [against]))}
    # How one is attacked says what one's dodge is; one's own shots are at range.
    added = {score: _add_up(book, score, attacked) for score in ADDED}
    added["ranged-accuracy"] = _add_up(book, "ranged-accuracy", {**facts, **characters.true_facts("attack", "ranged")})
    added["weather"] = characters.find_weather_modifier(
        book, racial, weather if start.weather is None else start.weather
    )
    spared = racial is not None and characters.find_option(book, racial).rules.get("night-penalty") is False
    return {
        "modifiers": words({name: value for name, value in added.items() if value}),
        "light": light,
        "night_penalty": light == "night" and not spared,
    }


def _stance_named(book: Book, name: str | None, *, seated: bool) -> Stance:
    stances = book.entries_of(Stance)
    stance = entry_of(stances, next(iter(stances)) if name is None else name)
    if seated and not stance.seated:
        raise RollError(f"{stance.label}: not possible in a vehicle.")
    return stance


def _add_up(book: Book, score: str, facts: Facts) -> int:
    weighed = weigh_score(book.scores[score], "actor", facts)
    return sum(item.amount for item in weighed.modifiers if item.count and _is_condition(item.modifier))


def _is_condition(modifier: Modifier) -> bool:
    return modifier.group != "racial" or any(fact.startswith("scene.") for clause in modifier.when for fact in clause)


def stack(book: Book, *, size: int) -> Answer:
    """Return the amount die's sides."""
    return {"sides": stack_sides(book, size)}


def weapon(
    book: Book,
    *,
    token: str | None = None,
    sniper: bool | None = None,
    thrown: bool = False,
    range_m: float | None = None,
    mode: str | None = None,
    with_reload: bool = False,
) -> Answer:
    """Return what a token, a gun or a thrown thing does at a range."""
    if (token is not None) + (sniper is not None) + thrown != 1:
        raise BadLine("one of token, sniper and thrown is asked about")
    if thrown:
        return {} if range_m is None else {"in_reach": weapons.is_in_throw(book, range_m)}
    if token is None:
        return _at_range(book, range_m, sniper=bool(sniper))
    held = weapons.find_weapon(book, token)
    used = weapons.find_mode(book, held, mode)
    answer = {
        "kind": held.token.wielded,
        "firing": held.token.fire,
        "trait": "/".join(held.token.traits) or None,
        "size": held.token.size,
        "damage_sides": weapons.damage_sides(book, held, used, range_m),
        "attacks": weapons.attack_rolls(book, held, used, range_m),
        "reload_next": weapons.find_owed(held, used) == "reload",
        "reload_actions": held.reload_actions,
        "special_actions": weapons.special_actions(book, held, with_reload=with_reload),
    }
    if range_m is None:
        return answer
    at_range = _at_range(book, range_m, sniper=held.type.sniper) if held.gun else {}
    weapons.find_band(book, range_m)
    reach = weapons.reach_m(book, held)
    return {**answer, **at_range, "in_reach": reach is None or range_m <= reach}


def _at_range(book: Book, range_m: float | None, *, sniper: bool) -> Answer:
    if range_m is None:
        return {}
    band = weapons.find_band(book, range_m)
    return {
        "in_reach": True,
        "band": band.id,
        "sides": weapons.attack_sides(band, sniper=sniper),
        "can_crit": weapons.can_crit(band, sniper=sniper),
    }


def dual(
    book: Book, *, weapons_: tuple[str, str], size: str | None = None, racial: str | None = None, both: bool = True
) -> Answer:
    """Return the cost of two weapons, and whether they're allowed."""
    held = [_token_or_size(book, name) for name in weapons_]
    sizes = [item.token.size if isinstance(item, Weapon) else item for item in held]
    step = characters.find_score(book, "weapon-size-step", characters.racial_facts(book, "actor", racial))
    tokens = [item for item in held if isinstance(item, Weapon)]
    weapons.check_dual(tokens)
    penalty = weapons.dual_penalty(book, sizes, step)
    answer: Answer = {"penalty": penalty if both else 0}
    if size is not None:
        answer["allowed"] = weapons.may_dual_wield(book, size, sizes, step)
    if len(tokens) == len(held):
        rolls = [weapons.attack_rolls(book, item, weapons.find_mode(book, item)) for item in tokens]
        answer["attacks"] = sum(rolls) if both else max(rolls)
    return answer


def _token_or_size(book: Book, name: str) -> Weapon | str:
    try:
        return weapons.find_weapon(book, name)
    except UnknownToken:
        if name in weapons.list_sizes(book):
            return name
        raise


def move(
    book: Book,
    *,
    racial: str | None = None,
    stance: str | None = None,
    sprint: bool = False,
    vehicle: str | None = None,
    mods: Mods = (),
    climbing: bool = False,
    obstacles: int = 0,
    pet: bool = False,
) -> Answer:
    """Return the metres of a movement phase."""
    posture = _stance_named(book, stance, seated=vehicle is not None)
    if sprint and not posture.sprints:
        raise RollError(f"{posture.label}: sprinting isn't possible.")
    if obstacles < 0:
        raise RollError("Obstacles can't be below 0.")
    facts, score = characters.racial_facts(book, "actor", racial), book.scores["movement-m"]
    base = book.number("pet-m") if pet else score.base
    if vehicle is None:
        weighed = weigh_score(score, "actor", {} if pet else facts)
        added = [*(item.amount for item in weighed.modifiers), *(item.value for item in list_adjustments(mods))]
        metres = find_phase_m(book, posture, base, added, sprint=sprint)
    else:
        metres = base + entry_of(book.entries_of(Vehicle), vehicle).metres
    if climbing:
        metres //= book.number("climbing-part")
    return {"metres": max(metres - obstacles * book.number("obstacle-m"), 0)}


def vehicle(book: Book, *, class_: str, role: str | None = None) -> Answer:
    """Return a vehicle's values, and what a role allows."""
    found = entry_of(book.entries_of(Vehicle), class_)
    builtin = find_builtin(book, found)
    answer = {"hp": found.hp, "weapon_slots": found.slots, "protected": found.protected, "builtin": builtin}
    if role is None:
        return answer
    seat = find_seat(book, found, role)
    return {**answer, "rolls_dodge": seat.rolls_dodge, "moves": seat.moves, "may_fire": seat.may_fire}


def pet(
    book: Book,
    *,
    level: int,
    type_: str | None = None,
    racial: str | None = None,
    out: int = 0,
    owner_down: bool = False,
) -> Answer:
    """Return a pet's values, and whether it stays."""
    brought, kind = bring_pet(book, level, type_, racial, out)
    state = "withdrawn" if owner_down else "out"
    return {"hp": brought.hp, "damage_sides": brought.die, "attack": kind.attack, "state": state}


_NAMED = (character, conditions, stack, weapon, dual, move, vehicle, pet)
OPS: Mapping[str, Op] = {"sum": total, **{op.__name__: op for op in _NAMED}}
