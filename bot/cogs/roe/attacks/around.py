"""Who and what else an attack meets: those who shield its target, and fuel in the target's hands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from bot.cogs.roe.actors import Acting, free, things
from bot.cogs.roe.fight_view import FIGHTS, FightView
from bot.core import state
from bot.core.subjects import one_of
from bot.errors import NotAsItIs
from rules.books.roe.arms import arms_of
from rules.books.roe.marks import BY, HIDDEN, SHIELDED, STRAY
from rules.books.roe.sides import option_named
from rules.books.roe.straying import RULE
from rules.books.roe.weapons import weapon_named
from rules.scenes import Participant
from rules.subjects import name_key, subject_key


def shielder(who: Acting, named: Sequence[str]) -> str | None:
    """Return who in the fight shields the first of those named, as far as the attacker may know; None of the others, and of nobody."""
    if who.seen is None or (shielded := _fighter(who.seen, named[0])) is None:
        return None
    kept = who.seen.kept.get((subject_key(shielded.id), SHIELDED))
    guard = who.seen.shown.combatant(kept["other"]) if kept and kept.get("other") else None
    keys = {*map(name_key, (*named, who.actor.name))}
    return None if guard is None or name_key(guard.name) in keys else guard.name


def require_there(
    tx: Connection, who: Acting, names: Iterable[str], *, hidden: bool = False, anywhere: bool = False
) -> None:
    """Refuse what is done in a fight to somebody who neither stands in it nor is a vehicle or pet, as far as the player may know.

    Whoever is `hidden` stands in it only for what looks for that one, or refuses that one in words of its own. To players
    who stands nowhere does so as well, `anywhere`: what is answered would tell else who hides in the fight, and who has left it.
    """
    if who.seen is not None:
        known = [item for item in who.seen.fight.roster if who.viewer.knows(who.seen.people[item.id])]
        there = known if hidden else who.seen.shown.roster
        there = [*there, *(free(tx, who) if anywhere and not who.seen.leads else ())]
        for name in names:
            if one_of(there, name) is None and one_of(things(tx, who), name) is None:
                raise NotAsItIs(f"{name} isn't in this fight.", FIGHTS.members)


def strays(tx: Connection, who: Acting, target: str) -> list[tuple[int, str]]:
    """Return all others at whom an attack may go astray, by number and name, where the attacker's option has it so."""
    option = who.actor.fields.get("option")
    if who.seen is None or not option or RULE not in option_named(who.book, option).rules:
        return []
    fight = who.seen.shown
    own, meant = fight.combatant(who.actor.id), _fighter(who.seen, target)
    to = own.marks.get(STRAY) if own else None
    astray = fight.combatant(to) if to else None
    if astray and meant and astray.id != meant.id:
        raise NotAsItIs(
            f"This attack goes at {astray.name} instead: {option}.", f"Attack {astray.name}, or don't attack."
        )
    others = [] if astray else in_sight(tx, who, leads=False)
    # The one at whom it goes is told to all: nobody secret is chosen.
    return [(item.id, item.name) for item in others if meant and item.id != meant.id and item.id in who.seen.open]


def in_sight(tx: Connection, who: Acting, *, leads: bool) -> list[Participant]:
    """Return whom somebody in a fight can attack: all others of whom the viewer may know, but unless that one `leads` who is hidden from whoever acts."""
    others = [] if who.seen is None else [item for item in who.seen.shown.roster if item.id != who.actor.id]
    if leads:
        return others
    kept = state.named(tx, who.viewer.campaign.id, [subject_key(item.id) for item in others], {HIDDEN})
    unseen = {subject for (subject, _), value in kept.items() if who.actor.id not in value.get(BY, ())}
    return [item for item in others if subject_key(item.id) not in unseen]


def _fighter(seen: FightView, name: str) -> Participant | None:
    """Return who is meant by a name in a fight, behind which a number may stand where several have it."""
    return one_of(seen.shown.roster, name)


def fuel_of(who: Acting, target: str) -> list[str]:
    """Return what a target in the fight is armed with whose fuel may explode, by what it is called."""
    fighter = None if who.seen is None else _fighter(who.seen, target)
    if who.seen is None or fighter is None:
        return []
    words = who.seen.people[fighter.id].fields.get("weapons", ())
    return [arm.name for arm in arms_of(who.book, words) if weapon_named(who.book, arm.token).type.fuel]
