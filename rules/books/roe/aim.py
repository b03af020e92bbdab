"""What is settled of an attack before any die: weapons, both sides' modifiers, types of damage, doubling (C06, C11 to C16, C20)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Literal

from msgspec import Struct, convert
from msgspec.structs import replace

from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind, DualPenalty, Mode, Option, WeaponTrait
from rules.books.roe.characters import find_ammo
from rules.books.roe.contests import BY_WINNER, DICE, stage_with_dice
from rules.books.roe.damage import (
    DAMAGE,
    AttackManner,
    Bonus,
    TypedDamage,
    find_bonus,
    find_reduction,
    list_attached,
    list_strength,
    make_modifier,
    name_weapon,
    sum_untyped,
    with_kind,
)
from rules.books.roe.weapons import (
    Weapon,
    attack_rolls,
    attack_sides,
    can_crit,
    check_dual,
    counts_as_automatic,
    damage_sides,
    dual_penalty,
    find_band,
    find_mode,
    find_weapon,
    reach_m,
    threshold,
)
from rules.books.roe.wounds import find_knockout, left_hp
from rules.dice import DiceTerm
from rules.errors import RollError
from rules.modifiers import Known, Origin, WeighedModifier
from rules.procedure import Part, WeighedStage
from rules.stages import contest_method, weigh_stage, with_modifiers
from rules.tables import weigh_score

ACCURACY, DODGE = "accuracy", "dodge"
"""What adjustments of the rolls of an attack are made to, in the place of a table's id."""
STRAYS = "random-target"
"""The rule of an option by which attacks go astray: its value says how often, as `1 in 10`."""
_PAIR = 2
_EXTRA = "extra-damage-from-"
"""How the rule of an option begins that adds a die to damage: behind it follow the traits and types of damage that do so."""


class AttackInputs(Struct, frozen=True, forbid_unknown_fields=True):
    """The inputs of an attack: one token or two used at once, how, from how far, on somebody with so many HP left.

    `rolls` is how many attack rolls are made where fewer may be, `trait` which one of several the attacker names. `one_dodge`:
    one die dodges all. `extra`: the die is thrown that an option of the target adds. Whoever is `beside` the target of automatic
    fire dodges the attack rolls that fell for it, and takes half of the damage dice in the places that hit: `accuracy_dice` and
    `damage_dice` are those faces, 0 where no die has fallen yet. `hp` are those that are kept where they are left out; `names`
    is what the weapons are called, and `mods` what each one's attachments add: to what, by which name, how much. Where
    `strength` counts, it helps damage in melee. Of two weapons at once that in the place `only` is used against this target, and
    where rolls are `parted`, others of the same Action go to somebody else. Who is `covered` has others in between; they take
    what comes `past` the target: `missed` are the places of the attack rolls that did, none where that is still open. What is
    thrown does what is `listed` only where it is made for that. `fuel` is what the target has that may explode, `strays` are all
    others (number and name) at whom the attack may go by chance. Weapons can be `silenced`, each of them; `loaded` are
    the marks of special ammunition of whoever has paid for the attack with another target already.
    """

    tokens: tuple[str, ...]
    range_m: float
    hp: int | None = None
    names: tuple[str, ...] = ()
    mods: tuple[tuple[tuple[str, str, int], ...], ...] = ()
    silenced: tuple[bool, ...] = ()
    strength: bool = False
    mode: str | None = None
    aimed: bool = False
    sneak: bool = False
    rolls: int | None = None
    trait: str | None = None
    one_dodge: bool = False
    extra: bool = True
    beside: bool = False
    accuracy_dice: tuple[int, ...] = ()
    damage_dice: tuple[int, ...] = ()
    only: int | None = None
    parted: bool = False
    covered: bool = False
    past: Literal["dodged", "taken"] | None = None
    missed: tuple[int, ...] | None = None
    listed: bool = False
    fuel: tuple[str, ...] = ()
    strays: tuple[tuple[int, str], ...] = ()
    loaded: tuple[str, ...] = ()


