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

SHIELDED = f"{EFFECT}shielded"
"""The effect on whoever is shielded by somebody, who is the `other` of it."""


def shielder(tx: Connection, who: Acting, named: Sequence[str]) -> str | None:
    """Return who in the fight shields the first of those named, as far as the attacker may know; None of the others, and of nobody."""
    if who.seen is None or (shielded := who.seen.shown.unit(named[0])) is None:
        return None
    kept = state.get(tx, who.viewer.campaign.id, subject_key(shielded.id), SHIELDED)
    guard = who.seen.shown.combatant(kept["other"]) if kept and kept.get("other") else None
    keys = {*map(name_key, (*named, who.actor.name))}
    return None if guard is None or name_key(guard.name) in keys else guard.name


def fuel_of(who: Acting, target: str) -> list[str]:
    """Return what a target in the fight is armed with whose fuel may explode, by what it is called."""
    fighter = None if who.seen is None else who.seen.shown.unit(target)
    if who.seen is None or fighter is None:
        return []
    words = who.seen.people[fighter.id].fields.get("weapons", ())
    return [arm.name for arm in arms_of(who.book, words) if weapon_named(who.book, arm.token).type.fuel]
