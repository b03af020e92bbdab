"""Exact chances of an attack, by counting: hits, traits, going down, saving rolls, mean damage."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import lcm, prod
from operator import mul

from msgspec import Struct
from msgspec.structs import replace

from rules import odds, phrases
from rules.book import Book
from rules.books.roe import catalog, wounds
from rules.books.roe.aim import AttackPlan, WeaponAttack, doubles_damage
from rules.books.roe.damage import total_damage

CRITICAL = "critical"


class _HitTally(Struct, frozen=True, order=True):
    plain: int = 0
    criticals: int = 0
    triggered: bool = False

    @property
    def hits(self) -> int:
        return self.plain + self.criticals

    def and_then(self, other: _HitTally) -> _HitTally:
        return _HitTally(self.plain + other.plain, self.criticals + other.criticals, self.triggered or other.triggered)


Ways = Mapping[_HitTally, int]
"""Equally likely falls for each tally."""
Hits = tuple[tuple[int, int], ...]
"""Plain and critical hits, weapon by weapon."""
Thrown = tuple[tuple[int, int, int], ...]
"""Dice to add up: (sides, factor, count)."""


class AttackOdds(Struct, frozen=True):
    """Exact chances of an attack, and its mean damage."""

    hits: tuple[Fraction, ...]
    traits: Mapping[str, Fraction]
    down: Fraction
    saving: Fraction
    mean: Fraction

    def mix(self, other: AttackOdds, share: Fraction) -> AttackOdds:
        """Mix with another way to attack; this one has the `share`."""

        def both(mine: Fraction, theirs: Fraction) -> Fraction:
            return share * mine + (1 - share) * theirs

        return AttackOdds(
            tuple(map(both, self.hits, other.hits)),
            {label: both(chance, other.traits[label]) for label, chance in self.traits.items()},
            both(self.down, other.down),
            both(self.saving, other.saving),
            both(self.mean, other.mean),
        )

    def lines(self) -> tuple[str, ...]:
        """Describe traits, going down, saving roll and mean damage."""
        return (
            *(f"{label}: {phrases.percent(chance)}" for label, chance in self.traits.items()),
            f"Goes down: {phrases.percent(self.down)}",
            f"Saving roll due: {phrases.percent(self.saving)}",
            f"Mean damage: {float(self.mean):.1f}",
        )


class _RollOutcomes(Struct, frozen=True):
    """Falls of accuracy and dodge for each number of hits and each trait.

    `struck` counts hits by the places that hit and whether a trait pierces.
    """

    hits: tuple[int, ...]
    traits: Mapping[str, int]
    struck: Mapping[tuple[tuple[int, ...], bool], Mapping[Hits, int]]


class _OddsKey:
    """A plan as a cache key: equal where the same numbers count."""

    __slots__ = ("book", "key", "plan")

    def __init__(self, plan: AttackPlan, book: Book, *key: object) -> None:
        self.plan, self.book = plan, book
        aims = tuple(_list_numbers(aim) for aim in plan.aims)
        self.key = (book.fingerprint, aims, plan.inputs.one_dodge, *key)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OddsKey) and self.key == other.key


def _list_numbers(aim: WeaponAttack) -> tuple[object, ...]:
    arm, sums = aim.arm, (aim.accuracy.sum, *(dodge.sum for dodge in aim.dodges.values()))
    dice = (arm.kind.id, arm.sides, arm.can_crit, arm.die, arm.weapon.traits)
    return (*dice, *sums, aim.rolls, aim.trait and aim.trait.id, aim.natural, aim.damage)


def find_odds(plan: AttackPlan, book: Book) -> AttackOdds:
    """Return the exact chances of an attack, cached."""
    extra = plan.extra and (plan.extra.sides, plan.extra.count, plan.extra_of)
    typed = tuple(bonus.typed for bonus in plan.bonuses.values())
    target = (typed, plan.untyped, plan.strike, plan.share, plan.hp, plan.mortal)
    return _find_known(_OddsKey(plan, book, extra, *target))


@lru_cache(maxsize=128)
def _find_known(asked: _OddsKey) -> AttackOdds:
    return count_odds(asked.plan, asked.book, _find_outcomes(_OddsKey(asked.plan, asked.book)))


@lru_cache(maxsize=128)
def _find_outcomes(asked: _OddsKey) -> _RollOutcomes:
    return _count_outcomes(asked.plan)


def count_odds(plan: AttackPlan, book: Book, outcomes: _RollOutcomes | None = None) -> AttackOdds:
    """Return the exact chances of an attack; its outcomes are counted if not given."""
    falls = outcomes or _count_outcomes(plan)
    total = sum(falls.hits)
    harms = [
        harm
        for (hit, pierced), hits in falls.struck.items()
        for harm in _count_harms(plan, book, hit, hits, pierced=pierced)
    ]
    of = lcm(*(dice for dice, _ in harms))  # whole numbers are added up faster than fractions
    each = zip(*([of // dice * number for number in harm] for dice, harm in harms), strict=True)
    return AttackOdds(
        tuple(Fraction(number, total) for number in falls.hits),
        {label: Fraction(number, total) for label, number in falls.traits.items()},
        *(Fraction(sum(numbers), total * of) for numbers in each),
    )


def _count_outcomes(plan: AttackPlan) -> _RollOutcomes:
    faces = plan.aims[0].dodges[CRITICAL].stage.table.die.ways() if plan.inputs.one_dodge else [None]
    hits = [0] * (len(plan.rolls) + 1)
    traits = {aim.trait.label: 0 for aim in plan.aims if aim.trait}
    struck: defaultdict[tuple[tuple[int, ...], bool], defaultdict[Hits, int]] = defaultdict(partial(defaultdict, int))
    for face in faces:
        each = [_repeat(_count_shot(aim, face), aim.rolls).items() for aim in plan.aims]
        for falls in product(*each):
            number, tallies = prod(ways for _, ways in falls), [tally for tally, _ in falls]
            hits[sum(tally.hits for tally in tallies)] += number
            pairs = zip(plan.aims, tallies, strict=True)
            triggered = {aim.trait for aim, tally in pairs if aim.trait and tally.triggered}
            for trait in triggered:
                traits[trait.label] += number
            hit = tuple(place for place, tally in enumerate(tallies) if tally.hits)
            pierced = any(trait.pierces for trait in triggered)
            struck[hit, pierced][tuple((tally.plain, tally.criticals) for tally in tallies)] += number
    return _RollOutcomes(tuple(hits), traits, struck)


def _repeat(shot: Ways, times: int) -> Ways:
    ways: Mapping[_HitTally, int] = {_HitTally(): 1}
    for _ in range(times):
        following: defaultdict[_HitTally, int] = defaultdict(int)
        for before, number in ways.items():
            for tally, each in shot.items():
                following[before.and_then(tally)] += number * each
        ways = following
    return ways


def _count_shot(aim: WeaponAttack, face: int | None) -> Ways:
    table, ways = aim.accuracy.stage.table, defaultdict[_HitTally, int](int)
    for natural in table.die.ways():
        total, score = table.score(natural, aim.accuracy.sum, None)
        row, _ = table.read(natural, score)
        hit, of = _count_wins(aim, row.outcome, total, face)
        critical = row.outcome == CRITICAL
        triggered = aim.trait is not None and natural >= aim.natural
        ways[_HitTally(not critical, critical, triggered)] += hit
        ways[_HitTally()] += of - hit
    return {tally: number for tally, number in ways.items() if number}


def _count_wins(aim: WeaponAttack, outcome: str, total: int, face: int | None) -> tuple[int, int]:
    weighed = aim.dodges[outcome]
    stage, table = weighed.stage, weighed.stage.table
    if face is None:
        of = table.die.sides**table.die.count
        return odds.table_ways(table, weighed.sum, stage.reading, total)[catalog.ACTOR], of
    _, score = table.score(face, weighed.sum, total)
    row, _ = table.read(face, score, stage.reading)
    return int(row.outcome == catalog.ACTOR), 1


def _count_harms(
    plan: AttackPlan, book: Book, hit: tuple[int, ...], falls: Mapping[Hits, int], *, pierced: bool
) -> Iterator[tuple[int, list[int]]]:
    typed, extra = plan.sum_types(hit), plan.extra_from(hit)
    strike = replace(plan.strike, pierced=pierced)
    none = total_damage(book, 0, typed, plan.untyped, ignores_dr=strike.ignores_dr)
    more, twice = [(extra.sides, 1, extra.count)] if extra else [], doubles_damage(plan, book)
    thrown = [(number, _count_sums((*_list_dice(plan, hits, twice=twice), *more))) for hits, number in falls.items()]
    most = max(len(ways) for _, ways in thrown)
    damage = [max(0, max(0, dice // plan.share + none.mod) - none.dr) if typed else 0 for dice in range(most)]
    # Dice of a larger sum do no less damage: from the first sum that is enough on, all are.
    down = bisect_left(damage, x=True, key=partial(wounds.strikes_down, plan.hp))
    saving = bisect_left(damage, x=True, key=partial(wounds.needs_saving_roll, book, plan.hp, mortal=plan.mortal))
    for number, ways in thrown:
        yield sum(ways), [number * sum(some) for some in (ways[down:], ways[saving:], map(mul, ways, damage))]


def _list_dice(plan: AttackPlan, hits: Hits, *, twice: bool) -> Thrown:
    pairs = zip(plan.aims, hits, strict=True)
    dice = ((aim.arm.die, 1 + twice + hard, count) for aim, counts in pairs for hard, count in enumerate(counts))
    return tuple(die for die in dice if die[2])


@lru_cache(maxsize=256)
def _count_sums(thrown: Thrown) -> tuple[int, ...]:
    if not thrown:
        return (1,)
    *others, (sides, factor, count) = thrown
    before = _count_sums((*others, (sides, factor, count - 1)) if count > 1 else tuple(others))
    # A sum is reached from each of as many sums, a factor apart, as the die has sides: from what the sum below was, and one more, and one less.
    ways = [0] * (len(before) + sides * factor)
    for place in range(factor, len(ways)):
        ways[place] = ways[place - factor] + (before[place - factor] if place - factor < len(before) else 0)
        gone = place - factor * (sides + 1)
        ways[place] -= before[gone] if 0 <= gone < len(before) else 0
    return tuple(ways)
