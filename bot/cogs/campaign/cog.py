"""`/campaign`: a game on this server, its channels, roles and settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

import discord
from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.campaign.embed import book_lines, campaign_embed, campaigns_embed, changed_embed
from bot.cogs.campaign.service import THREADS, Campaigns, Settings
from bot.core.campaigns import Campaign
from bot.errors import NoCampaign
from bot.outbox.delivery import missing_permissions
from bot.rolls.desk import RollDesk
from bot.rolls.options import offer
from bot.ui.reply import AnyInteraction, person, say

AnyChannel = app_commands.AppCommandChannel | app_commands.AppCommandThread


class WhateverChannel(app_commands.Transformer):
    """A channel of any kind, also one that the bot does not know yet: only its id is wanted."""

    @property
    def type(self) -> discord.AppCommandOptionType:
        """A channel option that names no kinds, so that Discord offers all of them."""
        return discord.AppCommandOptionType.channel

    async def transform(self, _interaction: AnyInteraction, value: AnyChannel, /) -> AnyChannel:
        """The channel as Discord sent it."""
        return value


Bindable = app_commands.Transform[AnyChannel, WhateverChannel]


@app_commands.guild_only()
class CampaignCog(commands.GroupCog, group_name="campaign", group_description="Your game on this server"):
    """Campaigns and their settings."""

    def __init__(self, desk: RollDesk, campaigns: Campaigns, books: Mapping[str, str]) -> None:
        self._desk = desk
        self._campaigns = campaigns
        self._books = books

    @app_commands.command()
    @app_commands.describe(
        name="What the campaign is called",
        results="The channel that results are posted to",
        staff="The channel that only game masters see",
        game_master="The role of game masters",
        player="The role of players; everybody when left out",
        books="The rule books it plays by, parted by commas",
        timezone="Its time zone, such as Europe/Berlin",
    )
    async def create(
        self,
        interaction: Interaction,
        name: str,
        results: discord.TextChannel,
        staff: discord.TextChannel,
        game_master: discord.Role,
        player: discord.Role | None = None,
        books: str = "campaign",
        timezone: str = "UTC",
    ) -> None:
        """Start a campaign on this server (needs Manage Server)."""
        settings = Settings(name, books, timezone, results.id, staff.id, game_master.id, player.id if player else None)
        made = await self._campaigns.create(person(interaction), settings)
        await say(interaction, embed=changed_embed(made, "created", _lacking(results, staff)))

    @app_commands.command()
    @app_commands.describe(campaign="Its name; this channel's campaign when left out")
    async def show(self, interaction: Interaction, campaign: str | None = None) -> None:
        """Show a campaign's settings, or all campaigns of this server."""
        found = await self._campaigns.of_guild(interaction.guild_id or 0)
        if campaign is None and not await self._is_here(interaction):
            await say(interaction, embed=campaigns_embed(found))
            return
        shown = await self._named_or_here(interaction, campaign)
        bound, reader = await self._campaigns.bound(shown.id), person(interaction)
        inside = reader.plays(shown) or reader.leads(shown)
        waiting = await self._campaigns.waiting(shown) if inside else []
        await say(interaction, embed=campaign_embed(shown, bound, self._books, waiting))

    @app_commands.command()
    @app_commands.describe(
        campaign="Which one; this channel's campaign when left out",
        name="A new name",
        books="The rule books it plays by, parted by commas",
        timezone="Its time zone, such as Europe/Berlin",
        results="The channel that results are posted to",
        staff="The channel that only game masters see",
        game_master="The role of game masters",
        player="The role of players",
        players_may="Rolls open to players, parted by commas: patrol, scouting; characters: edit their own; or none",
        write_ups="Whether a result that calls for something to be written has a thread for it",
    )
    @app_commands.choices(write_ups=[Choice(name=word, value=word) for word in THREADS])
    async def edit(
        self,
        interaction: Interaction,
        campaign: str | None = None,
        name: str | None = None,
        books: str | None = None,
        timezone: str | None = None,
        results: discord.TextChannel | None = None,
        staff: discord.TextChannel | None = None,
        game_master: discord.Role | None = None,
        player: discord.Role | None = None,
        players_may: str | None = None,
        write_ups: str | None = None,
    ) -> None:
        """Change a campaign's settings; channels and roles need Manage Server."""
        named = await self._named_or_here(interaction, campaign)
        given = _given(name=name, books=books, timezone=timezone, players_may=players_may, writeup_threads=write_ups)
        changes = given | _ids(
            results_channel_id=results, staff_channel_id=staff, game_master_role_id=game_master, player_role_id=player
        )
        changed = await self._campaigns.edit(person(interaction), named.id, changes)
        told = [] if books is None else book_lines(changed, self._books, await self._campaigns.waiting(changed))
        await say(interaction, embed=changed_embed(changed, "changed", _lacking(results, staff), told))

    @app_commands.command()
    @app_commands.describe(
        channel="The channel or category", campaign="Which campaign; left out: the only one there is"
    )
    async def bind(self, interaction: Interaction, channel: Bindable, campaign: str | None = None) -> None:
        """Let commands in a channel or category belong to a campaign (needs Manage Server)."""
        named = await self._named_or_only(interaction, campaign)
        fresh = await self._campaigns.bind(person(interaction), named.id, channel.id)
        await say(interaction, embed=changed_embed(named, f"{'now' if fresh else 'already'} bound to <#{channel.id}>"))

    @app_commands.command()
    @app_commands.describe(
        channel="The channel or category", campaign="Which campaign; left out: the only one there is"
    )
    async def unbind(self, interaction: Interaction, channel: Bindable, campaign: str | None = None) -> None:
        """Take a channel or category away from a campaign (needs Manage Server)."""
        named = await self._named_or_only(interaction, campaign)
        gone = await self._campaigns.unbind(person(interaction), named.id, channel.id)
        await say(interaction, embed=changed_embed(named, f"{'no longer' if gone else 'not'} bound to <#{channel.id}>"))

    @app_commands.command()
    @app_commands.describe(campaign="Which one; this channel's campaign when left out", restore="Take it back instead")
    async def archive(self, interaction: Interaction, campaign: str | None = None, *, restore: bool = False) -> None:
        """Close a campaign for new rolls; its ledger stays readable (needs Manage Server)."""
        named = await self._named_or_here(interaction, campaign)
        work = self._campaigns.set_archived(person(interaction), named.id, archived=not restore)
        done = await work
        await say(interaction, embed=changed_embed(done, "taken back from the archive" if restore else "archived"))

    @show.autocomplete("campaign")
    @edit.autocomplete("campaign")
    @bind.autocomplete("campaign")
    @unbind.autocomplete("campaign")
    @archive.autocomplete("campaign")
    async def _complete_campaign(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        found = await self._campaigns.of_guild(interaction.guild_id or 0)
        wanted = current.casefold()
        return offer([(item.name, item.name) for item in found if wanted in item.name.casefold()])

    @create.autocomplete("timezone")
    @edit.autocomplete("timezone")
    async def _complete_timezone(self, _interaction: Interaction, current: str) -> list[Choice[str]]:
        wanted = current.casefold().replace(" ", "_")
        return offer([(zone, zone) for zone in sorted(available_timezones()) if wanted in zone.casefold()])

    @create.autocomplete("books")
    @edit.autocomplete("books")
    async def _complete_books(self, _interaction: Interaction, current: str) -> list[Choice[str]]:
        wanted = current.casefold()
        return offer([(named, book) for book, named in self._books.items() if wanted in named.casefold()])

    async def _is_here(self, interaction: Interaction) -> bool:
        try:
            await self._desk.campaign(interaction)
        except NoCampaign:
            return False
        return True

    async def _named_or_here(self, interaction: Interaction, name: str | None) -> Campaign:
        if name is None:
            return await self._desk.campaign(interaction)
        return await self._campaigns.named(interaction.guild_id or 0, name)

    async def _named_or_only(self, interaction: Interaction, name: str | None) -> Campaign:
        found = await self._campaigns.of_guild(interaction.guild_id or 0)
        playing = [item for item in found if item.archived_at is None]
        if name is None and len(playing) == 1:
            return playing[0]
        return await self._named_or_here(interaction, name)


def _given(**values: str | None) -> dict[str, Any]:
    return {field: value for field, value in values.items() if value is not None}


def _ids(**values: discord.TextChannel | discord.Role | None) -> dict[str, Any]:
    return {field: value.id for field, value in values.items() if value is not None}


def _lacking(*channels: discord.TextChannel | None) -> list[str]:
    """What the bot lacks in channels that it shall post to, one line for each channel."""
    lines = []
    staff = channels[-1]
    if staff and staff.permissions_for(staff.guild.default_role).view_channel:
        lines.append(f"Everybody can see <#{staff.id}>: what goes there is for the staff alone.")
    for channel in channels:
        missing = missing_permissions(channel) if channel else []
        if channel and missing:
            lines.append(f"In <#{channel.id}> I lack {', '.join(missing)}.")
    return lines
