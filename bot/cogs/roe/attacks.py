"""Attacks before their dice: weapons and fire, whom one may be made on, and what else it meets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.cogs.roe.actors import ActingCharacter, list_free, list_things
from bot.cogs.roe.fight_view import FIGHTS, FightView
from bot.core import state
from bot.core.subjects import choose_named
from bot.errors import BadInput, NotAsItIs
from rules.book import Book
from rules.books.roe.aim import STRAYS
from rules.books.roe.arrivals import is_silenced
from rules.books.roe.catalog import Mode
from rules.books.roe.characters import Arm, find_option, list_arms
from rules.books.roe.fights import BY, HIDDEN, SHIELDED, STRAY
from rules.books.roe.weapons import Weapon, find_mode, find_weapon, list_modes, reach_m
from rules.errors import nearest
from rules.scenes import Participant
from rules.subjects import name_key, subject_key

SNEAK = "sneak"
"""What is typed as fire for a sneak attack, in the usual mode of the weapon."""

ATTACK, BLAST, EXPLODE = "turn.attack", "turn.blast", "turn.explode"
"""The acts by which somebody attacks, sets explosives off at once, and lets a grenade explode."""


def find_shielder(who: ActingCharacter, named: Sequence[str]) -> str | None:
    """Return who in the fight shields the first of those named, as far as the attacker may know; None of the others, and of nobody."""
    if who.seen is None or (shielded := _fighter(who.seen, named[0])) is None:
        return None
    kept = who.seen.kept.get((subject_key(shielded.id), SHIELDED))
    guard = who.seen.shown.combatant(kept["other"]) if kept and kept.get("other") else None
    keys = {*map(name_key, (*named, who.actor.name))}
    return None if guard is None or name_key(guard.name) in keys else guard.name


def require_there(
    tx: Connection, who: ActingCharacter, names: Iterable[str], *, hidden: bool = False, anywhere: bool = False
) -> None:
    """Refuse what is done in a fight to somebody who neither stands in it nor is a vehicle or pet, as far as the player may know.

    Whoever is `hidden` stands in it only for what looks for that one, or refuses that one in words of its own. To players
    who stands nowhere does so as well, `anywhere`: what is answered would tell else who hides in the fight, and who has left it.
    """
    if who.seen is not None:
        known = [item for item in who.seen.fight.roster if who.viewer.knows(who.seen.people[item.id])]
        there = known if hidden else who.seen.shown.roster
        there = [*there, *(list_free(tx, who) if anywhere and not who.seen.leads else ())]
        for name in names:
            if choose_named(there, name) is None and choose_named(list_things(tx, who), name) is None:
                raise NotAsItIs(f"{name} isn't in this fight.", FIGHTS.members)


def list_strays(tx: Connection, who: ActingCharacter, target: str) -> list[tuple[int, str]]:
    """Return all others at whom an attack may go astray, by number and name, where the attacker's option has it so."""
    option = who.actor.fields.get("option")
    if who.seen is None or not option or STRAYS not in find_option(who.book, option).rules:
        return []
    fight = who.seen.shown
    own, meant = fight.combatant(who.actor.id), _fighter(who.seen, target)
    to = own.marks.get(STRAY) if own else None
    astray = fight.combatant(to) if to else None
    if astray and meant and astray.id != meant.id:
        raise NotAsItIs(
            f"This attack goes at {astray.name} instead: {option}.", f"Attack {astray.name}, or don't attack."
        )
    others = [] if astray else list_in_sight(tx, who, leads=False)
    # The one at whom it goes is told to all: nobody secret is chosen.
    return [(item.id, item.name) for item in others if meant and item.id != meant.id and item.id in who.seen.open]


def list_in_sight(tx: Connection, who: ActingCharacter, *, leads: bool) -> list[Participant]:
    """Return whom somebody in a fight can attack: all others of whom the viewer may know, but unless that one `leads` who is hidden from whoever acts."""
    others = who.others
    if leads:
        return others
    kept = state.get_values_named(tx, who.viewer.campaign.id, [subject_key(item.id) for item in others], {HIDDEN})
    unseen = {subject for (subject, _), value in kept.items() if who.actor.id not in value.get(BY, ())}
    return [item for item in others if subject_key(item.id) not in unseen]


def _fighter(seen: FightView, name: str) -> Participant | None:
    """Return who is meant by a name in a fight, behind which a number may stand where several have it."""
    return choose_named(seen.shown.roster, name)


def list_fuel(who: ActingCharacter, target: str) -> list[str]:
    """Return what a target in the fight is armed with whose fuel may explode, by what it is called."""
    fighter = None if who.seen is None else _fighter(who.seen, target)
    if who.seen is None or fighter is None:
        return []
    words = who.seen.people[fighter.id].fields.get("weapons", ())
    return [arm.name for arm in list_arms(who.book, words) if find_weapon(who.book, arm.token).type.fuel]


BALANCED = "throwing"
"""The attachment of a weapon that is made to be thrown."""
CLOSE, REACHED = 10, 1
"""From how far away (m) an attack is made unless somebody says so: with what shoots, and in melee."""


def make_attack_inputs(book: Book, arms: Sequence[Arm], fire: str | None, metres: float | None) -> dict[str, Any]:
    """Return the inputs of an attack with weapons: how they fire, from how far (m), each as usual unless it is said."""
    weapon = find_weapon(book, arms[0].token)
    _require_fire(book, arms, fire)
    reach, named = reach_m(book, weapon), fire not in {None, SNEAK, *list_choosable_traits(weapon)}
    thrown = named and find_mode(book, weapon, fire).thrown
    usual = REACHED if reach is not None and reach < CLOSE and not thrown else CLOSE
    made = thrown and any(item.name.casefold() == BALANCED for item in arms[0].attachments)
    quiet = [is_silenced(book, arm) for arm in arms]
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
    weapons = [find_weapon(book, arm.token) for arm in arms]
    ways = {way: None for item in weapons for way in (*list_modes(book, item), *list_choosable_traits(item))}
    if fire not in {None, SNEAK, *ways}:
        names = " and ".join(arm.name for arm in arms)
        close = nearest(str(fire), [*ways, SNEAK])
        hint = f"Did you mean {close}? " if close else ""
        raise BadInput(
            f"{names} can't be used like that: {str(fire)[:40]!r}.", f"{hint}You can use: {', '.join([*ways, SNEAK])}."
        )


def list_choosable_traits(weapon: Weapon) -> Sequence[str]:
    """Return the traits of a weapon of which whoever attacks names one (A45); nothing where it has one at most."""
    return weapon.traits if len(weapon.traits) > 1 else ()
