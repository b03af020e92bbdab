"""A weapon token in words: its dice, rolls and reach, what triggers its traits, and what it owes afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from bot.ui.text import DOT
from rules.books.roe import weapons
from rules.books.roe.catalog import Band, Mode, Token, Trigger
from rules.books.roe.weapons import Weapon
from rules.phrases import signed
from rules.ruleset import RuleSet


def weapon_told(book: RuleSet, token: Token) -> Iterator[str]:
    """Yield what a weapon does, in each of its modes and at each of its ranges."""
    weapon = weapons.weapon_named(book, token.label)
    reach = weapons.reach_m(book, weapon)
    yield f"Reach: {'unlimited' if reach is None else f'{reach} m'}"
    ranges = [(band, at) for band, at in _ranges(book) if reach is None or at <= reach]
    if weapon.gun:
        yield from (_attack_die(weapon, band) for band, _ in ranges)
    for mode in book.listed(Mode).values():
        if weapon.handling in mode.of:
            yield from _mode(book, weapon, mode, ranges)
    for trait in weapon.traits:
        least = weapons.threshold(book, token.size, trait)
        yield f"{book.listed(Trigger)[trait].label}: on a hit with a natural {least} or more"
    if weapon.reload_actions:
        yield f"Reload: {_many(weapon.reload_actions, 'Action')}"
    if weapon.gun:
        yield f"Special ammunition: {_many(weapons.special_actions(book, weapon), 'Action')} to load it"
    taken = signed(weapons.dual_penalty(book, [token.size]))
    yield f"Two at once: {taken} to accuracy" if weapon.type.dual else "Can't be used together with another weapon"


def _ranges(book: RuleSet) -> Iterator[tuple[Band, float]]:
    """Yield each band with a range in metres that lies in it, just behind the one before."""
    start = 0.0
    for band in book.listed(Band).values():
        yield band, start
        start = band.below or (band.most or 0) + 0.5


def _attack_die(weapon: Weapon, band: Band) -> str:
    sniper = weapon.type.sniper
    critical = "" if weapons.can_crit(band, sniper=sniper) else ", without criticals"
    end = f"to {band.most} m" if band.most else f"below {band.below} m" if band.below else "and farther"
    return f"{band.label} ({end}): attack d{weapons.attack_sides(band, sniper=sniper)}{critical}"


def _mode(book: RuleSet, weapon: Weapon, mode: Mode, ranges: list[tuple[Band, float]]) -> Iterator[str]:
    """Yield the rolls and dice of a mode, once for all ranges at which they are the same."""
    told = [(_volley(book, weapon, mode, at), band.label) for band, at in ranges]
    runs = [(volley, [label for _, label in run]) for volley, run in groupby(told, itemgetter(0))]
    for volley, labels in runs:
        where = "" if len(runs) == 1 else f" at {' and '.join(labels).lower()}"
        yield f"{mode.label}{where}: {volley}{_owes(weapon, mode)}"


def _volley(book: RuleSet, weapon: Weapon, mode: Mode, at: float) -> str:
    rolls = weapons.attack_rolls(book, weapon, mode, at)
    return f"{_many(rolls, 'roll')}, damage d{weapons.damage_sides(book, weapon, mode, at)}"


def _owes(weapon: Weapon, mode: Mode) -> str:
    """Return what the weapon owes after a mode."""
    if owed := weapons.owed(weapon, mode):
        return f"{DOT}then: {owed}"
    return f"{DOT}reload after {weapon.type.cycle} turns" if mode.reload else ""


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
