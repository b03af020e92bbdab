"""What follows a roll in a fight for its turn: whoever is down by it has it no more (line 168)."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from bot.cogs.roe.fights.looking import FIGHTS, looked_at, maker_of
from bot.cogs.roe.fights.transaction import leave_turn, passing_deed
from bot.core import scenes
from bot.core.campaigns import Campaign
from bot.core.records import Entry
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver
from rules.books.roe.scene import FIGHT


def pass_on(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> Iterable[Post]:
    """Begin the next turn in the fight of a roll, where whoever has the turn is down."""
    begun = entry.content().get(FIGHT)
    if begun is None:
        return ()
    for fight in scenes.running(tx, campaign.id, FIGHTS):
        if fight.header.entry == begun:
            seen = looked_at(tx, maker_of(tx, campaign, entry), fight)
            if deed := passing_deed(tx, resolver, seen):
                entered = leave_turn(tx, resolver, seen, deed)
                return (*entered.settled, *entered.posts)
    return ()
