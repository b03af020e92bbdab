"""Campaigns: made, changed, bound to channels, found again from a channel, archived."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from sqlalchemy import Connection

from bot.cogs.battles import store as battles
from bot.cogs.infinity import store as challenges
from bot.core import campaigns, house_files
from bot.core.campaigns import (
    CHARACTERS,
    SERVER_FIELDS,
    UPDATE,
    Campaign,
    difference,
    locate,
    open_campaign,
    settings_of,
)
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person, require_game_master, require_manager
from bot.core.records import Change
from bot.core.state import CAMPAIGN_STATE
from bot.core.subjects import subject_key
from bot.errors import BadInput, NoCampaign
from bot.outbox import store as posts
from bot.outbox.store import PostKind
from bot.schedules.service import rezone
from bot.ui.text import plain
from rules.errors import nearest

MAX_NAME = 60
POSTED: Mapping[str, Collection[PostKind]] = {
    "results_channel_id": ("results", "published"),
    "staff_channel_id": ("staff", "whole", "notice", "reminder", "question"),
}
"""Which posts go to which of a campaign's channels."""

BATTLES, CONTESTS = "battlesystem", "infinity"
"""The books that something waits for while they are off."""

THREADS: Mapping[str, bool] = {"threads on": True, "threads off": False}
"""What can be chosen for results that call for something to be written."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a campaign is made with. Books and families come as typed, parted by commas."""

    name: str
    books: str
    timezone: str
    results_channel_id: int
    staff_channel_id: int
    game_master_role_id: int
    player_role_id: int | None