class WeaponUse(Struct, frozen=True):
    """A weapon as it is used in an attack: `sides` are those of the attack die, `die` those of the damage die.

    `rolls` is how many attack rolls one Action has, `least` how few may be made. What is `improvised` is not made for it.
    """

    weapon: Weapon
    mode: Mode
    kind: DamageKind
    sides: int
    can_crit: bool
    die: int
    rolls: int
    least: int
    improvised: bool = False


class WeaponAttack(Struct, frozen=True):
    """One weapon of an attack: its accuracy as weighed, the dodge for each outcome of that, and its trait.

    `natural` is the die from which on the trait is triggered, `rolls` how many attack rolls are made with it; `brings` is what is
    attached to it and adds to damage where it hits.
    """

    arm: WeaponUse
    rolls: int
    accuracy: WeighedStage
    dodges: Mapping[str, WeighedStage]
    trait: WeaponTrait | None
    natural: int
    brings: tuple[WeighedModifier, ...]

    @property
    def damage(self) -> int:
        """What is attached to it adds to damage."""
        return sum(item.amount for item in self.brings)


class AttackPlan(Struct, frozen=True):
    """An attack before any die. `arms` are all weapons that are used, `aims` those against this target; `bonuses` are the types of damage, by name.

    `hp` are those of the target before it. Dice are divided by `share`. `extra` is a die that an option of the target adds to damage by the traits and types in
    `extra_of`. Vehicles and pets are `spared` a saving roll. Of no type are modifiers that count `untyped`, once.
    """

    asked: AttackInputs
    hp: int
    arms: tuple[WeaponUse, ...]
    aims: tuple[WeaponAttack, ...]
    bonuses: Mapping[str, Bonus]
    strike: AttackManner
    share: int
    extra: DiceTerm | None
    extra_of: frozenset[str]
    spared: bool = False
    untyped: int = 0

    @property
    def rolls(self) -> tuple[int, ...]:
        """The place of the weapon of each attack roll, in order."""
        return tuple(chain.from_iterable([place] * aim.rolls for place, aim in enumerate(self.aims)))

    @property
    def named(self) -> list[tuple[str, WeaponUse]]:
        """The weapons that are used, by what they are called."""
        names = self.asked.names or [arm.weapon.token.label for arm in self.arms]
        return [*zip(names, self.arms, strict=True)]

    def typed_from(self, places: Iterable[int]) -> list[TypedDamage]:
        """Return what is added to each type of damage when weapons in these places have hit: what is attached, for each of them."""
        hit = [self.aims[place] for place in sorted({*places})]
        added = {aim.arm.kind.id: sum(other.damage for other in hit if other.arm.kind == aim.arm.kind) for aim in hit}
        typed = {kind: self.bonuses[kind].typed for kind in added}
        return [replace(typed[kind], mod=typed[kind].mod + more) for kind, more in added.items()]

    def counted_from(self, places: Iterable[int]) -> list[WeighedModifier]:
        """Return what is added to damage when weapons in these places have hit."""
        hit = [self.aims[place] for place in sorted({*places})]
        kinds = dict.fromkeys(aim.arm.kind.id for aim in hit)
        return [
            *(item for kind in kinds for item in self.bonuses[kind].counted),
            *(i for aim in hit for i in aim.brings),
        ]

    @property
    def mortal(self) -> bool:
        """Whether a hit can call for a saving roll."""
        return not self.spared and all(aim.arm.weapon.type.mortal for aim in self.aims)

    def extra_from(self, places: Iterable[int]) -> DiceTerm | None:
        """Return the die that is added when weapons in these places have hit, if any is (line 72)."""
        arms = (self.aims[place].arm for place in places)
        return self.extra if any(self.extra_of & {item.kind.id, *item.weapon.traits} for item in arms) else None


class _Meant:
    """An attack that is to be settled, equal to all others of which the same is known by the same book."""

    __slots__ = ("book", "part")

    def __init__(self, part: Part, book: Book) -> None:
        self.part, self.book = part, book

    def __hash__(self) -> int:
        return hash((*self.part.subjects.values(), self.book.fingerprint))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Meant) and self.book is other.book and self.part == other.part


def plan_attack(part: Part, book: Book) -> AttackPlan:
    """Settle an attack before any die; the newest ones are kept, since each is checked, told and thrown."""
    return _settle(_Meant(part, book))


