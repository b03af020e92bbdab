"""Campaigns: made, changed, linked to channels, archived."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.campaign.entries import CampaignBody
from bot.cogs.campaign.settings import (
    Settings,
    checked,
    checked_books,
    checked_name,
    require_two_channels,
)
from bot.cogs.campaign.zones import checked_timezone
from bot.core import campaigns, entries, groups
from bot.core.campaigns import (
    SERVER_FIELDS,
    UPDATE,
    Campaign,
    difference,
    open_campaign,
    settings_of,
)
from bot.core.ledger import EntryDraft, Ledger
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master, require_manager
from bot.core.records import Change, Link
from bot.core.state import CAMPAIGN_STATE
from bot.errors import BadInput, NotOpen
from bot.outbox import store
from bot.outbox.store import Post, PostKind
from bot.rolls.fairness import turnover
from bot.rolls.resolver import Resolver
from bot.schedules.service import rezone
from rules.subjects import name_key

POSTED: Mapping[str, Collection[PostKind]] = {
    "results_channel_id": ("results", "published", "news", "audit"),
    "staff_channel_id": ("staff", "whole", "notice", "reminder", "question", "board"),
}
"""Which posts go to which of a campaign's channels."""


def create(tx: Connection, resolver: Resolver, person: Person, settings: Settings) -> tuple[Campaign, list[Post]]:
    """Make a campaign, link its two channels and enter it as the first of its ledger; return it with the posts that open its audit thread."""
    require_manager(person, "create a campaign")
    ledger = resolver.ledger
    new = _new(ledger, resolver.library, person, settings)
    require_two_channels(new)
    _require_new_name(tx, new)
    require_free(tx, new, (new.results_channel_id, new.staff_channel_id))
    made = campaigns.add(tx, new)
    for channel_id in (made.results_channel_id, made.staff_channel_id):
        campaigns.link(tx, made.id, channel_id)
    first = {"number": 1, "name": "Update 1", "since": made.created_at.isoformat()}
    _, messages = turnover.begin(tx, ledger, made, Link(made.uuid))
    _enter(tx, ledger, made, person, {"created": settings_of(made)}, Change(CAMPAIGN_STATE, UPDATE, None, first))
    return made, resolver.outbox.queue(tx, made.id, None, messages)


def edit(
    tx: Connection, ledger: Ledger, library: Library, person: Person, campaign_id: int, changes: Mapping[str, Any]
) -> Campaign:
    """Change settings by field name; channels and roles need Manage Server, all else a game master."""
    if not changes:
        raise BadInput("You didn't change anything.", "Pick at least one option of /campaign edit.")
    before = open_campaign(tx, campaign_id)
    _require_editor(person, before, changes)
    after = replace(before, **checked(tx, library, before, changes, ledger.now()))
    if not difference(before, after):
        raise BadInput("Nothing to change: it's already like that.", "Nothing was changed.")
    require_two_channels(after)
    if name_key(after.name) != name_key(before.name):
        _require_new_name(tx, after)
    require_free(tx, after, [changes[field] for field in POSTED if field in changes])
    campaigns.save(tx, after)
    groups.require_apart(tx, after.id, [after.results_channel_id, after.staff_channel_id])
    _move(tx, ledger, before, after)
    if after.timezone != before.timezone:
        rezone(tx, before, after, ledger.now())
    _enter(tx, ledger, after, person, {"edited": difference(before, after)})
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
    before = campaigns.get(tx, campaign_id, lock=True)
    if before is None or (before.archived_at is not None) == archived:
        raise BadInput(f"The campaign is already {'archived' if archived else 'open'}.")
    if seen is not None:
        _require_unarchived(tx, before, seen)
    if not archived:
        own = (before.results_channel_id, before.staff_channel_id)
        require_free(tx, before, [*own, *campaigns.linked_channels(tx, before.id)])
    after = replace(before, archived_at=ledger.now() if archived else None)
    campaigns.save(tx, after)
    return after, _enter(tx, ledger, after, person, {"archived": archived})


def _require_unarchived(tx: Connection, campaign: Campaign, seen: int) -> None:
    """Refuse where the campaign was archived or taken back after an entry (number)."""
    for entry in entries.walk(tx, campaign.id, after=seen):
        if entry.kind == "campaign" and "archived" in entry.content():
            what = f"{campaign.name} was archived or restored since you looked (entry #{entry.number})."
            raise NotOpen(what, "Nothing was done. Use /campaign archive to look again.")


def link(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, channel_id: int) -> bool:
    """Link a channel or category; tell whether it was not linked before."""
    require_manager(person, "link channels to a campaign")
    campaign = open_campaign(tx, campaign_id)
    require_free(tx, campaign, [channel_id])
    if not campaigns.link(tx, campaign_id, channel_id):
        return False
    _enter(tx, ledger, campaign, person, {"bound": str(channel_id)})
    return True


def unlink(tx: Connection, ledger: Ledger, person: Person, campaign_id: int, channel_id: int) -> bool:
    """Unlink a channel or category; tell whether it was linked."""
    require_manager(person, "unlink channels from a campaign")
    campaign = open_campaign(tx, campaign_id)
    gone = campaigns.unlink(tx, campaign_id, channel_id)
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


def _new(ledger: Ledger, library: Library, person: Person, settings: Settings) -> Campaign:
    return Campaign(
        id=0,
        uuid=str(uuid.UUID(bytes=ledger.randomness(16), version=4)),
        guild_id=person.guild_id,
        name=checked_name(settings.name),
        books=checked_books(library, settings.books),
        timezone=checked_timezone(settings.timezone, ledger.now()),
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
            campaigns.link(tx, after.id, new)
            store.send_on(tx, after.id, kinds, (old, new), ledger.now())


def _enter(
    tx: Connection, ledger: Ledger, campaign: Campaign, person: Person, body: CampaignBody, *changes: Change
) -> int:
    return ledger.enter(tx, campaign, person.user_id, EntryDraft("campaign", "staff", body, changes)).number


def _require_editor(person: Person, campaign: Campaign, changes: Mapping[str, Any]) -> None:
    if any(field in SERVER_FIELDS for field in changes):
        require_manager(person, "change a campaign's channels and roles")
    elif not person.manages_server:
        require_game_master(person, campaign, "change its settings")


def _require_new_name(tx: Connection, campaign: Campaign) -> None:
    taken = campaigns.by_name(tx, campaign.guild_id, campaign.name)
    if taken is not None and taken.id != campaign.id:
        raise BadInput(f"This server already has a campaign called {taken.name}.", "Pick another name.")


def require_free(tx: Connection, campaign: Campaign, channel_ids: Sequence[int]) -> None:
    """Refuse channels of another campaign that is played: commands there would belong to neither."""
    linked = campaigns.linked_to(tx, campaign.guild_id, channel_ids)
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
