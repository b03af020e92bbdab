"""What the RoE book lists besides tables: options, sizes, weapon tokens, ranges, vehicles and the like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

from msgspec import Struct

from rules.errors import RollError
from rules.kinds import CatalogEntry
from rules.modifiers import Facts
from rules.phrases import known_list

ACTOR, RESISTER = "actor", "resister"
"""Who acts or attacks, and who resists or is attacked: roles of nearly every roll of the book."""
EntryT = TypeVar("EntryT", bound=CatalogEntry)
WeaponKind = Literal["ranged", "melee", "magika"]
DamageType = Literal["melee", "ballistic", "magika", "explosive"]
Fire = Literal["auto", "semi"]
Handling = Fire | Literal["hand"]
"""How a weapon is used: guns by their fire, all others by hand."""


class Option(CatalogEntry, frozen=True):
    """A racial option of a race (1 to 9). What it adds stands under the scores, `rules` is what else it changes."""

    kind = "option"
    race: int
    rules: Mapping[str, int | bool | str] = {}


class Rule(CatalogEntry, frozen=True):
    """What racial options change besides rolls: its id stands in their `rules`, its label says what the value there tells."""

    kind = "rule"


class Race(CatalogEntry, frozen=True):
    """A race by its place on the page, 1 to 9."""

    kind = "race"
    place: int


class Size(CatalogEntry, frozen=True):
    """A size class: from which height (feet) to which, and the largest weapons that it can wield two of."""

    kind = "size"
    least_feet: int
    most_feet: int
    dual_wields: str


class WeaponClass(CatalogEntry, frozen=True):
    """What a class of weapons does otherwise than its size and fire say; None where it does as these do.

    `rolls` is how many a shot makes, `far_rolls` how many beyond close range; `die` are the sides of its damage, `close_die`
    those at close range; `cycle` is how many turns of automatic fire it has before it is reloaded, `reload` how many Actions
    that takes; `reach` is in metres; `rack` and `bolt` are owed after each shot. `sniper` has other dice at medium and long
    range, `long` reaches farther in melee, `trait` is triggered beside those of the token. Hits that are not
    `mortal` never call for a saving roll; `fuel` may explode when whoever has it in the hands goes down.
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
    """A weapon token as printed: size, how it is `wielded`, `fire` of guns, `traits` of the others, and its class.

    `also` is another name of it. What is `bare` everybody has in hand without drawing it.
    """

    kind = "token"
    size: str
    wielded: WeaponKind
    weapon_class: str
    fire: Fire | None = None
    traits: tuple[str, ...] = ()
    also: str | None = None
    bare: bool = False


class Mode(CatalogEntry, frozen=True):
    """A way to use a weapon: which weapons have it, whose `usual` one it is, and how many rolls one Action has.

    `reload`: the next Action is one. `die_part` divides the sides of the damage die; `suppresses` whoever has to dodge it.
    What is `thrown` leaves the hand.
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
    """How many rolls one Action has in a mode with weapons of a size."""

    kind = "volley"
    mode: str
    size: str
    rolls: int


class SecondDie(Struct, frozen=True, forbid_unknown_fields=True):
    """The sides of a damage die in the second table, and where they are printed."""

    sides: int
    line: int


class DamageDie(CatalogEntry, frozen=True):
    """The sides of the damage die of a size, in the first table of the page, and in its second."""

    kind = "damage-die"
    sides: int
    second: SecondDie


class Band(CatalogEntry, frozen=True):
    """A band of range, from the one before on: `most` metres or all `below`, the attack die, that of snipers.

    `all_crit`: not snipers alone can have a critical there.
    """

    kind = "band"
    die: int
    sniper_die: int
    all_crit: bool
    most: int | None = None
    below: int | None = None


class WeaponTrait(CatalogEntry, frozen=True):
    """A weapon's trait: what a hit with a natural die of at least its threshold does, for how many turns.

    The threshold is that of the weapon's size, if `natural` says no other. `pierces`: damage reduction does not help;
    `bearer`: it befalls who bears the weapon.
    """

    kind = "trigger"
    natural: int | None = None
    effect: str | None = None
    turns: int | None = None
    amount: int | None = None
    pierces: bool = False
    bearer: bool = False


class Threshold(CatalogEntry, frozen=True):
    """The natural accuracy die from which on traits of a weapon size are triggered."""

    kind = "threshold"
    natural: int


class DualPenalty(CatalogEntry, frozen=True):
    """What the larger of two weapons takes from all attack rolls with both."""

    kind = "dual-penalty"
    accuracy: int


class Vehicle(CatalogEntry, frozen=True):
    """A vehicle class: hit points, seats with a weapon slot and besides (`any_seats`: without end), what cannot hurt it.

    `metres` are added to movement. `immune` are the sizes of melee and ballistic weapons that cannot hurt it, and
    `immune_ballistic` those of ballistic ones besides; `protected` occupants cannot be attacked before it is destroyed.
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
    """What somebody in a vehicle does: whether they roll its dodge, move it, and may fire; `deed` is to take it."""

    kind = "seat"
    deed: str
    rolls_dodge: bool = False
    moves: bool = False
    may_fire: bool = True