@lru_cache(maxsize=32)
def _settle(meant: _Meant) -> AttackPlan:
    part, book = meant.part, meant.book
    asked = convert(part.inputs, AttackInputs)
    weapons = [find_weapon(book, name) for name in asked.tokens]
    _check(asked, weapons)
    arms = [
        _use_weapon(book, weapon, asked, _find_mode(book, weapon, weapons, asked.mode), name)
        for weapon, name in zip(weapons, asked.names or [item.token.label for item in weapons], strict=True)
    ]
    part, share = _cover(part, book, asked, arms)
    penalty = (
        dual_penalty(book, [weapon.token.size for weapon in weapons], find_size_step(part, book))
        if len(arms) > 1
        else 0
    )
    rolls = _count_rolls(arms, asked)
    used = [(place, item) for place, item in enumerate(arms) if asked.only in {None, place}]
    aims = tuple(_weigh_weapon(part, book, item, penalty, rolls or item.rolls, place) for place, item in used)
    bonuses = {item.kind.id: _find_bonus(part, book, item) for _, item in used}
    alone = len(arms) == 1 and not asked.parted and aims[0].rolls == 1
    strike = AttackManner(asked.aimed, asked.sneak, alone=alone)
    hp = left_hp(part, RESISTER) if asked.hp is None else asked.hp
    extra, extra_of = _find_extra(part, book, asked)
    spared = find_knockout(part, RESISTER) is not None
    return AttackPlan(asked, hp, tuple(arms), aims, bonuses, strike, share, extra, extra_of, spared, sum_untyped(part))


def find_size_step(part: Part, book: Book) -> int:
    """Return by how many sizes weapons count as larger in the hands of whoever attacks (line 61)."""
    return weigh_score(book.scores["weapon-size-step"], ACTOR, part.facts).raw


def doubles_damage(plan: AttackPlan, book: Book) -> bool:
    """Return whether the damage die is doubled without any critical hit."""
    return plan.strike.doubles(find_reduction(book, [each.typed.dr for each in plan.bonuses.values()]))


def _check(asked: AttackInputs, weapons: list[Weapon]) -> None:
    if not 1 <= len(weapons) <= _PAIR:
        raise RollError("Attack with one weapon, or two at once.")
    if asked.hp is not None and asked.hp < 0:
        raise RollError("HP can't be below 0.")
    if len(weapons) > 1:
        check_dual(weapons)


def _find_mode(book: Book, weapon: Weapon, weapons: list[Weapon], named: str | None) -> Mode:
    """Return how a weapon is used: as named, or as usual where that is a mode of the other one alone."""
    mode = book.listed(Mode).get(named or "")
    others = mode is not None and any(other.handling in mode.of for other in weapons)
    return find_mode(book, weapon, None if others and mode and weapon.handling not in mode.of else named)


def _use_weapon(book: Book, weapon: Weapon, asked: AttackInputs, mode: Mode, name: str) -> WeaponUse:
    range_m, improvised = asked.range_m, mode.thrown and not asked.listed
    reach = book.number("thrown-m") if mode.thrown else reach_m(book, weapon)
    band, sniper = find_band(book, range_m), weapon.type.sniper and not mode.thrown
    if reach is not None and range_m > reach:
        raise RollError(f"{name} reaches {reach} m, but the target is {range_m:g} m away.")
    kinds = book.listed(DamageKind)
    kind = next(item for item in kinds.values() if item.thrown) if mode.thrown else kinds[weapon.damage_type]
    rolls = mode.rolls if mode.thrown else attack_rolls(book, weapon, mode, range_m)
    return WeaponUse(
        weapon,
        mode,
        kind,
        attack_sides(band, sniper=sniper),
        can_crit(band, sniper=sniper),
        book.number("improvised-sides") if improvised else damage_sides(book, weapon, mode, range_m),
        rolls,
        rolls if rolls == weapon.type.far_rolls else mode.rolls,
        improvised,
    )


def _count_rolls(arms: list[WeaponUse], asked: AttackInputs) -> int | None:
    """Return how many attack rolls a single weapon makes if not all of its own; two at once make all."""
    most = sum(item.rolls for item in arms)
    least = most if len(arms) > 1 else arms[0].least
    if asked.rolls is not None and not least <= asked.rolls <= most:
        rolls = f"{most}" if least == most else f"{least} to {most}"
        names = " and ".join(item.weapon.token.label for item in arms)
        raise RollError(f"{names}: {rolls} attack dice in this Action, not {asked.rolls}.")
    return asked.rolls if len(arms) == 1 else None


