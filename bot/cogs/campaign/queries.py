"""Looking campaigns up: by name, by channel, and as they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.core import campaigns
from bot.core.campaigns import Campaign, locate
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import NoCampaign
from bot.feature import Feature
from rules.errors import nearest


@dataclass(frozen=True, slots=True)
class CampaignView:
    """A campaign as somebody sees it: bound channels (ids), titles of all books by id, and what waits for a book that is off, told to those who take part."""

    campaign: Campaign
    bound: Sequence[int]
    titles: Mapping[str, str]
    unfinished: Sequence[str]


def look(
    tx: Connection,
    features: Sequence[Feature],
    library: Library,
    person: Person,
    channels: Sequence[int],
    name: str | None,
) -> CampaignView:
    """Return the campaign of a name, or the channel's (ids, nearest first), as the person sees it.

    Raises:
        NoCampaign: there is none.

    """
    campaign = named_or_here(tx, person.guild_id, channels, name)
    inside = person.plays(campaign) or person.leads(campaign)
    waiting = unfinished(tx, features, campaign) if inside else []
    return CampaignView(campaign, campaigns.bound_channels(tx, campaign.id), titles(library), waiting)


def titles(library: Library) -> dict[str, str]:
    """Return the titles of all books by id."""
    return {book.id: book.named for book in library.shipped.values()}


def unfinished(tx: Connection, features: Sequence[Feature], campaign: Campaign) -> list[str]:
    """Return what cannot go on in a campaign until a book that is off is on again, a line each."""
    hooks = [feature.unfinished for feature in features if feature.unfinished is not None]
    return [line for hook in hooks for line in hook(tx, campaign)]


def named(tx: Connection, guild_id: int, name: str) -> Campaign:
    """Return a campaign of a server by its name, in whatever case.

    Raises:
        NoCampaign: there is none of this name.

    """
    every = campaigns.of_guild(tx, guild_id)
    for campaign in every:
        if campaign.name.casefold() == name.strip().casefold():
            return campaign
    close = nearest(name, [campaign.name for campaign in every])
    hint = f"Did you mean {close}?" if close else "See /campaign show for those there are."
    raise NoCampaign(f"There is no campaign {name!r} on this server.", hint)


def named_or_here(tx: Connection, guild_id: int, channels: Sequence[int], name: str | None) -> Campaign:
    """Return the campaign of a name, or without one the channel's.

    Raises:
        NoCampaign: there is none.

    """
    return locate(tx, guild_id, channels) if name is None else named(tx, guild_id, name)


def named_or_only(tx: Connection, guild_id: int, channels: Sequence[int], name: str | None) -> Campaign:
    """Return the campaign of a name, or without one the only one of the server that is played, or the channel's.

    Raises:
        NoCampaign: there is none.

    """
    played = [campaign for campaign in campaigns.of_guild(tx, guild_id) if campaign.archived_at is None]
    return played[0] if name is None and len(played) == 1 else named_or_here(tx, guild_id, channels, name)
