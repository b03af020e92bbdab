"""`/campaign`: a game on this server, its channels, roles and settings."""

from collections.abc import Mapping
from typing import Any, cast

import discord
from discord import app_commands
from discord.app_commands import Choice

from bot.client import Interaction
from bot.cogs.campaign import (
    capsule_panel,
    deleting_panel,
    group_panel,
    group_service,
    panel,
    queries,
    randomness,
    service,
    steps,
)
from bot.cogs.campaign.embed import (
    book_lines,
    campaign_embed,
    campaigns_embed,
    changed_embed,
    unlinked_lines,
    zone_line,
)
from bot.cogs.campaign.entries import group_line
from bot.cogs.campaign.options import BookChanges, Books, Linkable, Timezone
from bot.cogs.campaign.settings import DEFENCE, NEW, PINGED, THREADS, Settings
from bot.core import campaigns
from bot.core.campaigns import STAFF, Campaign
from bot.core.groups import Group
from bot.errors import BadInput, NoCampaign, NotAllowed
from bot.rolls.desk import channels
from bot.rolls.options import CampaignName, GroupName, Names
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.commands import GAME_MASTERS, MANAGERS, describe
from bot.ui.reply import person, say
from bot.ui.text import code, plain

NAMED_OR_HERE = "The campaign. Default: this channel's"
GROUP = {
    "members": "Characters and units, separated by commas. Their owners become members",
    "role": "Everyone with this role is a member",
    "channel": "Where its results are posted. Default: the staff channel",
    "secret": "False lets everyone see the group and its members. Default: True",
}
NO_GROUPS = "No groups yet. Add one with /campaign group add."
NAMED_OR_ONLY = "The campaign. Default: the only one on this server"


