"""An attack before any die: weapons, modifiers, damage types and doubling (C06, C11 to C16, C20)."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Literal

from msgspec import Struct, convert
from msgspec.structs import replace

from rules import errors, modifiers, stages
from rules.book import Book, weigh_score
from rules.books.roe import characters, contests, damage, weapons, wounds
from rules.books.roe.catalog import ACTOR, RESISTER, DamageKind, DualPenalty, Mode, Option, WeaponTrait
from rules.dice import DiceTerm
from rules.procedure import Part, WeighedStage

ACCURACY, DODGE = "accuracy", "dodge"
"""What adjustments of an attack use as table ids."""
STRAYS = "random-target"
"""The rule of an option for stray attacks, such as `1 in 10`."""
_PAIR = 2
_EXTRA = "extra-damage-from-"
"""The prefix of an option's rule that adds a damage die, before the traits and types it needs."""


class AttackInputs(Struct, frozen=True, forbid_unknown_fields=True):
    """The inputs of an attack with one token, or two at once.

    `rolls` asks for fewer attack rolls. A target next to the first one (`beside`) shares its dice (`accuracy_dice`,
    `damage_dice`; 0 where none fell) and takes half. `mods` lists for each weapon (what, name, amount); `only` is the
    place of the weapon used on this target, `parted` sends other rolls elsewhere. Targets behind (`past`) take the rolls
    in the places `missed`. `listed` items are thrown for their own effect; `strays` are others (number, name) that a
    stray attack may hit; `loaded` is ammunition already paid.
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
    """A weapon in an attack: `sides` of the attack die, `die` of the damage die.

    An Action has `rolls`, at least `least`.
    """

    weapon: weapons.Weapon
    mode: Mode
    kind: DamageKind
    sides: int
    can_crit: bool
    die: int
    rolls: int
    least: int
    improvised: bool = False


class WeaponAttack(Struct, frozen=True):
    """One weapon's accuracy, the dodge for each of its outcomes, and its trait.

    The trait triggers from the die `natural` on; `brings` are attachments that add to damage.
    """

    arm: WeaponUse
    rolls: int
    accuracy: WeighedStage
    dodges: Mapping[str, WeighedStage]
    trait: WeaponTrait | None
    natural: int
    brings: tuple[modifiers.WeighedModifier, ...]

    @property
    def damage(self) -> int:
        """What attachments add to damage."""
        return sum(item.amount for item in self.brings)


class AttackPlan(Struct, frozen=True):
    """An attack before any die: `arms` are all its weapons, `aims` those on this target.

    Dice are divided by `share`. The die `extra` needs a trait or type in `extra_of`. `spared` targets roll no save.
    """

    inputs: AttackInputs
    hp: int
    arms: tuple[WeaponUse, ...]
    aims: tuple[WeaponAttack, ...]
    bonuses: Mapping[str, damage.Bonus]
    strike: damage.AttackManner
    share: int
    extra: DiceTerm | None
    extra_of: frozenset[str]
    spared: bool = False
    untyped: int = 0

    @property
    def rolls(self) -> tuple[int, ...]:
        """The place of each attack roll's weapon, in order."""
        return tuple(chain.from_iterable([place] * aim.rolls for place, aim in enumerate(self.aims)))

    @property
    def arms_by_name(self) -> list[tuple[str, WeaponUse]]:
        """The weapons with their names."""
        names = self.inputs.names or [arm.weapon.token.label for arm in self.arms]
        return [*zip(names, self.arms, strict=True)]

    def sum_types(self, places: Iterable[int]) -> list[damage.TypedDamage]:
        """Return modifier and DR of each damage type, after the weapons in these places hit."""
        hit = [self.aims[place] for place in sorted({*places})]
        added = {aim.arm.kind.id: sum(other.damage for other in hit if other.arm.kind == aim.arm.kind) for aim in hit}
        typed = {kind: self.bonuses[kind].typed for kind in added}
        return [replace(typed[kind], mod=typed[kind].mod + more) for kind, more in added.items()]

    def list_bonuses(self, places: Iterable[int]) -> list[modifiers.WeighedModifier]:
        """Return the damage modifiers that count after the weapons in these places hit."""
        hit = [self.aims[place] for place in sorted({*places})]
        kinds = dict.fromkeys(aim.arm.kind.id for aim in hit)
        counted = [item for kind in kinds for item in self.bonuses[kind].counted]
        return [*counted, *(item for aim in hit for item in aim.brings)]

    @property
    def mortal(self) -> bool:
        """Whether a hit can call for a saving roll."""
        return not self.spared and all(aim.arm.weapon.type.mortal for aim in self.aims)

    def extra_from(self, places: Iterable[int]) -> DiceTerm | None:
        """Return the extra die after the weapons in these places hit, or None (line 72)."""
        arms = (self.aims[place].arm for place in places)
        return self.extra if any(self.extra_of & {item.kind.id, *item.weapon.traits} for item in arms) else None


