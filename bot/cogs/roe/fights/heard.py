"""Who comes into a fight drawn by gunfire or an explosion: after how many rounds by the distance, behind whoever made the noise (line 165)."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.cogs.roe.fights.looking import FIGHTS, Look
from bot.cogs.roe.fights.transaction import Entered, Told, enter
from bot.core import state
from bot.core.profiles import Profile
from bot.errors import BadInput, NotAsItIs
from bot.rolls.resolver import Resolver
from rules.book import Book
from rules.books.roe import fight, scene
from rules.books.roe.catalog import Arrival
from rules.books.roe.marks import COMING
from rules.books.roe.noise import NOISE
from rules.books.roe.turn_catalog import Entrance

SHOOTER = "shooter"
"""Behind whom those come in who have heard a shot, as ways into a fight have it."""


def listens(seen: Look, way: Entrance, metres: int | None) -> bool:
    """Return whether somebody comes in by what was heard from so far away; game masters let anybody in without a distance."""
    return way.after == SHOOTER and not (seen.leads and metres is None)


def arrival(tx: Connection, book: Book, seen: Look, metres: int | None) -> tuple[Arrival, int | None]:
    """Return how whoever hears a noise from so far away comes in, and behind whom (number): who made it, or has the turn."""
    noise = state.get(tx, seen.campaign.id, seen.fight.header.subject, NOISE)
    if noise is None and not seen.leads:
        raise NotAsItIs(f"{seen.fight.name} has made no noise that carries.", "Join in the next round instead.")
    if metres is None:
        raise BadInput("How far away is the fight?", "Add the distance in metres.")
    found = fight.heard(book, metres)
    if found is None:
        most = max(item.most_m for item in book.listed(Arrival).values())
        raise BadInput(f"The noise carries {most} m, not {metres} m.", FIGHTS.look)
    shooter = (noise or {}).get("by")
    now = seen.shown.now if isinstance(seen.shown.now, int) else None
    return found, shooter if shooter in seen.open and seen.fight.combatant(shooter) else now


def expect(tx: Connection, resolver: Resolver, seen: Look, item: Profile, behind: int | None, rounds: int) -> Entered:
    """Enter that somebody comes in behind another one (number) after so many rounds."""
    if any(f"{COMING}{item.id}" in fighter.marks for fighter in seen.fight.roster):
        raise NotAsItIs(f"{item.name} is already on the way.", "They join automatically. See /fight show.")
    if behind is None:
        raise NotAsItIs("The first turn hasn't begun yet.", FIGHTS.look)
    told = Told("heard", {"who": behind, "called": [item.id], "turns": rounds}, secret=item.secret)
    return enter(tx, resolver, seen.with_(item), scene.expecting(seen.fight, behind, [item.id], rounds), told)