@app_commands.guild_only()
class CampaignCog(app_commands.Group, name="campaign", description="Your game on this server"):
    """Campaigns and their settings."""

    group = app_commands.Group(name="group", description="Groups of players who get their own results")

    @group.command(name="add", extras=GAME_MASTERS)
    @describe(name="The group's name. A side with this name becomes this group", **GROUP)
    async def add_group(
        self,
        interaction: Interaction,
        name: str,
        members: Names | None = None,
        role: discord.Role | None = None,
        channel: discord.TextChannel | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Make a group that results can be sent to."""
        await _save_group(interaction, None, name=name, add=members, role=role, channel=channel, secret=secret)

    @group.command(name="edit", extras=GAME_MASTERS)
    @describe(
        group="The group",
        name="The new name",
        leave="Characters and units whose owners leave, separated by commas",
        **GROUP,
    )
    @describe(without="Remove the group's role or channel")
    @app_commands.choices(without=[Choice(name=word, value=word) for word in ("role", "channel")])
    async def edit_group(
        self,
        interaction: Interaction,
        group: GroupName,
        name: str | None = None,
        members: Names | None = None,
        leave: Names | None = None,
        role: discord.Role | None = None,
        channel: discord.TextChannel | None = None,
        without: str | None = None,
        *,
        secret: bool | None = None,
    ) -> None:
        """Edit a group. Members who leave can't see its results."""
        given = {"role": role, "channel": channel, "without": without, "secret": secret}
        await _save_group(interaction, group, name=name, add=members, drop=leave, **given)

    @group.command(name="remove", extras=GAME_MASTERS)
    @describe(group="The group")
    async def remove_group(self, interaction: Interaction, group: GroupName) -> None:
        """Remove a group. Only game masters then see its results."""
        await group_panel.ask_removal(interaction, await _named_or_here(interaction, None), group)

    @group.command(name="list")
    async def list_groups(self, interaction: Interaction) -> None:
        """List the groups you know of and their members."""
        here = await _named_or_here(interaction, None)
        known = await interaction.client.database.read(group_service.listed, person(interaction), here)
        lines = [group_line(group.value(), names, group.name) for group, names in known]
        none = NO_GROUPS if person(interaction).leads(here) else "There are none that you know of."
        told = paging.fit("Groups", lines or [none], colour=COLOURS["neutral"], footer=here.name)
        for page in paging.pages(told):
            await say(interaction, embeds=page)

    @app_commands.command(extras=MANAGERS)
    @describe(
        name="The campaign's name",
        results="The channel for public results",
        staff="The staff channel, which only game masters see",
        game_master="The game masters' role",
        player="The players' role. Default: everyone plays",
        books="Books of rules, separated by commas. Default: campaign",
        timezone="The time zone, such as Europe/Berlin",
    )
    async def create(
        self,
        interaction: Interaction,
        name: str,
        results: discord.TextChannel,
        staff: discord.TextChannel,
        game_master: discord.Role,
        player: discord.Role | None = None,
        books: Books = "campaign",
        timezone: Timezone = "UTC",
    ) -> None:
        """Start a campaign on this server."""
        bot, who = interaction.client, person(interaction)
        settings = Settings(name, books, timezone, results.id, staff.id, game_master.id, player.id if player else None)
        made, posts = await bot.database.write(service.create, bot.resolver, who, settings)
        await steps.show_created(interaction, made)
        await bot.outbox.send(bot, posts)

    @app_commands.command()
    @describe(campaign="The campaign. Default: this channel's")
    async def show(self, interaction: Interaction, campaign: CampaignName | None = None) -> None:
        """Show a campaign's settings, or all campaigns here."""
        bot, who, here = interaction.client, person(interaction), channels(interaction)
        try:
            view = await bot.database.read(queries.look, bot.features, bot.library, who, here, campaign)
        except NoCampaign:
            if campaign is not None:
                raise
            every = await bot.database.read(campaigns.of_guild, who.guild_id)
            await say(interaction, embed=campaigns_embed(every))
        else:
            await say(
                interaction, embed=campaign_embed(view, who, bot.ledger.now()), view=steps.offered(view.campaign, who)
            )

    @app_commands.command(extras=GAME_MASTERS)
    @describe(
        campaign=NAMED_OR_HERE,
        name="The new name",
        books="Books to add, or to remove with a minus: infinity, -battlesystem",
        timezone="The time zone, such as Europe/Berlin",
        results="A new results channel. Needs Manage Server",
        staff="A new staff channel. Needs Manage Server",
        game_master="A new role for game masters. Needs Manage Server",
        player="A new role for players. Needs Manage Server",
        players_may="What players may do: patrol, orders, characters, places, levels and so on. none = nothing",
        write_ups="Whether results that need a write-up get a thread",
        pings="Who gets pings",
        newly_saved="Who can see units and characters when they are first saved",
        defence="Roll attacks in fights at once, or wait for the target's player to press Dodge",
    )
    @app_commands.choices(
        write_ups=[Choice(name=word, value=word) for word in THREADS],
        pings=[Choice(name=label, value=value) for value, label in PINGED.items()],
        newly_saved=[Choice(name=word, value=word) for word in NEW],
        defence=[Choice(name=word, value=word) for word in DEFENCE],
    )
    async def edit(
        self,
        interaction: Interaction,
        campaign: CampaignName | None = None,
        name: str | None = None,
        books: BookChanges | None = None,
        timezone: Timezone | None = None,
        results: discord.TextChannel | None = None,
        staff: discord.TextChannel | None = None,
        game_master: discord.Role | None = None,
        player: discord.Role | None = None,
        players_may: str | None = None,
        write_ups: str | None = None,
        pings: str | None = None,
        newly_saved: str | None = None,
        defence: str | None = None,
    ) -> None:
        """Change a campaign's settings."""
        bot, who = interaction.client, person(interaction)
        before = await _named_or_here(interaction, campaign)
        given = _given(name=name, books=books, timezone=timezone, players_may=players_may, pings=pings)
        changes = given | _given(writeup_threads=write_ups, new_are_secret=newly_saved, dodges_wait=defence)
        changes |= _ids(
            results_channel_id=results, staff_channel_id=staff, game_master_role_id=game_master, player_role_id=player
        )
        changed = await bot.database.write(service.edit, bot.ledger, bot.library, who, before.id, changes)
        lines = [] if books is None else await _book_lines(interaction, changed)
        lines += [zone_line(changed, bot.ledger.now())] if timezone else []
        await say(interaction, embed=changed_embed(changed, "changed", _lacking(interaction, changed, changes), lines))

    @app_commands.command(extras=MANAGERS)
    @describe(channel="The channel or category", campaign=NAMED_OR_ONLY)
    async def link(self, interaction: Interaction, channel: Linkable, campaign: CampaignName | None = None) -> None:
        """Link a channel or category to a campaign."""
        bot, named = interaction.client, await _named_or_only(interaction, campaign)
        fresh = await bot.database.write(service.link, bot.ledger, person(interaction), named.id, channel.id)
        await say(interaction, embed=changed_embed(named, f"{'now' if fresh else 'already'} linked to <#{channel.id}>"))

    @app_commands.command(extras=MANAGERS)
    @describe(channel="The channel or category", campaign=NAMED_OR_ONLY)
    async def unlink(self, interaction: Interaction, channel: Linkable, campaign: CampaignName | None = None) -> None:
        """Unlink a channel or category from a campaign."""
        bot, named = interaction.client, await _named_or_only(interaction, campaign)
        gone = await bot.database.write(service.unlink, bot.ledger, person(interaction), named.id, channel.id)
        what = f"{'no longer' if gone else 'not'} linked to <#{channel.id}>"
        await say(interaction, embed=changed_embed(named, what, unlinked_lines(named, channel.id)))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(campaign=NAMED_OR_HERE)
    async def randomness(self, interaction: Interaction, campaign: CampaignName | None = None) -> None:
        """Mix numbers from random.org into each roll."""
        await randomness.show(interaction, await _named_or_here(interaction, campaign))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(campaign=NAMED_OR_HERE)
    async def export(self, interaction: Interaction, campaign: CampaignName | None = None) -> None:
        """Export a whole campaign as one file, secrets included."""
        await capsule_panel.export(interaction, await _named_or_here(interaction, campaign))

    @app_commands.command(extras=MANAGERS)
    @describe(campaign="The campaign to delete")
    async def delete(self, interaction: Interaction, campaign: CampaignName) -> None:
        """Delete a campaign and everything in it."""
        await deleting_panel.ask(interaction, await _named_or_here(interaction, campaign))

    @app_commands.command(extras=MANAGERS)
    @describe(campaign=NAMED_OR_HERE, restore="True opens an archived campaign again")
    async def archive(
        self, interaction: Interaction, campaign: CampaignName | None = None, *, restore: bool = False
    ) -> None:
        """Close a campaign to new rolls. You can still read it."""
        bot, who = interaction.client, person(interaction)
        before = await _named_or_here(interaction, campaign)
        if restore:
            changed, _ = await bot.database.write(service.archive, bot.ledger, who, before.id, archived=False)
            await say(interaction, embed=changed_embed(changed, "restored"))
        else:
            await panel.ask_archive(interaction, before)


async def _save_group(interaction: Interaction, group: str | None, **given: Any) -> None:  # noqa: ANN401 - as picked
    bot, here = interaction.client, await _named_or_here(interaction, None)
    _require_fitting(interaction, here, given.get("channel"))
    ids = {field: str(item.id) for field, item in given.items() if isinstance(item, discord.abc.Snowflake)}
    wanted = {field: value for field, value in (given | ids).items() if value is not None}
    try:
        saved = await bot.database.write(group_service.save, bot.ledger, person(interaction), here.id, group, wanted)
    except group_service.NoMember as unknown:
        await group_panel.require_no_player(interaction, here, unknown.typed)
        raise
    lacking = steps.missing(interaction.guild, None, int(saved.channel or 0))
    what = f"changed: group {plain(saved.name)} is saved"
    more = await _next_of_group(interaction, here, saved, given.get("channel"))
    await say(interaction, embed=changed_embed(here, what, list(lacking), more))


async def _next_of_group(
    interaction: Interaction, campaign: Campaign, saved: Group, channel: discord.TextChannel | None
) -> list[str]:
    """Return what a group is that was saved, how it is told something, and what commands in its new channel still lack."""
    read = interaction.client.database.read
    names, played = await read(group_service.inside, campaign, saved)
    lines = [group_line(saved.value(), names, saved.name), f"{code(f'to:{saved.name}')} sends it a result."]
    if not played:
        nobody = "No player owns one of its members yet" if names else "It has no members yet"
        lines.append(f"{nobody}, so only game masters see its results.")
    nearest = [] if channel is None else [item for item in (channel.id, channel.category_id) if item is not None]
    if channel is not None and not await read(campaigns.linked_to, campaign.guild_id, nearest):
        lines.append(f"To use commands in {channel.mention}, link it to {plain(campaign.name)} with `/campaign link`.")
    return lines


def _require_fitting(interaction: Interaction, campaign: Campaign, channel: discord.TextChannel | None) -> None:
    """Refuse a group a channel in which the person may not write, as the bot would write there for them, or that all players see."""
    if channel is None:
        return
    if not channel.permissions_for(cast("discord.Member", interaction.user)).send_messages:
        raise NotAllowed(f"You may not write in #{channel.name}.", "Pick a channel where you may.")
    players = channel.guild.get_role(campaign.player_role_id or 0) or channel.guild.default_role
    own = {campaign.results_channel_id, campaign.staff_channel_id}  # refused with the campaign's own channels
    if channel.id not in own and channel.permissions_for(players).view_channel:
        what = f"Every player of {campaign.name} sees #{channel.name}, so nothing there is the group's alone."
        raise BadInput(what, "Pick a channel that only the group sees, or close this one to others in its settings.")


async def _book_lines(interaction: Interaction, campaign: Campaign) -> list[str]:
    bot = interaction.client
    waiting = await bot.database.read(queries.unfinished, bot.features, campaign)
    return book_lines(campaign, queries.titles(bot.library), waiting)


async def _named_or_here(interaction: Interaction, name: str | None) -> Campaign:
    read = interaction.client.database.read
    return await read(campaigns.named_or_here, interaction.guild_id or 0, channels(interaction), name)


async def _named_or_only(interaction: Interaction, name: str | None) -> Campaign:
    read = interaction.client.database.read
    return await read(queries.named_or_only, interaction.guild_id or 0, channels(interaction), name)


def _given(**values: str | None) -> dict[str, Any]:
    return {field: value for field, value in values.items() if value is not None}


def _ids(**values: discord.TextChannel | discord.Role | None) -> dict[str, Any]:
    return {field: value.id for field, value in values.items() if value is not None}


def _lacking(interaction: Interaction, campaign: Campaign, changes: Mapping[str, Any]) -> list[str]:
    """Return what the bot lacks for what was changed, one line each."""
    channels = (changes.get(f"{name}_channel_id") for name in ("results", "staff"))
    return [*steps.missing(interaction.guild, *channels), *_unpinged(interaction, campaign)]


def _unpinged(interaction: Interaction, campaign: Campaign) -> list[str]:
    """Return that game masters shall be pinged and cannot be, where it is so."""
    guild = interaction.guild
    role = guild.get_role(campaign.game_master_role_id) if guild and campaign.may_ping(STAFF) else None
    channel = guild.get_channel(campaign.staff_channel_id) if guild else None
    if guild is None or role is None or channel is None or role.mentionable:
        return []
    if channel.permissions_for(guild.me).mention_everyone:
        return []
    do = f"let anyone mention that role, or give me Mention Everyone in <#{channel.id}>"
    return [f"I cannot ping <@&{role.id}>: in the server's settings {do}."]
