"""What is to be done in a campaign that has just begun, and who may see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.campaign.ids import BEGIN, BOOKS, LINK, PLAYERS
from bot.cogs.campaign.queries import titles
from bot.core import campaigns
from bot.core.campaigns import Campaign, open_campaign
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.feature import Feature
from bot.ui.next_steps import NextStep
from bot.ui.text import plain


class Beginning(Struct, frozen=True):
    """A campaign with its next steps, and the titles of all books by id."""

    campaign: Campaign
    steps: Sequence[NextStep]
    titles: Mapping[str, str]


def look(
    tx: Connection,
    features: Sequence[Feature],
    library: Library,
    person: Person,
    campaign_id: int,
    channels: Sequence[int],
) -> Beginning:
    """Return what is to be done, as seen from a channel (ids, nearest first).

    Raises:
        NotAllowed: the person neither leads the campaign nor manages the server.
        NotOpen: the campaign is archived.

    """
    campaign = open_campaign(tx, campaign_id, lock=False)
    if not person.manages_server:
        require_game_master(person, campaign, "set it up")
    linked = not set(channels).isdisjoint(campaigns.linked_channels(tx, campaign.id))
    named = titles(library)
    hooks = [feature.next_steps for feature in features if feature.next_steps is not None]
    steps = [*_own(campaign, named, linked=linked), *(step for hook in hooks for step in hook(tx, library, campaign))]
    return Beginning(campaign, steps, named)


def _own(campaign: Campaign, named: Mapping[str, str], *, linked: bool) -> Iterator[NextStep]:
    here = (
        "commands here act on it"
        if linked
        else "so that commands here act on this campaign. For a whole category: /campaign link"
    )
    yield NextStep("Link this channel", BEGIN.fill(campaign=campaign.id, what=LINK), here, linked)
    books = ", ".join(plain(named.get(book, book)) for book in campaign.books)
    yield NextStep("Books", BEGIN.fill(campaign=campaign.id, what=BOOKS), f"it plays {books}", done=True)
    role = campaign.player_role_id
    players = f"<@&{role}> plays" if role else "everyone can play. Pick a role to limit that"
    yield NextStep("Invite players' role", BEGIN.fill(campaign=campaign.id, what=PLAYERS), players, role is not None)
