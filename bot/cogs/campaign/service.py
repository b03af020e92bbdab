"""Campaigns: looked at, made, changed, linked to channels, archived."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.campaign.settings import (
    CampaignSettings,
    check_name,
    check_settings,
    check_timezone,
    read_books,
    require_two_channels,
)
from bot.core import campaigns, entries, permissions
from bot.core.campaigns import SERVER_FIELDS, UPDATE, Campaign, compare_settings, list_settings, open_campaign
from bot.core.entry_kinds import Body
from bot.core.ledger import EntryDraft, Ledger
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master, require_manager
from bot.core.records import Change, Link
from bot.core.state import CAMPAIGN_STATE
from bot.errors import BadInput, NoCampaign, NotOpen
from bot.kernel import Feature
from bot.outbox import store
from bot.outbox.store import Post, PostKind
from bot.rolls.card import store as card_store
from bot.rolls.fairness import turnover
from bot.rolls.resolver import Resolver
from bot.schedules import store as jobs
from bot.schedules.store import move_to_zone
from bot.ui.components import IdTemplate
from bot.ui.text import plain
from bot.ui.todo import NextStep
from rules.subjects import name_key

BEGIN = IdTemplate("begin:{campaign:int}:{what:word}")
FORM = IdTemplate("begun:{campaign:int}:{what:word}")
EXPORT = IdTemplate("delete:{campaign:int}:export")
SHOW, LINK, BOOKS, PLAYERS = "show", "bind", "books", "players"
"""What a button does: show the steps, or take one of the campaign's own."""


POSTED: Mapping[str, Collection[PostKind]] = {
    "results_channel_id": ("results", "published", "news", "audit"),
    "staff_channel_id": ("staff", "whole", "notice", "reminder", "question", "board"),
}
"""Which posts go to which of a campaign's channels."""


def create(
    tx: Connection, resolver: Resolver, person: Person, settings: CampaignSettings
) -> tuple[Campaign, list[Post]]:
    """Make a campaign, link its two channels and enter it as the first of its ledger; return it with the posts that open its audit thread."""
    require_manager(person, "create a campaign")
    ledger = resolver.ledger
    new = _new(ledger, resolver.library, person, settings)
    require_two_channels(new)
    _require_new_name(tx, new)
    require_free(tx, new, (new.results_channel_id, new.staff_channel_id))
    made = campaigns.add_campaign(tx, new)
    for channel_id in (made.results_channel_id, made.staff_channel_id):
        campaigns.link_channel(tx, made.id, channel_id)
    first = {"number": 1, "name": "Update 1", "since": made.created_at.isoformat()}
    _, messages = turnover.begin(tx, ledger, made, Link(made.uuid))
    _enter(tx, ledger, made, person, {"created": list_settings(made)}, Change(CAMPAIGN_STATE, UPDATE, None, first))
    return made, resolver.outbox.queue(tx, made.id, None, messages)


def edit(
    tx: Connection, ledger: Ledger, library: Library, person: Person, campaign_id: int, changes: Mapping[str, Any]
) -> Campaign:
    """Change settings by field name; channels and roles need Manage Server, all else a game master."""
    if not changes:
        raise BadInput("You didn't change anything.", "Pick at least one option of /campaign edit.")
    before = open_campaign(tx, campaign_id)
    _require_editor(person, before, changes)
    after = replace(before, **check_settings(tx, library, before, changes, ledger.now()))
    if not compare_settings(before, after):
        raise BadInput("Nothing to change: it's already like that.", "Nothing was changed.")
    require_two_channels(after)
    if name_key(after.name) != name_key(before.name):
        _require_new_name(tx, after)
    require_free(tx, after, [changes[field] for field in POSTED if field in changes])
    campaigns.save_campaign(tx, after)
    permissions.require_own_channels(tx, after.id, [after.results_channel_id, after.staff_channel_id])
    _move(tx, ledger, before, after)
    if after.timezone != before.timezone:
        move_to_zone(tx, before, after, ledger.now())
    _enter(tx, ledger, after, person, {"edited": compare_settings(before, after)})
    return after


