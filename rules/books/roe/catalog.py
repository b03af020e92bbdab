"""What the RoE book lists besides tables: options, weapon tokens, vehicles and so on."""

from collections.abc import Mapping
from typing import Literal, TypeVar

from msgspec import Struct

from rules import errors, modifiers, phrases
from rules.kinds import CatalogEntry

ACTOR, RESISTER = "actor", "resister"
EntryT = TypeVar("EntryT", bound=CatalogEntry)
WeaponKind = Literal["ranged", "melee", "magika"]
DamageType = Literal["melee", "ballistic", "magika", "explosive"]
Fire = Literal["auto", "semi"]
Handling = Fire | Literal["hand"]
"""Guns by their fire, all others by hand."""


class Option(CatalogEntry, frozen=True):
    """A racial option; scores list its modifiers, `rules` what else it changes."""

    kind = "option"
    race: int
    rules: Mapping[str, int | bool | str] = {}


class Rule(CatalogEntry, frozen=True):
    """What racial options change besides rolls, by id."""

    kind = "rule"


class Race(CatalogEntry, frozen=True):
    """A race; `place` is its number, 1 to 9."""

    kind = "race"
    place: int


class Size(CatalogEntry, frozen=True):
    """A size class with its heights, and the largest weapons it dual wields."""

    kind = "size"
    least_feet: int
    most_feet: int
    dual_wields: str


class WeaponClass(CatalogEntry, frozen=True):
    """How a class of weapons differs from its size and fire; None where it doesn't.

    `cycle` is the turns of fire before a `reload` of that many Actions; `rack` and `bolt` follow each shot; `mortal` hits
    may call for a saving roll; `fuel` may explode when its bearer goes down.
    """

    kind = "weapon-class"
    die: int | None = None
    close_die: int | None = None
    rolls: int | None = None
    far_rolls: int | None = None
    cycle: int = 1
    reload: int = 1
    reach: int | None = None
    sniper: bool = False
    long: bool = False
    bolt: bool = False
    rack: bool = False
    trait: str | None = None
    stuns: bool = False
    explosive: bool = False
    pierces_armour: bool = False
    dual: bool = True
    mortal: bool = True
    fuel: bool = False


class WeaponToken(CatalogEntry, frozen=True):
    """A printed weapon token; no one draws a `bare` one."""

    kind = "token"
    size: str
    wielded: WeaponKind
    weapon_class: str
    fire: Fire | None = None
    traits: tuple[str, ...] = ()
    also: str | None = None
    bare: bool = False


class Mode(CatalogEntry, frozen=True):
    """A way to use a weapon: `of` which handling, and the `usual` one for which.

    `reload` is owed afterwards, `die_part` divides the damage die, and `suppresses` affects those who dodge.
    """

    kind = "mode"
    of: tuple[Handling, ...]
    usual: tuple[Handling, ...] = ()
    rolls: int = 1
    reload: bool = False
    die_part: int = 1
    suppresses: bool = False
    thrown: bool = False


class Volley(CatalogEntry, frozen=True):
    """The rolls of one Action in a mode, by size."""

    kind = "volley"
    mode: str
    size: str
    rolls: int


class SecondDie(Struct, frozen=True, forbid_unknown_fields=True):
    """A damage die of the second table."""

    sides: int
    line: int


class DamageDie(CatalogEntry, frozen=True):
    """A size's damage die in the page's first and `second` table."""

    kind = "damage-die"
    sides: int
    second: SecondDie


class Band(CatalogEntry, frozen=True):
    """A range band: up to `most` metres, or `below`; outside of `all_crit` only snipers have criticals."""

    kind = "band"
    die: int
    sniper_die: int
    all_crit: bool
    most: int | None = None
    below: int | None = None


class WeaponTrait(CatalogEntry, frozen=True):
    """A weapon's trait, from a natural die on: `natural`, or the size's threshold.

    It `pierces` DR, or takes effect on the `bearer`.
    """

    kind = "trigger"
    natural: int | None = None
    effect: str | None = None
    turns: int | None = None
    amount: int | None = None
    pierces: bool = False
    bearer: bool = False


