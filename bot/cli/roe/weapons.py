"""Weapons of the RoE book: what one does, and two at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.cli.queries import BadLine
from bot.cli.questions import Op, Question
from rules.books.roe import weapons
from rules.books.roe.sides import racial_facts, score_of
from rules.books.roe.weapons import UnknownToken, Weapon
from rules.ruleset import RuleSet


class WeaponQuestion(Question, frozen=True):
    """A token, a gun without one, or something thrown; the range, and how it is used."""

    token: str | None = None
    sniper: bool | None = None
    thrown: bool = False
    range_m: float | None = None
    mode: str | None = None
    with_reload: bool = False


class DualQuestion(Question, frozen=True):
    """Two weapons, each by token or size, and who wields them."""

    weapons: tuple[str, str]
    size: str | None = None
    racial: str | None = None
    both: bool = True


def weapon(asked: WeaponQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what a weapon does, and what of that at a range."""
    if (asked.token is not None) + (asked.sniper is not None) + asked.thrown != 1:
        raise BadLine("one of token, sniper and thrown is asked about")
    if asked.thrown:
        return {} if asked.range_m is None else {"in_reach": weapons.in_throw(book, asked.range_m)}
    if asked.token is None:
        return _at_range(book, asked.range_m, sniper=bool(asked.sniper))
    held = weapons.weapon_named(book, asked.token)
    answered = _token(asked, held, book)
    if asked.range_m is None:
        return answered
    at_range = _at_range(book, asked.range_m, sniper=held.type.sniper) if held.gun else {}
    return {**answered, **at_range, "in_reach": weapons.in_reach(book, held, asked.range_m)}


def _token(asked: WeaponQuestion, held: Weapon, book: RuleSet) -> dict[str, Any]:
    mode = weapons.mode_of(book, held, asked.mode)
    return {
        "kind": held.token.wielded,
        "firing": held.token.fire,
        "trait": "/".join(held.token.traits) or None,
        "size": held.token.size,
        "damage_sides": weapons.damage_sides(book, held, mode, asked.range_m),
        "attacks": weapons.attack_rolls(book, held, mode, asked.range_m),
        "reload_next": weapons.owed(held, mode) == "reload",
        "reload_actions": held.reload_actions,
        "special_actions": weapons.special_actions(book, held, with_reload=asked.with_reload),
    }


def _at_range(book: RuleSet, range_m: float | None, *, sniper: bool) -> dict[str, Any]:
    if range_m is None:
        return {}
    band = weapons.band_at(book, range_m)
    return {
        "in_reach": True,
        "band": band.id,
        "sides": weapons.attack_sides(band, sniper=sniper),
        "can_crit": weapons.can_crit(band, sniper=sniper),
    }


def dual(asked: DualQuestion, book: RuleSet) -> dict[str, Any]:
    """Return what using two weapons at once takes, whether it is allowed, and how many rolls it makes."""
    held = [_token_or_size(book, name) for name in asked.weapons]
    sizes = [item.token.size if isinstance(item, Weapon) else item for item in held]
    step = score_of(book, "weapon-size-step", racial_facts(book, "actor", asked.racial))
    tokens = [item for item in held if isinstance(item, Weapon)]
    weapons.check_dual(tokens)
    penalty = weapons.dual_penalty(book, sizes, step)
    answered: dict[str, Any] = {"penalty": penalty if asked.both else 0}
    if asked.size is not None:
        answered["allowed"] = weapons.may_dual_wield(book, asked.size, sizes, step)
    if len(tokens) == len(held):
        rolls = [weapons.attack_rolls(book, item, weapons.mode_of(book, item)) for item in tokens]
        answered["attacks"] = sum(rolls) if asked.both else max(rolls)
    return answered


def _token_or_size(book: RuleSet, name: str) -> Weapon | str:
    """Return a weapon by its token, or a size as it is."""
    try:
        return weapons.weapon_named(book, name)
    except UnknownToken:
        if name in weapons.sizes(book):
            return name
        raise


OPS: Mapping[str, Op] = {"weapon": Op(WeaponQuestion, weapon), "dual": Op(DualQuestion, dual)}