def choose_books(
    tx: Connection, ledger: Ledger, library: Library, person: Person, campaign_id: int, picked: Sequence[str]
) -> None:
    """Let a campaign play by just these books (ids)."""
    before = open_campaign(tx, campaign_id)
    if set(picked) != set(before.books):
        typed = ", ".join([*picked, *(f"-{book}" for book in before.books if book not in picked)])
        edit(tx, ledger, library, person, campaign_id, {"books": typed})


def choose_players(
    tx: Connection, ledger: Ledger, library: Library, person: Person, campaign_id: int, role_id: int | None
) -> None:
    """Let those who have a role be the players; everybody where it is None."""
    if role_id != open_campaign(tx, campaign_id).player_role_id:
        edit(tx, ledger, library, person, campaign_id, {"player_role_id": role_id})


def archive(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, *, archived: bool, seen: int | None = None
) -> tuple[Campaign, int]:
    """Archive a campaign or take it back; return it with the number of the entry that says so."""
    require_manager(person, "archive a campaign")
    before = campaigns.get_campaign(tx, campaign_id, lock=True)
    if before is None or (before.archived_at is not None) == archived:
        raise BadInput(f"The campaign is already {'archived' if archived else 'open'}.")
    if seen is not None:
        _require_unarchived(tx, before, seen)
    if not archived:
        own = (before.results_channel_id, before.staff_channel_id)
        require_free(tx, before, [*own, *campaigns.list_linked_channels(tx, before.id)])
    after = replace(before, archived_at=ledger.now() if archived else None)
    campaigns.save_campaign(tx, after)
    return after, _enter(tx, ledger, after, person, {"archived": archived})


def _require_unarchived(tx: Connection, campaign: Campaign, seen: int) -> None:
    """Refuse where the campaign was archived or taken back after an entry (number)."""
    for entry in entries.walk_entries(tx, campaign.id, after=seen):
        if entry.kind == "campaign" and "archived" in entry.content():
            what = f"{campaign.name} was archived or restored since you looked (entry #{entry.number})."
            raise NotOpen(what, "Nothing was done. Use /campaign archive to look again.")


def link(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, channel_id: int) -> bool:
    """Link a channel or category; tell whether it was not linked before."""
    require_manager(person, "link channels to a campaign")
    campaign = open_campaign(tx, campaign_id)
    require_free(tx, campaign, [channel_id])
    if not campaigns.link_channel(tx, campaign_id, channel_id):
        return False
    _enter(tx, ledger, campaign, person, {"bound": str(channel_id)})
    return True


def unlink(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, channel_id: int) -> bool:
    """Unlink a channel or category; tell whether it was linked."""
    require_manager(person, "unlink channels from a campaign")
    campaign = open_campaign(tx, campaign_id)
    gone = campaigns.unlink_channel(tx, campaign_id, channel_id)
    if gone:
        _enter(tx, ledger, campaign, person, {"unbound": str(channel_id)})
    return gone


def give_key(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, sealed: str | None) -> None:
    """Keep the encrypted key with which a campaign asks random.org, or none any more; the ledger says that, and not which."""
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "change its random.org key")
    if sealed is None and not campaign.asks_outside:
        raise NotOpen("The key is already removed.", "See /campaign randomness.")
    campaigns.keep_outside_key(tx, campaign.id, sealed)
    _enter(tx, ledger, campaign, person, {"asks_outside": sealed is not None})


def _new(ledger: Ledger, library: Library, person: Person, settings: CampaignSettings) -> Campaign:
    return Campaign(
        id=0,
        uuid=str(uuid.UUID(bytes=ledger.randomness(16), version=4)),
        guild_id=person.guild_id,
        name=check_name(settings.name),
        books=read_books(library, settings.books),
        timezone=check_timezone(settings.timezone, ledger.now()),
        results_channel_id=settings.results_channel_id,
        staff_channel_id=settings.staff_channel_id,
        game_master_role_id=settings.game_master_role_id,
        player_role_id=settings.player_role_id,
        players_may=(),
        created_at=ledger.now(),
        archived_at=None,
    )