class Threshold(CatalogEntry, frozen=True):
    """The natural die that triggers traits, by size."""

    kind = "threshold"
    natural: int


class DualPenalty(CatalogEntry, frozen=True):
    """What two weapons cost in accuracy, by the larger size."""

    kind = "dual-penalty"
    accuracy: int


class Vehicle(CatalogEntry, frozen=True):
    """A vehicle class: HP, weapon slots, other seats, and weapon sizes it's `immune` to.

    Ballistic weapons also fail at `immune_ballistic`. Occupants are `protected` until it's destroyed.
    """

    kind = "vehicle"
    hp: int
    slots: int
    seats: int = 0
    any_seats: bool = False
    wheeled: bool = False
    protected: bool = False
    builtin: str | None = None
    metres: int = 0
    immune: tuple[str, ...] = ()
    immune_ballistic: tuple[str, ...] = ()


class VehicleSeat(CatalogEntry, frozen=True):
    """A seat in a vehicle; `deed` is the consequence of taking it."""

    kind = "seat"
    deed: str
    rolls_dodge: bool = False
    moves: bool = False
    may_fire: bool = True


class Stance(CatalogEntry, frozen=True):
    """A stance, its `fact`, and its own metres of movement."""

    kind = "stance"
    fact: str | None = None
    metres: int | None = None
    moving_ends: bool = False
    sprints: bool = True
    seated: bool = True


class Pet(CatalogEntry, frozen=True):
    """A level of pets: HP and the damage die."""

    kind = "pet"
    level: int
    hp: int
    die: int


class PetType(CatalogEntry, frozen=True):
    """A type of pets, and how they attack."""

    kind = "pet-type"
    attack: Literal["melee", "ranged"]


class Arrival(CatalogEntry, frozen=True):
    """How far shots are heard (metres, inclusive), and in how many rounds a hearer comes."""

    kind = "arrival"
    most_m: int
    rounds: int


class Note(CatalogEntry, frozen=True):
    """A sentence of the page, shown with the roll families `of`."""

    kind = "note"
    rule: str
    of: tuple[str, ...] = ()


class ListedSkill(CatalogEntry, frozen=True):
    """A skill with its check, and its contest or own roll family.

    `act` is its act in a turn. Those with a `helpless` trait don't resist.
    """

    kind = "skill"
    check: str
    contest: str = "roe.skill"
    family: str | None = None
    role: str = "resister"
    act: str | None = None
    helpless: tuple[str, ...] = ()


class ClosedChannel(CatalogEntry, frozen=True):
    """A group chat that isn't an emergency line."""

    kind = "closed-channel"
    also: tuple[str, ...] = ()


class Comlink(CatalogEntry, frozen=True):
    """A public comlink: who comes, and where it hangs."""

    kind = "comlink"
    place: str
    also: tuple[str, ...] = ()


class DamageKind(CatalogEntry, frozen=True):
    """A damage type: its contest, modifiers (`score`), DR scores, and facts of the attack.

    Vehicles can be immune to `stopped` ones.
    """

    kind = "damage-type"
    contest: str
    score: str
    dr: tuple[str, ...]
    facts: tuple[str, ...]
    stopped: bool = False
    guns: bool = False
    strength: bool = False
    thrown: bool = False
    noise: str | None = None


class Ammo(CatalogEntry, frozen=True):
    """Special ammunition with the trait it adds."""

    kind = "ammo"
    trait: str | None = None
    pierces_armour: bool = False


class Attached(CatalogEntry, frozen=True):
    """An attachment that does more than add to accuracy or damage."""

    kind = "attachment"
    silences: bool = False


def entry_of(entries: Mapping[str, EntryT], name: str) -> EntryT:
    """Return the entry, or refuse an unknown id."""
    try:
        return entries[name]
    except KeyError:
        raise errors.RollError(f"{name!r} is unknown{phrases.list_known(entries)}") from None


def find_rule(options: Mapping[str, Option], facts: modifiers.Facts, role: str, rule: str) -> int | bool | str | None:
    """Return what a role's racial option says about a rule, if anything."""
    own = (option for option in options.values() if f"{role}.option.{option.id}" in facts)
    return next((option.rules[rule] for option in own if rule in option.rules), None)