class Stance(CatalogEntry, frozen=True):
    """How somebody stands: the `fact` that it is, its metres of movement if it has its own, and what it allows."""

    kind = "stance"
    fact: str | None = None
    metres: int | None = None
    moving_ends: bool = False
    sprints: bool = True
    seated: bool = True


class Pet(CatalogEntry, frozen=True):
    """A level of pets: hit points, and the sides of its damage die."""

    kind = "pet"
    level: int
    hp: int
    die: int


class PetType(CatalogEntry, frozen=True):
    """A type of pets, and how they attack."""

    kind = "pet-type"
    attack: Literal["melee", "ranged"]


class Arrival(CatalogEntry, frozen=True):
    """How far away (metres, the end counts) shots are heard, and after how many rounds who hears them comes."""

    kind = "arrival"
    most_m: int
    rounds: int


class Note(CatalogEntry, frozen=True):
    """Something that the page says beside what is rolled, paid or refused: its label is the sentence, `rule` its number.

    It is told with the roll families `of`.
    """

    kind = "note"
    rule: str
    of: tuple[str, ...] = ()


class ListedSkill(CatalogEntry, frozen=True):
    """A skill: the table of its `check`, and against somebody its `contest`, or a `family` of its own in which that one has a `role`.

    `act` is what it is in a turn, if that is an act of its own. Whoever has a trait in `helpless` does not resist it.
    """

    kind = "skill"
    check: str
    contest: str = "roe.skill"
    family: str | None = None
    role: str = "resister"
    act: str | None = None
    helpless: tuple[str, ...] = ()


class ClosedChannel(CatalogEntry, frozen=True):
    """A group chat that is no emergency line, with other names that it goes by."""

    kind = "closed-channel"
    also: tuple[str, ...] = ()


class Comlink(CatalogEntry, frozen=True):
    """Whom public emergency comlinks summon, in which `place` they hang, with other names that it goes by."""

    kind = "comlink"
    place: str
    also: tuple[str, ...] = ()


class DamageKind(CatalogEntry, frozen=True):
    """A type of damage: the contest of an attack with it, and what it is weighed with.

    Its damage has the modifiers of `score`, the target's damage reduction those of all in `dr`; `facts` are what it makes
    true of the attack. `stopped`: vehicles can be immune to it; `guns` deal it; `strength` helps it; what is `thrown` does it.
    What deals it makes a `noise`, if any.
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
    """Special ammunition: the `trait` that it gives to a gun, and whether it pierces the armour of vehicles."""

    kind = "ammo"
    trait: str | None = None
    pierces_armour: bool = False


class Attached(CatalogEntry, frozen=True):
    """Something that can be attached to a weapon and does more than add to numbers: it `silences`."""

    kind = "attachment"
    silences: bool = False


def entry_of(entries: Mapping[str, EntryT], name: str) -> EntryT:
    """Return the entry of this id."""
    try:
        return entries[name]
    except KeyError:
        raise RollError(f"{name!r} is unknown{known_list(entries)}") from None


def find_rule(options: Mapping[str, Option], facts: Facts, role: str, rule: str) -> int | bool | str | None:
    """Return what the racial option of whoever stands in a role says of a rule; None where it says nothing."""
    own = (option for option in options.values() if f"{role}.option.{option.id}" in facts)
    return next((option.rules[rule] for option in own if rule in option.rules), None)
