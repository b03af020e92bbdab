"""The inputs of an attack with the weapons that somebody has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.cogs.roe.attacks import SNEAK
from bot.errors import BadInput
from rules.book import Book
from rules.books.roe.arms import Arm
from rules.books.roe.catalog import Mode
from rules.books.roe.noise import silenced
from rules.books.roe.weapons import Weapon, mode_of, modes_of, reach_m, weapon_named
from rules.errors import nearest

BALANCED = "throwing"
"""The attachment of a weapon that is made to be thrown."""
CLOSE, REACHED = 10, 1
"""From how far away (m) an attack is made unless somebody says so: with what shoots, and in melee."""


def inputs_of(book: Book, arms: Sequence[Arm], fire: str | None, metres: float | None) -> dict[str, Any]:
    """Return the inputs of an attack with weapons: how they fire, from how far (m), each as usual unless it is said."""
    weapon = weapon_named(book, arms[0].token)
    _require_fire(book, arms, fire)
    reach, named = reach_m(book, weapon), fire not in {None, SNEAK, *several_traits(weapon)}
    thrown = named and mode_of(book, weapon, fire).thrown
    usual = REACHED if reach is not None and reach < CLOSE and not thrown else CLOSE
    made = thrown and any(item.name.casefold() == BALANCED for item in arms[0].attachments)
    quiet = [silenced(book, arm) for arm in arms]
    inputs: dict[str, Any] = {
        "tokens": [arm.token for arm in arms],
        "names": [arm.name for arm in arms],
        "mods": [[list(mod) for mod in arm.mods] for arm in arms],
        **({"silenced": quiet} if any(quiet) else {}),
        "range_m": usual if metres is None else metres,
        **({"listed": True} if made else {}),
    }
    if fire == SNEAK:
        one = [mode.id for mode in book.listed(Mode).values() if weapon.handling in mode.of and mode.rolls == 1]
        return {**inputs, "sneak": True, **({"mode": one[0]} if len(arms) == 1 else {})}
    return inputs | ({"mode": fire} if named else {"trait": fire} if fire else {})


def _require_fire(book: Book, arms: Sequence[Arm], fire: str | None) -> None:
    """Refuse a fire that none of these weapons has, with what they have."""
    weapons = [weapon_named(book, arm.token) for arm in arms]
    ways = {way: None for item in weapons for way in (*modes_of(book, item), *several_traits(item))}
    if fire not in {None, SNEAK, *ways}:
        names = " and ".join(arm.name for arm in arms)
        close = nearest(str(fire), [*ways, SNEAK])
        hint = f"Did you mean {close}? " if close else ""
        raise BadInput(
            f"{names} can't be used like that: {str(fire)[:40]!r}.", f"{hint}You can use: {', '.join([*ways, SNEAK])}."
        )


def several_traits(weapon: Weapon) -> Sequence[str]:
    """Return the traits of a weapon of which whoever attacks names one (A45); nothing where it has one at most."""
    return weapon.traits if len(weapon.traits) > 1 else ()