class Campaigns:
    """The use cases around a campaign's own settings."""

    def __init__(
        self,
        database: Database,
        *,
        families: Mapping[str, Collection[str]],
        ledger: Ledger,
    ) -> None:
        self._database = database
        self._families = families
        self._ledger = ledger

    async def create(self, person: Person, settings: Settings) -> Campaign:
        """Make a campaign, bind its two channels and enter it as the first of its ledger.

        Raises:
            NotAllowed: the person does not manage the server.
            BadInput: name, books, time zone or channels cannot be used.

        """
        require_manager(person, "create a campaign")
        now = self._ledger.now()
        new = Campaign(
            id=0,
            uuid=str(uuid.UUID(bytes=self._ledger.randomness(16), version=4)),
            guild_id=person.guild_id,
            name=checked_name(settings.name),
            books=self._books(settings.books),
            timezone=checked_timezone(settings.timezone),
            results_channel_id=settings.results_channel_id,
            staff_channel_id=settings.staff_channel_id,
            game_master_role_id=settings.game_master_role_id,
            player_role_id=settings.player_role_id,
            players_may=(),
            created_at=now,
            archived_at=None,
        )
        _require_two_channels(new)

        def create(tx: Connection) -> Campaign:
            _require_new_name(tx, new)
            made = campaigns.add(tx, new)
            for channel_id in (made.results_channel_id, made.staff_channel_id):
                campaigns.bind(tx, made.id, channel_id)
            first = {"number": 1, "name": "Update 1", "since": now.isoformat()}
            self._record(tx, made, person, {"created": settings_of(made)}, Change(CAMPAIGN_STATE, UPDATE, None, first))
            return made

        return await self._database.write(create)

    async def edit(self, person: Person, campaign_id: int, changes: Mapping[str, Any]) -> Campaign:
        """Change settings by field name; channels and roles need Manage Server, all else a game master.

        Raises:
            NotAllowed: the person may not change one of them.
            BadInput: a value cannot be used, or nothing is to be changed.
            NotOpen: the campaign is archived.

        """
        if not changes:
            raise BadInput("Nothing to change was named.", "Pick at least one setting of /campaign edit.")

        def edit(tx: Connection) -> Campaign:
            before = open_campaign(tx, campaign_id)
            self._require_editor(person, before, changes)
            after = replace(before, **self._checked(tx, before, changes))
            _require_two_channels(after)
            if subject_key(after.name) != subject_key(before.name):
                _require_new_name(tx, after)
            campaigns.save(tx, after)
            self._move(tx, before, after)
            if after.timezone != before.timezone:
                rezone(tx, after, self._ledger.now())
            self._record(tx, after, person, {"edited": difference(before, after)})
            return after

        return await self._database.write(edit)

    async def set_archived(self, person: Person, campaign_id: int, *, archived: bool) -> Campaign:
        """Archive a campaign or take it back.

        Raises:
            NotAllowed: the person does not manage the server.
            BadInput: it is archived, or open, already.

        """
        require_manager(person, "archive a campaign")

        def archive(tx: Connection) -> Campaign:
            before = campaigns.get(tx, campaign_id, lock=True)
            if before is None or (before.archived_at is not None) == archived:
                raise BadInput(f"The campaign is {'archived' if archived else 'open'} already.")
            after = replace(before, archived_at=self._ledger.now() if archived else None)
            campaigns.save(tx, after)
            self._record(tx, after, person, {"archived": archived})
            return after

        return await self._database.write(archive)

    async def bind(self, person: Person, campaign_id: int, channel_id: int) -> bool:
        """Bind a channel or category; says whether it was not bound before."""
        require_manager(person, "bind channels to a campaign")

        def bind(tx: Connection) -> bool:
            campaign = open_campaign(tx, campaign_id)
            fresh = campaigns.bind(tx, campaign_id, channel_id)
            if fresh:
                self._record(tx, campaign, person, {"bound": str(channel_id)})
            return fresh

        return await self._database.write(bind)

    async def unbind(self, person: Person, campaign_id: int, channel_id: int) -> bool:
        """Take a binding away; says whether there was one."""
        require_manager(person, "unbind channels from a campaign")

        def unbind(tx: Connection) -> bool:
            campaign = open_campaign(tx, campaign_id)
            gone = campaigns.unbind(tx, campaign_id, channel_id)
            if gone:
                self._record(tx, campaign, person, {"unbound": str(channel_id)})
            return gone

        return await self._database.write(unbind)

    async def bound(self, campaign_id: int) -> list[int]:
        """The channels and categories bound to a campaign."""
        return await self._database.read(lambda tx: campaigns.bound_channels(tx, campaign_id))

    async def waiting(self, campaign: Campaign) -> list[str]:
        """What cannot go on until a book that is off is on again: battles that are fought, open challenges."""
        return await self._database.read(lambda tx: list(_waiting(tx, campaign)))

    async def of_guild(self, guild_id: int) -> list[Campaign]:
        """All campaigns of a server."""
        return await self._database.read(lambda tx: campaigns.of_guild(tx, guild_id))

    async def named(self, guild_id: int, name: str) -> Campaign:
        """A campaign of a server by name.

        Raises:
            NoCampaign: there is none of this name.

        """
        known = {campaign.name: campaign for campaign in await self.of_guild(guild_id)}
        for campaign in known.values():
            if campaign.name.casefold() == name.strip().casefold():
                return campaign
        close = nearest(name, known)
        hint = f"Did you mean {close}?" if close else "See /campaign show for those there are."
        raise NoCampaign(f"There is no campaign {name!r} on this server.", hint)

    async def here(self, guild_id: int, channels: Sequence[int]) -> Campaign:
        """The campaign that a channel belongs to; `channels` are its ids from the nearest outwards (thread, parent, category).

        Raises:
            NoCampaign: none of them is bound, or the nearest bound one belongs to several campaigns.

        """
        return await self._database.read(lambda tx: locate(tx, guild_id, channels))

    def _require_editor(self, person: Person, campaign: Campaign, changes: Mapping[str, Any]) -> None:
        if any(field in SERVER_FIELDS for field in changes):
            require_manager(person, "change a campaign's channels and roles")
        elif not person.manages_server:
            require_game_master(person, campaign, "change its settings")

    def _checked(self, tx: Connection, campaign: Campaign, changes: Mapping[str, Any]) -> dict[str, Any]:
        checks: dict[str, Callable[[Any], Any]] = {
            "name": checked_name,
            "books": self._books,
            "timezone": checked_timezone,
            "players_may": lambda typed: self._players_may(tx, campaign, typed),
            "writeup_threads": lambda word: THREADS[word],
        }
        return {field: checks[field](value) if field in checks else value for field, value in changes.items()}

    def _move(self, tx: Connection, before: Campaign, after: Campaign) -> None:
        """Bind channels that took another's place, and send on what the old ones never got."""
        for field, kinds in POSTED.items():
            old, new = getattr(before, field), getattr(after, field)
            if old != new:
                campaigns.bind(tx, after.id, new)
                posts.send_on(tx, after.id, kinds, (old, new), self._ledger.now())

    def _books(self, typed: str) -> tuple[str, ...]:
        return _known(typed, self._families, "book")

    def _players_may(self, tx: Connection, campaign: Campaign, typed: str) -> tuple[str, ...]:
        """Rolls of all books, and those on the campaign's own tables."""
        if typed.strip().casefold() in {"none", "nothing", "-"}:
            return ()
        rolls = [family for families in self._families.values() for family in families]
        rolls += [table for file in house_files.switched_on(tx, campaign.id) for table in file.tables]
        return _known(typed, [*rolls, CHARACTERS], "roll")

    def _record(
        self, tx: Connection, campaign: Campaign, person: Person, body: dict[str, Any], *changes: Change
    ) -> None:
        draft = EntryDraft(kind="campaign", body=body, changes=changes, audience="staff")
        self._ledger.enter(tx, campaign, person.user_id, draft)


