"""Looking campaigns up: by name, by channel, and as they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.campaign.ids import BEGIN, BOOKS, LINK, PLAYERS
from bot.core import campaigns, entries
from bot.core.campaigns import Campaign, open_campaign
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master, require_manager
from bot.errors import BadInput, NoCampaign
from bot.kernel import Feature
from bot.rolls.card import store as card_store
from bot.schedules import store as jobs
from bot.ui.next_steps import NextStep
from bot.ui.text import plain

MAX_COUNTED = 1000


class CampaignView(Struct, frozen=True):
    """A campaign as somebody sees it: linked channels (ids), titles of all books by id, and what waits for a book that is off, told to those who take part."""

    campaign: Campaign
    linked: Sequence[int]
    titles: Mapping[str, str]
    unfinished: Sequence[str]


class Archiving(Struct, frozen=True):
    """What stops when a campaign is archived: how many open cards, and how many schedules; `seen` is its newest entry's number."""

    campaign: Campaign
    cards: int
    schedules: int
    seen: int


def look(
    tx: Connection,
    features: Sequence[Feature],
    library: Library,
    person: Person,
    channels: Sequence[int],
    name: str | None,
) -> CampaignView:
    """Return the campaign of a name, or the channel's (ids, nearest first), as the person sees it."""
    campaign = campaigns.named_or_here(tx, person.guild_id, channels, name)
    inside = person.plays(campaign) or person.leads(campaign)
    waiting = unfinished(tx, features, campaign) if inside else []
    return CampaignView(campaign, campaigns.linked_channels(tx, campaign.id), titles(library), waiting)


def to_archive(tx: Connection, person: Person, campaign: Campaign) -> Archiving:
    """Return what stops when a campaign is archived."""
    require_manager(person, "archive a campaign")
    if campaign.archived_at is not None:
        raise BadInput("The campaign is already archived.", "Restore it with /campaign archive restore:True.")
    cards = card_store.still_open(tx, campaign.id, None, MAX_COUNTED)
    newest = entries.newest(tx, campaign.id, campaign.uuid)
    return Archiving(campaign, len(cards), len(jobs.of_campaign(tx, campaign.id)), newest.number)


def titles(library: Library) -> dict[str, str]:
    """Return the titles of all books by id."""
    return {book.id: book.named for book in library.shipped.values()}


def unfinished(tx: Connection, features: Sequence[Feature], campaign: Campaign) -> list[str]:
    """Return what cannot go on in a campaign until a book that is off is on again, a line each."""
    hooks = [feature.unfinished for feature in features if feature.unfinished is not None]
    return [line for hook in hooks for line in hook(tx, campaign)]


def named_or_only(tx: Connection, guild_id: int, channels: Sequence[int], name: str | None) -> Campaign:
    """Return the campaign of a name, or without one the only one of the server that is played."""
    if name is not None:
        return campaigns.named(tx, guild_id, name)
    played = [campaign for campaign in campaigns.of_guild(tx, guild_id) if campaign.archived_at is None]
    if len(played) > 1:
        names = ", ".join(campaign.name for campaign in played)
        raise NoCampaign(f"Several campaigns are here: {names}.", f"Pick one, for example campaign:{played[0].name}.")
    return played[0] if played else campaigns.locate(tx, guild_id, channels)


class Beginning(Struct, frozen=True):
    """A campaign with its next steps, and the titles of all books by id."""

    campaign: Campaign
    steps: Sequence[NextStep]
    titles: Mapping[str, str]


def look_at_beginning(
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
