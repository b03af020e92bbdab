"""Who was called into a fight and says that they come (line 143): by the button of the call, or by `/fight join`."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.roe.fights.looking import FIGHTS, Look, campaign_with_fights, look, require_fit
from bot.cogs.roe.fights.transaction import Entered, Told, enter
from bot.core import profiles, scenes
from bot.core.campaigns import moment
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.errors import NotAllowed, NotOpen
from bot.rolls.resolver import Resolver
from rules.books.roe import calls
from rules.books.roe.turn_catalog import Entrance
from rules.scenes import Participant

CALLER = "caller"
"""Behind whom those come in who were called, as ways into a fight have it."""


def calling(seen: Look, way: Entrance, item: Profile) -> Participant | None:
    """Return who waits for somebody's word who comes in this way; None where nobody does."""
    return calls.caller_of(seen.fight, item.id) if way.after == CALLER else None


def come(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, fight: int, number: int) -> Entered:
    """Let somebody (number) come who was called into a fight (the entry that began it)."""
    seen = look(tx, person, campaign_with_fights(tx, resolver.library, person, campaign_id), fight)
    item, caller = profiles.read(tx, campaign_id, [number]).get(number), calls.caller_of(seen.fight, number)
    if item is None or caller is None or not seen.viewer.knows(item):
        raise NotOpen("This call has already been answered or is over.", "Use /fight join to join in another way.")
    if not (seen.leads or seen.viewer.owns(item)):
        raise NotAllowed(f"Only {item.name}'s player or a game master can do that.", FIGHTS.look)
    return agree(tx, resolver, seen, item, caller)


def agree(tx: Connection, resolver: Resolver, seen: Look, item: Profile, caller: Participant) -> Entered:
    """Enter that somebody comes whom a fighter has called."""
    scenes.require_free(tx, seen.campaign.id, seen.shown, [item])
    require_fit(tx, seen.viewer, [item], moment(0, resolver.ledger.now()))
    turns = calls.turns_left(seen.fight, caller, item.id)
    secret = item.secret or caller.id not in seen.open
    told = Told("come", {"who": caller.id, "called": [item.id], "turns": turns}, secret=secret)
    return enter(tx, resolver, seen.with_(item), calls.answer_call(seen.fight, caller, item.id), told)