class _PlanKey:
    __slots__ = ("book", "part")

    def __init__(self, part: Part, book: Book) -> None:
        self.part, self.book = part, book

    def __hash__(self) -> int:
        return hash((*self.part.subjects.values(), self.book.fingerprint))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _PlanKey) and self.book is other.book and self.part == other.part


def plan_attack(part: Part, book: Book) -> AttackPlan:
    """Plan an attack; the newest plans are cached."""
    return _settle(_PlanKey(part, book))


@lru_cache(maxsize=32)
def _settle(meant: _PlanKey) -> AttackPlan:
    part, book = meant.part, meant.book
    asked = convert(part.inputs, AttackInputs)
    wielded = [weapons.find_weapon(book, name) for name in asked.tokens]
    if not 1 <= len(wielded) <= _PAIR:
        raise errors.RollError("Attack with one weapon, or two at once.")
    if asked.hp is not None and asked.hp < 0:
        raise errors.RollError("HP can't be below 0.")
    if len(wielded) > 1:
        weapons.check_dual(wielded)
    arms = [
        _use_weapon(book, weapon, asked, _find_mode(book, weapon, wielded, asked.mode), name)
        for weapon, name in zip(wielded, asked.names or [item.token.label for item in wielded], strict=True)
    ]
    part, share = _cover(part, book, asked, arms)
    sizes, step = [weapon.token.size for weapon in wielded], find_size_step(part, book)
    penalty = weapons.dual_penalty(book, sizes, step) if len(arms) > 1 else 0
    rolls = _count_rolls(arms, asked)
    used = [(place, item) for place, item in enumerate(arms) if asked.only in {None, place}]
    aims = tuple(_weigh_weapon(part, book, item, penalty, rolls or item.rolls, place) for place, item in used)
    bonuses = {item.kind.id: _find_bonus(part, book, item) for _, item in used}
    alone = len(arms) == 1 and not asked.parted and aims[0].rolls == 1
    strike = damage.AttackManner(asked.aimed, asked.sneak, alone=alone)
    hp = wounds.count_hp_left(part, RESISTER) if asked.hp is None else asked.hp
    extra, extra_of = _find_extra(part, book, asked)
    spared = wounds.find_knockout(part, RESISTER) is not None
    untyped = damage.sum_untyped(part)
    return AttackPlan(asked, hp, tuple(arms), aims, bonuses, strike, share, extra, extra_of, spared, untyped)


def find_size_step(part: Part, book: Book) -> int:
    """Return by how many sizes weapons count as larger (line 61)."""
    return weigh_score(book.scores["weapon-size-step"], ACTOR, part.facts).raw


def doubles_damage(plan: AttackPlan, book: Book) -> bool:
    """Return whether aim or a sneak attack doubles the damage dice."""
    return plan.strike.doubles(damage.find_reduction(book, [each.typed.dr for each in plan.bonuses.values()]))


def _find_mode(book: Book, weapon: weapons.Weapon, wielded: list[weapons.Weapon], named: str | None) -> Mode:
    mode = book.entries_of(Mode).get(named or "")
    others = mode is not None and any(other.handling in mode.of for other in wielded)
    return weapons.find_mode(book, weapon, None if others and mode and weapon.handling not in mode.of else named)


def _use_weapon(book: Book, weapon: weapons.Weapon, asked: AttackInputs, mode: Mode, name: str) -> WeaponUse:
    range_m, improvised = asked.range_m, mode.thrown and not asked.listed
    reach = book.number("thrown-m") if mode.thrown else weapons.reach_m(book, weapon)
    band, sniper = weapons.find_band(book, range_m), weapon.type.sniper and not mode.thrown
    if reach is not None and range_m > reach:
        raise errors.RollError(f"{name} reaches {reach} m, but the target is {range_m:g} m away.")
    kinds = book.entries_of(DamageKind)
    kind = next(item for item in kinds.values() if item.thrown) if mode.thrown else kinds[weapon.damage_type]
    rolls = mode.rolls if mode.thrown else weapons.attack_rolls(book, weapon, mode, range_m)
    return WeaponUse(
        weapon,
        mode,
        kind,
        weapons.attack_sides(band, sniper=sniper),
        weapons.can_crit(band, sniper=sniper),
        book.number("improvised-sides") if improvised else weapons.damage_sides(book, weapon, mode, range_m),
        rolls,
        rolls if rolls == weapon.type.far_rolls else mode.rolls,
        improvised,
    )