def _cover(part: Part, book: Book, asked: AttackInputs, arms: list[WeaponUse]) -> tuple[Part, int]:
    """Return the part with the cover of whoever others are in front of, or is beside the target, and what divides the dice.

    Cover counts once (A18).
    """
    fires = [item.weapon.type.id if item.weapon.type.far_rolls else item.mode.id for item in arms]
    if asked.beside and not any(counts_as_automatic(book, fire, asked.range_m) for fire in fires):
        raise RollError("Only automatic fire, or a shotgun from farther away, can hit those next to the target.")
    told = Origin("attack", "next to the target" if asked.beside else "someone in between")
    covered = {f"{RESISTER}.cover": Known(1, told)} if asked.beside or asked.covered else {}
    return replace(part, facts={**part.facts, **covered}), book.number("shared-part") if asked.beside else 1


def _find_extra(part: Part, book: Book, asked: AttackInputs) -> tuple[DiceTerm | None, frozenset[str]]:
    """Return the die that an option of the target adds to damage, and of which traits and types (line 72)."""
    options = (item for item in book.listed(Option).values() if f"{RESISTER}.option.{item.id}" in part.facts)
    for rule, value in (each for item in options for each in item.rules.items()):
        if asked.extra and rule.startswith(_EXTRA):
            return DiceTerm.parse(str(value)), frozenset(rule.removeprefix(_EXTRA).split("-and-"))
    return None, frozenset()


def _weigh_weapon(  # noqa: PLR0913, PLR0917 - one weapon of several, as it is used
    part: Part, book: Book, item: WeaponUse, penalty: int, rolls: int, place: int
) -> WeaponAttack:
    contest = book.contests[item.kind.contest]
    method = contest_method(contest.id, (contest.actor, contest.resister), BY_WINNER)
    die = {contest.actor: {"sides": item.sides, "can_crit": item.can_crit}}
    first = stage_with_dice(method, replace(part, inputs={DICE: die}), book)
    facts = with_kind(part.facts, item.kind)
    tables = {ACCURACY: contest.actor, DODGE: contest.resister}
    told = [replace(each, table=tables[each.table]) if each.table in tables else each for each in part.adjustments]
    weighed = replace(part, facts=facts, adjustments=tuple(told))
    more = [*list_attached(book, part, place, ACCURACY)]
    if penalty:
        printed = book.listed(DualPenalty)[item.weapon.token.size]
        more.append(make_modifier(DualPenalty.kind, penalty, "Two weapons at once", printed.line))
    dodges = {outcome: weigh_stage(stage, weighed, first=False) for outcome, stage in first.then.items()}
    trait = _find_trait(part, book, item, place)
    return WeaponAttack(
        item,
        rolls,
        with_modifiers(weigh_stage(first, weighed, first=True), more),
        dodges,
        book.listed(WeaponTrait)[trait] if trait else None,
        threshold(book, item.weapon.token.size, trait) if trait else 0,
        tuple(list_attached(book, part, place, DAMAGE)),
    )


def _find_trait(part: Part, book: Book, item: WeaponUse, place: int) -> str | None:
    """Return the trait that counts: the one that the attacker names of several (A45), or the first; of what is improvised none.

    A gun has also that of its ammunition.
    """
    if item.improvised:
        return None
    ammo = None if item.mode.thrown else find_ammo(book, part, name_weapon(part, place))
    traits = [*item.weapon.traits, *([ammo.trait] if ammo and ammo.trait else [])]
    named = part.inputs.get("trait")
    return named if named in traits else next(iter(traits), None)


def _find_bonus(part: Part, book: Book, item: WeaponUse) -> Bonus:
    """Return what is added to damage of a weapon's type by whoever bears it, and what the target has against it."""
    helps = item.kind.strength and part.inputs.get("strength")
    return find_bonus(
        part, book, item.kind, list_strength(part, book, item.kind, improvised=item.improvised) if helps else ()
    )