def _move(tx: Connection, ledger: Ledger, before: Campaign, after: Campaign) -> None:
    """Link channels that took another's place, and send on what the old ones never got."""
    for field, kinds in POSTED.items():
        old, new = getattr(before, field), getattr(after, field)
        if old != new:
            campaigns.link_channel(tx, after.id, new)
            store.redirect(tx, after.id, kinds, (old, new), ledger.now())


def _enter(tx: Connection, ledger: Ledger, campaign: Campaign, person: Person, body: Body, *changes: Change) -> int:
    return ledger.enter(tx, campaign, person.user_id, EntryDraft("campaign", "staff", body, changes)).number


def _require_editor(person: Person, campaign: Campaign, changes: Mapping[str, object]) -> None:
    if any(field in SERVER_FIELDS for field in changes):
        require_manager(person, "change a campaign's channels and roles")
    elif not person.manages_server:
        require_game_master(person, campaign, "change its settings")


def _require_new_name(tx: Connection, campaign: Campaign) -> None:
    taken = campaigns.find_campaign(tx, campaign.guild_id, campaign.name)
    if taken is not None and taken.id != campaign.id:
        raise BadInput(f"This server already has a campaign called {taken.name}.", "Pick another name.")


def require_free(tx: Connection, campaign: Campaign, channel_ids: Sequence[int]) -> None:
    """Refuse channels of another campaign that is played: commands there would belong to neither."""
    linked = campaigns.find_linked(tx, campaign.guild_id, channel_ids)
    for channel_id in channel_ids:
        others = [
            other for other in linked.get(channel_id, ()) if other.id != campaign.id and other.archived_at is None
        ]
        if others:
            name = others[0].name
            raise BadInput(
                f"<#{channel_id}> already belongs to {name}, and a channel has one campaign.",
                f"Pick another channel, or free this one: /campaign unlink channel:… campaign:{name}, "
                f"or archive that game: /campaign archive campaign:{name}.",
            )


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


def view_campaign(
    tx: Connection,
    features: Sequence[Feature],
    library: Library,
    person: Person,
    channels: Sequence[int],
    name: str | None,
) -> CampaignView:
    """Return the campaign of a name, or the channel's (ids, nearest first), as the person sees it."""
    campaign = campaigns.require_campaign_or_here(tx, person.guild_id, channels, name)
    inside = person.plays(campaign) or person.leads(campaign)
    waiting = unfinished(tx, features, campaign) if inside else []
    return CampaignView(campaign, campaigns.list_linked_channels(tx, campaign.id), titles(library), waiting)


def to_archive(tx: Connection, person: Person, campaign: Campaign) -> Archiving:
    """Return what stops when a campaign is archived."""
    require_manager(person, "archive a campaign")
    if campaign.archived_at is not None:
        raise BadInput("The campaign is already archived.", "Restore it with /campaign archive restore:True.")
    cards = card_store.still_open(tx, campaign.id, None, MAX_COUNTED)
    newest = entries.find_link(tx, campaign.id, campaign.uuid)
    return Archiving(campaign, len(cards), len(jobs.list_schedules(tx, campaign.id)), newest.number)


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
        return campaigns.require_campaign(tx, guild_id, name)
    played = [campaign for campaign in campaigns.list_campaigns(tx, guild_id) if campaign.archived_at is None]
    if len(played) > 1:
        names = ", ".join(campaign.name for campaign in played)
        raise NoCampaign(f"Several campaigns are here: {names}.", f"Pick one, for example campaign:{played[0].name}.")
    return played[0] if played else campaigns.locate_campaign(tx, guild_id, channels)


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
    linked = not set(channels).isdisjoint(campaigns.list_linked_channels(tx, campaign.id))
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