def _count_rolls(arms: list[WeaponUse], asked: AttackInputs) -> int | None:
    most = sum(item.rolls for item in arms)
    least = most if len(arms) > 1 else arms[0].least
    if asked.rolls is not None and not least <= asked.rolls <= most:
        rolls = f"{most}" if least == most else f"{least} to {most}"
        names = " and ".join(item.weapon.token.label for item in arms)
        raise errors.RollError(f"{names}: {rolls} attack dice in this Action, not {asked.rolls}.")
    return asked.rolls if len(arms) == 1 else None


def _cover(part: Part, book: Book, asked: AttackInputs, arms: list[WeaponUse]) -> tuple[Part, int]:
    fires = [item.weapon.type.id if item.weapon.type.far_rolls else item.mode.id for item in arms]
    if asked.beside and not any(weapons.counts_as_automatic(book, fire, asked.range_m) for fire in fires):
        raise errors.RollError("Only automatic fire, or a shotgun from farther away, can hit those next to the target.")
    origin = modifiers.Origin("attack", "next to the target" if asked.beside else "someone in between")
    covered = {f"{RESISTER}.cover": modifiers.KnownFact(1, origin)} if asked.beside or asked.covered else {}
    return replace(part, facts={**part.facts, **covered}), book.number("shared-part") if asked.beside else 1


def _find_extra(part: Part, book: Book, asked: AttackInputs) -> tuple[DiceTerm | None, frozenset[str]]:
    options = (item for item in book.entries_of(Option).values() if f"{RESISTER}.option.{item.id}" in part.facts)
    for rule, value in (each for item in options for each in item.rules.items()):
        if asked.extra and rule.startswith(_EXTRA):
            return DiceTerm.parse(str(value)), frozenset(rule.removeprefix(_EXTRA).split("-and-"))
    return None, frozenset()


def _weigh_weapon(  # noqa: PLR0913, PLR0917 - one weapon of several, as it is used
    part: Part, book: Book, item: WeaponUse, penalty: int, rolls: int, place: int
) -> WeaponAttack:
    contest = book.contests[item.kind.contest]
    method = stages.contest_method(contest.id, (contest.actor, contest.resister), contests.BY_WINNER)
    die = {contest.actor: {"sides": item.sides, "can_crit": item.can_crit}}
    first = contests.stage_with_dice(method, replace(part, inputs={contests.DICE: die}), book)
    tables = {ACCURACY: contest.actor, DODGE: contest.resister}
    adjusted = tuple(replace(each, table=tables.get(each.table or "", each.table)) for each in part.adjustments)
    weighed = replace(part, facts=damage.with_kind(part.facts, item.kind), adjustments=adjusted)
    more = [*damage.list_attached(book, part, place, ACCURACY)]
    if penalty:
        printed = book.entries_of(DualPenalty)[item.weapon.token.size]
        more.append(damage.make_modifier(DualPenalty.kind, penalty, "Two weapons at once", printed.line))
    dodges = {outcome: stages.weigh_stage(stage, weighed, first=False) for outcome, stage in first.then.items()}
    trait = _find_trait(part, book, item, place)
    return WeaponAttack(
        item,
        rolls,
        stages.with_modifiers(stages.weigh_stage(first, weighed, first=True), more),
        dodges,
        book.entries_of(WeaponTrait)[trait] if trait else None,
        weapons.threshold(book, item.weapon.token.size, trait) if trait else 0,
        tuple(damage.list_attached(book, part, place, damage.DAMAGE)),
    )


def _find_trait(part: Part, book: Book, item: WeaponUse, place: int) -> str | None:
    if item.improvised:
        return None
    ammo = None if item.mode.thrown else characters.find_ammo(book, part, damage.name_weapon(part, place))
    traits = [*item.weapon.traits, *([ammo.trait] if ammo and ammo.trait else [])]
    named = part.inputs.get("trait")
    return named if named in traits else next(iter(traits), None)


def _find_bonus(part: Part, book: Book, item: WeaponUse) -> damage.Bonus:
    helps = item.kind.strength and part.inputs.get("strength")
    strength = damage.list_strength(part, book, item.kind, improvised=item.improvised) if helps else ()
    return damage.find_bonus(part, book, item.kind, strength)
