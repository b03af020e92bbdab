"""A new campaign: the window that asks for what is missing, and the channels and role that the bot makes."""

from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from typing import Any

import discord
from discord import ui
from msgspec.structs import replace

from bot.client import Interaction
from bot.cogs.campaign import settings
from bot.cogs.campaign.settings import CampaignSettings
from bot.core.errors import BadInput, NotOpen
from bot.ui.reply import IdTemplate, text_field
from bot.ui.text import join_words

NEW = IdTemplate("campaign-new:{timezone:word}:{may:word}:{books:rest}")
MAX_ID = 100
NAME, RESULTS, STAFF, GAME_MASTER, PLAYER = "name", "results", "staff", "game_master", "player"
ROLE_NAME = "Game Master"
WHY = "A new Adjutant campaign"
Target = discord.Role | discord.Member | discord.Object


def make_window(given: CampaignSettings) -> ui.Modal:
    """Return the window of a new campaign, filled in with what was typed."""
    key = NEW.fill(timezone=given.timezone, may=given.players_may, books=given.books)
    if len(key) > MAX_ID:
        raise BadInput("That's too much for one window.", "Name the channels and the role in the command, too.")
    form = ui.Modal(title="Start a campaign", custom_id=key)
    form.add_item(text_field(NAME, "Its name", value=given.name or None, limit=settings.MAX_NAME))
    for place, label, empty, channel_id in (
        (RESULTS, "Channel for public results", "Leave it empty and I make #results.", given.results_channel_id),
        (STAFF, "Channel for game masters", "Leave it empty and I make a private #staff.", given.staff_channel_id),
    ):
        channel: ui.ChannelSelect[ui.LayoutView] = ui.ChannelSelect(
            custom_id=place,
            channel_types=[discord.ChannelType.text],
            default_values=[discord.Object(channel_id)] if channel_id else [],
            required=False,
        )
        form.add_item(ui.Label(text=label, description=empty, component=channel))
    for place, label, empty, role_id in (
        (
            GAME_MASTER,
            "Game masters' role",
            "Leave it empty and I make it, and give it to you.",
            given.game_master_role_id,
        ),
        (PLAYER, "Players' role", "Leave it empty and everyone plays.", given.player_role_id),
    ):
        role: ui.RoleSelect[ui.LayoutView] = ui.RoleSelect(
            custom_id=place, default_values=[discord.Object(role_id)] if role_id else [], required=False
        )
        form.add_item(ui.Label(text=label, description=empty, component=role))
    return form


def read_window(
    guild: discord.Guild | None, fields: Mapping[str, Any], timezone: str, may: str, books: str
) -> CampaignSettings:
    """Return what a window sent. Channels and roles of another server are refused."""
    results, staff, role, player = (
        next((int(picked) for picked in fields.get(key) or ()), 0) for key in (RESULTS, STAFF, GAME_MASTER, PLAYER)
    )
    here = set() if guild is None else {item.id for item in (*guild.text_channels, *guild.roles)}
    if not here.issuperset({results, staff, role, player} - {0}):
        raise BadInput("That channel or role isn't on this server.", "Pick another.")
    return CampaignSettings(str(fields.get(NAME) or ""), books, timezone, results, staff, role, player or None, may)


async def make_missing(interaction: Interaction, given: CampaignSettings, undoing: AsyncExitStack) -> CampaignSettings:
    """Make the channels and the role that are missing; `undoing` deletes them again."""
    guild = interaction.guild
    if guild is None:
        raise NotOpen("That server is out of reach.", "Try again later.")
    rights = guild.me.guild_permissions
    needs_role, needs_channel = not given.game_master_role_id, not (given.results_channel_id and given.staff_channel_id)
    lacking = ["Manage Roles"] * (needs_role and not rights.manage_roles)
    lacking += ["Manage Channels"] * (needs_channel and not rights.manage_channels)
    if lacking:
        what = join_words(["the role"] * needs_role + ["channels"] * needs_channel)
        raise BadInput(f"I can't make {what} here.", f"Pick existing ones, or give me {join_words(lacking)}.")
    try:
        role = guild.get_role(given.game_master_role_id)
        if needs_role:
            role = await _make_role(interaction, guild)
            undoing.push_async_callback(_delete, role)
            if isinstance(interaction.user, discord.Member):
                await interaction.user.add_roles(role, reason=WHY)
            given = replace(given, game_master_role_id=role.id)
        if not given.results_channel_id:
            results = await guild.create_text_channel(RESULTS, reason=WHY)
            undoing.push_async_callback(_delete, results)
            given = replace(given, results_channel_id=results.id)
        if not given.staff_channel_id:
            seen = discord.PermissionOverwrite(view_channel=True)
            hidden = discord.PermissionOverwrite(view_channel=False)
            overwrites: dict[Target, discord.PermissionOverwrite] = {guild.default_role: hidden, guild.me: seen}
            if role is not None:
                overwrites[role] = seen
            staff = await guild.create_text_channel(STAFF, overwrites=overwrites, reason=WHY)
            undoing.push_async_callback(_delete, staff)
            given = replace(given, staff_channel_id=staff.id)
    except discord.Forbidden as error:
        raise BadInput(
            f"Discord doesn't let me make them: {error.text or error.status}.",
            "Make them yourself, then pick them here.",
        ) from error
    return given


async def _make_role(interaction: Interaction, guild: discord.Guild) -> discord.Role:
    # `Guild.create_role` sends permissions as text, for which Discord's document wants a number.
    data = await interaction.client.http.create_role(guild.id, name=ROLE_NAME, permissions=0, reason=WHY)
    return discord.Role(guild=guild, state=interaction.client._connection, data=data)  # noqa: SLF001 - discord.py makes roles only with it


async def _delete(made: discord.Role | discord.TextChannel) -> None:
    with suppress(discord.HTTPException):
        await made.delete(reason="The campaign wasn't created")