def checked_name(typed: str) -> str:
    """A campaign's name, trimmed.

    Raises:
        BadInput: it is empty or over 60 characters.

    """
    name = " ".join(typed.split())
    if not 1 <= len(name) <= MAX_NAME:
        raise BadInput(f"A campaign's name has 1 to {MAX_NAME} characters; that one has {len(name)}.")
    return name


def checked_timezone(typed: str) -> str:
    """An IANA time zone.

    Raises:
        BadInput: there is none of this name.

    """
    wanted = typed.strip()
    zones = available_timezones()
    found = wanted if wanted in zones else next((zone for zone in zones if zone.casefold() == wanted.casefold()), None)
    if found is None:
        close = nearest(wanted, zones)
        raise BadInput(
            f"{wanted!r} is no time zone I know.",
            f"Did you mean {close}?" if close else "Write it like Europe/Berlin, America/New_York or UTC.",
        )
    return ZoneInfo(found).key


def _known(typed: str, known: Collection[str], kind: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(word.strip().casefold() for word in typed.split(",") if word.strip()))
    for name in names:
        if name not in known:
            close = nearest(name, known)
            hint = f"Did you mean {close}?" if close else f"There are: {', '.join(known)}."
            raise BadInput(f"There is no {kind} {name!r}.", hint)
    if not names:
        raise BadInput(f"No {kind} was named.", f"There are: {', '.join(known)}.")
    return names


def _waiting(tx: Connection, campaign: Campaign) -> Iterator[str]:
    if BATTLES not in campaign.books:
        for header in battles.headers(tx, campaign.id):
            if not header.over:
                yield f"{plain(header.name)} waits until {BATTLES} is on again."
    open_challenges = [] if CONTESTS in campaign.books else challenges.still_open(tx, campaign.id, None)
    if open_challenges:
        count = len(open_challenges)
        told = "1 open challenge waits" if count == 1 else f"{count} open challenges wait"
        yield f"{told} until {CONTESTS} is on again, if time does not run out before."


def _require_two_channels(campaign: Campaign) -> None:
    if campaign.results_channel_id == campaign.staff_channel_id:
        raise BadInput(
            "Results and staff need two channels.",
            "What goes to the staff channel is not for players; pick a channel that only game masters see.",
        )


def _require_new_name(tx: Connection, campaign: Campaign) -> None:
    taken = campaigns.by_name(tx, campaign.guild_id, campaign.name)
    if taken is not None and taken.id != campaign.id:
        raise BadInput(f"There is a campaign named {taken.name} on this server already.", "Pick another name.")
