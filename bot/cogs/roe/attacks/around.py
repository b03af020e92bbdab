"""Who and what else an attack meets: those who shield its target, and fuel in the target's hands."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting
from bot.core import state
from rules.books.roe.arms import arms_of
from rules.books.roe.weapons import weapon_named
from rules.effects import EFFECT
from rules.subjects import name_key, subject_key

SHIELDING = f"{EFFECT}shielding"
"""The effect on whoever shields somebody, who is the `other` of it."""


def shielders(tx: Connection, who: Acting, named: Sequence[str]) -> list[str]:
    """Return who in the fight shields the first of those named, as far as the attacker may know; none of the others."""
    if who.seen is None or (shielded := who.seen.shown.unit(named[0])) is None:
        return []
    keys = {*map(name_key, (*named, who.actor.name))}
    others = {subject_key(item.id): item.name for item in who.seen.shown.roster if name_key(item.name) not in keys}
    kept = state.named(tx, who.viewer.campaign.id, others, {SHIELDING})
    return [others[subject] for (subject, _), value in sorted(kept.items()) if value.get("other") == shielded.id]


def fuel_of(who: Acting, target: str) -> list[str]:
    """Return what a target in the fight is armed with whose fuel may explode, by what it is called."""
    fighter = None if who.seen is None else who.seen.shown.unit(target)
    if who.seen is None or fighter is None:
        return []
    words = who.seen.people[fighter.id].fields.get("weapons", ())
    return [arm.name for arm in arms_of(who.book, words) if weapon_named(who.book, arm.token).type.fuel]
