"""News for those whom an entry concerns: their owners are pinged, where the campaign wants it, by what they may read.

A public result pings by itself. Where what happened is not for everybody, a message of its own pings, and tells neither
whom it is about nor what happened: owners find that on their desk.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import discord
from sqlalchemy import Connection

from bot.core import entries, profiles
from bot.core.campaigns import PLAYERS, Campaign
from bot.core.records import Entry
from bot.outbox.queue import OutgoingMessage, Pings, ping_first
from bot.outbox.store import PostKind
from bot.ui.colours import COLOURS
from rules.books.campaign.captivity import CAPTIVE, CRACKED, FATE
from rules.subjects import number_of

NEWS: PostKind = "news"
CONCERNS = frozenset({CAPTIVE, CRACKED, FATE})
TEXT = "Something happened to one of them. See `/update show`."


def owners(tx: Connection, campaign: Campaign, entry: Entry) -> Pings:
    """Return the owners of those whom an entry has captured, cracked, freed or killed, where the campaign lets players be pinged."""
    begun = [item for item in entry.content()["changes"] if item["name"] in CONCERNS and item["before"] is None]
    return players(tx, campaign, {number_of(item["subject"]) for item in begun if item["after"] is not None})


def players(tx: Connection, campaign: Campaign, numbers: Collection[int]) -> Pings:
    """Return who plays these (numbers), as far as the campaign lets players be pinged."""
    if not campaign.may_ping(PLAYERS):
        return Pings()
    owned = {item.owner for item in profiles.read_profiles(tx, campaign.id, numbers).values() if item.owner is not None}
    return Pings(users=tuple(sorted(entries.find_users(tx, campaign.id, owned).values())))


def telling(messages: Sequence[OutgoingMessage], entry: Entry, pings: Pings) -> list[OutgoingMessage]:
    """Return the messages of an entry, of which the first public one pings, where all of the entry is public."""
    public = [place for place, item in enumerate(messages) if item.kind == "results"]
    if not pings or entry.audience != "results" or not public:
        return [*messages]
    first = public[0]
    return [*messages[:first], *ping_first(messages[first:], pings)]


def news_of(campaign: Campaign, entry: Entry, pings: Pings) -> list[OutgoingMessage]:
    """Return the message that pings those who own somebody in an entry that is not public.

    What somebody rolled for nobody else's eyes pings nobody.
    """
    return [] if entry.audience in {"results", "person"} else news(campaign, pings)


def news(campaign: Campaign, pings: Pings, text: str = TEXT) -> list[OutgoingMessage]:
    """Return the message that pings people and leads them to their desk; it is about no entry."""
    if not pings:
        return []
    embed = discord.Embed(title="About your characters", description=text, colour=COLOURS["neutral"]).set_footer(
        text=campaign.name
    )
    return [OutgoingMessage(NEWS, campaign.results_channel_id, [embed], pings=pings)]
