"""What the RoE book lists besides tables: options, sizes, weapon tokens, ranges, vehicles and the like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rules.catalog import Amount, Entry

SizeClass = Literal["small", "medium", "large"]
WeaponSize = Literal["small", "medium", "large", "heavy"]
WeaponKind = Literal["ranged", "melee", "magika"]
DamageType = Literal["melee", "ballistic", "magika", "explosive"]
TraitName = Literal["blunt", "slash", "pierce", "whip", "magika", "chem"]
VehicleClass = Literal["personal", "car", "apc", "tank", "dropship", "fleetship"]


class Option(Entry, frozen=True):
    """A racial option of a race (1 to 9). What it adds stands under the scores, `rules` is what else it changes."""

    kind = "option"
    race: int
    rules: Mapping[str, int | bool | str] = {}


class Race(Entry, frozen=True):
    """A race by its place on the page, 1 to 9."""

    kind = "race"
    place: int


class Size(Entry, frozen=True):
    """A size class: from which height (feet) to which, and the largest weapons that it can wield two of."""

    kind = "size"
    least_feet: int
    most_feet: int
    dual_wields: WeaponSize


class WeaponClass(Entry, frozen=True):
    """What a class of weapons does otherwise than its size and fire say; None where it does as these do.

    `single` and `auto` are attack rolls in one Action; `die` are the sides of its damage; `cycle` is how many turns of
    automatic fire it has before it is reloaded; `reload` how many Actions that takes; `reach` is in metres; `rack` and
    `bolt` are owed after each shot. `sniper` has other dice at medium and long range, `long` reaches farther in melee.
    """

    kind = "weapon-class"
    die: int | None = None
    single: int | None = None
    auto: int | None = None
    cycle: int = 1
    reload: int = 1
    reach: int | None = None
    sniper: bool = False
    long: bool = False
    bolt: bool = False
    rack: bool = False
    chem: bool = False
    explosive: bool = False
    pierces_armour: bool = False


class Token(Entry, frozen=True):
    """A weapon token as printed: size, how it is `wielded`, `fire` of guns, `traits` of the others, and its class."""

    kind = "token"
    size: WeaponSize
    wielded: WeaponKind
    weapon_class: str
    fire: Literal["auto", "semi"] | None = None
    traits: tuple[TraitName, ...] = ()


class DamageDie(Entry, frozen=True):
    """The sides of the damage die of a size, in the first and in the second table of the page."""

    kind = "damage-die"
    first: int
    second: int


class Band(Entry, frozen=True):
    """A band of range from `least` to `most` metres: the attack die, that of snipers, and who can have a critical there."""

    kind = "band"
    least: int
    die: int
    sniper_die: int
    all_crit: bool
    most: int | None = None


class Trigger(Entry, frozen=True):
    """A weapon's trait: what a hit with a natural die of at least its threshold does, for how many turns."""

    kind = "trigger"
    effect: str | None = None
    turns: int | None = None
    amount: int | None = None


class Threshold(Entry, frozen=True):
    """The natural accuracy die from which on traits of a weapon size are triggered."""

    kind = "threshold"
    natural: int


class DualPenalty(Entry, frozen=True):
    """What the larger of two weapons takes from all attack rolls with both."""

    kind = "dual-penalty"
    accuracy: int


class Vehicle(Entry, frozen=True):
    """A vehicle class: hit points, seats with a weapon slot and besides (`any_seats`: without end), what cannot hurt it.

    `immune` are sizes of melee and ballistic weapons; `protected` occupants cannot be attacked before it is destroyed.
    """

    kind = "vehicle"
    hp: int
    slots: int
    seats: int = 0
    any_seats: bool = False
    wheeled: bool = False
    protected: bool = False
    builtin: str | None = None
    immune: tuple[WeaponSize, ...] = ()


class Pet(Entry, frozen=True):
    """A level of pets: hit points, and the sides of its damage die."""

    kind = "pet"
    hp: int
    die: int


class Arrival(Entry, frozen=True):
    """How far away (metres, the end counts) shots are heard, and after how many rounds who hears them comes."""

    kind = "arrival"
    most_m: int
    rounds: int


CATALOG: Mapping[str, type[Entry]] = {
    item.kind: item
    for item in (
        Amount,
        Option,
        Race,
        Size,
        WeaponClass,
        Token,
        DamageDie,
        Band,
        Trigger,
        Threshold,
        DualPenalty,
        Vehicle,
        Pet,
        Arrival,
    )
}
"""What entries of the catalog hold, by kind."""
