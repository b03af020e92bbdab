"""A new campaign: the window that asks for what is missing, and the channels and role that the bot makes."""

import re
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from typing import Any

import discord
from discord import ui
from msgspec.structs import replace

from bot.client import Interaction
from bot.cogs.campaign import settings
from bot.cogs.campaign.settings import CampaignSettings
from bot.core.errors import BadInput, NotAsItIs, NotOpen
from bot.ui.answering import CUT_OFF, SERVER_ERROR
from bot.ui.reply import STALE, IdTemplate, text_field
from bot.ui.text import Controls, join_words

NEW = IdTemplate("campaign-new:{timezone:word}:{may:word}:{books:rest}")
MAX_ID = 100
AGAIN = IdTemplate("again:{picked:word}:{timezone:word}:{may:word}:{books:word}:{name:rest}")
"""Ids in base 16, 0 for none; a * is the usual value."""
NO_PICKS, AS_USUAL = "0-0-0-0", "*"
USUAL = CampaignSettings("", "campaign", "UTC", 0, 0, 0, None, "orders, escape")
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
    guild: discord.Guild, fields: Mapping[str, Any], timezone: str, may: str, books: str
) -> CampaignSettings:
    """Return what a window sent. Channels and roles of another server are refused."""
    picked = [next(iter(fields.get(key) or ()), "") for key in (RESULTS, STAFF, GAME_MASTER, PLAYER)]
    require_here(guild, picked[:2], picked[2:])
    results, staff, role, player = (int(number or 0) for number in picked)
    return CampaignSettings(str(fields.get(NAME) or ""), books, timezone, results, staff, role, player or None, may)


def make_again(given: CampaignSettings) -> ui.View:
    """Return the button that reopens a refused window. What an id has no room for is left out, picks first."""
    numbers = (given.results_channel_id, given.staff_channel_id, given.game_master_role_id, given.player_role_id or 0)
    picks = "-".join(f"{number:x}" for number in numbers)
    pairs = ((given.timezone, USUAL.timezone), (given.players_may, USUAL.players_may), (given.books, USUAL.books))
    timezone, may, books = (AS_USUAL if value == usual else value for value, usual in pairs)
    fill = partial(AGAIN.fill, timezone=timezone, may=may, books=books, name=given.name)
    key = fill(picked=picks)
    if len(key) > MAX_ID:
        key = fill(picked=NO_PICKS)[:MAX_ID]
    return Controls(ui.Button(label="Try again", custom_id=key))


def read_again(picked: str, timezone: str, may: str, books: str, name: str) -> CampaignSettings:
    """Return what `make_again` kept."""
    if not re.fullmatch(r"[0-9a-f]{1,16}(-[0-9a-f]{1,16}){3}", picked):
        raise NotOpen(*STALE)
    results, staff, role, player = (int(number, 16) for number in picked.split("-"))
    given = CampaignSettings(name, books, timezone, results, staff, role, player or None, may)
    fields = ("books", "timezone", "players_may")
    return replace(given, **{key: getattr(USUAL, key) for key in fields if getattr(given, key) == AS_USUAL})


def require_server(interaction: Interaction) -> discord.Guild:
    """Return the interaction's server, or refuse."""
    if interaction.guild is None:
        raise NotOpen("That server is out of reach.", "Try again later.")
    return interaction.guild


def require_here(guild: discord.Guild, channels: Iterable[str], roles: Iterable[str]) -> None:
    """Refuse channels and roles (ids, or empty) of other servers."""
    for here, picked in ((guild.text_channels, channels), (guild.roles, roles)):
        if not {str(item.id) for item in here}.issuperset(filter(None, picked)):
            raise BadInput("That channel or role isn't on this server.", "Pick another.")


async def make_missing(interaction: Interaction, given: CampaignSettings, undoing: AsyncExitStack) -> CampaignSettings:
    """Make the channels and the role that are missing; `undoing` deletes them again."""
    guild = require_server(interaction)
    rights = guild.me.guild_permissions
    needs_role, needs_channel = not given.game_master_role_id, not (given.results_channel_id and given.staff_channel_id)
    lacking = ["Manage Roles"] * (needs_role and not rights.manage_roles)
    lacking += ["Manage Channels"] * (needs_channel and not rights.manage_channels)
    if lacking:
        what = join_words(["the role"] * needs_role + ["channels"] * needs_channel)
        raise BadInput(f"I can't make {what} here.", f"Pick existing ones, or give me {join_words(lacking)}.")
    try:
        return await _make(interaction, guild, given, undoing)
    except (discord.HTTPException, *CUT_OFF) as error:
        if isinstance(error, discord.HTTPException) and error.status < SERVER_ERROR:
            raise BadInput(
                f"Discord doesn't let me make them: {error.text or error.status}.",
                "Make them yourself, then pick them here.",
            ) from error
        undoing.push_async_callback(_delete_unanswered, guild, interaction.id)
        do = "I delete what I had made. Try again in a minute."
        raise NotAsItIs("Discord didn't answer while I made the channels and the role.", do) from error


async def _make(
    interaction: Interaction, guild: discord.Guild, given: CampaignSettings, undoing: AsyncExitStack
) -> CampaignSettings:
    role = guild.get_role(given.game_master_role_id)
    if not given.game_master_role_id:
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
    return given


async def _make_role(interaction: Interaction, guild: discord.Guild) -> discord.Role:
    # `Guild.create_role` sends permissions as text, for which Discord's document wants a number.
    data = await interaction.client.http.create_role(guild.id, name=ROLE_NAME, permissions=0, reason=WHY)
    return discord.Role(guild=guild, state=interaction.client._connection, data=data)  # noqa: SLF001 - discord.py makes roles only with it


async def _delete(made: discord.Role | discord.abc.GuildChannel) -> None:
    with suppress(discord.HTTPException, *CUT_OFF):
        await made.delete(reason="The campaign wasn't created")


async def _delete_unanswered(guild: discord.Guild, since: int) -> None:
    # Discord may have made the last one and only its answer was lost: it's newer than the interaction (id).
    with suppress(discord.HTTPException, *CUT_OFF):
        for made in (*await guild.fetch_channels(), *await guild.fetch_roles()):
            if made.id > since and made.name in {RESULTS, STAFF, ROLE_NAME}:
                await _delete(made)
