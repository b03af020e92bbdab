"""The question before a group is removed, and its button."""

from __future__ import annotations

from contextlib import suppress

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.campaign import group_service
from bot.core.campaigns import Campaign
from bot.errors import BadInput
from bot.rolls.buttons import take_back_button
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component
from bot.ui.members import members_called
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import listing, plain
from rules.names import visible

REMOVE = IdTemplate("group:{campaign:int}:{number:int}:remove:{newest:int}")
"""The id of the button: `newest` is the newest entry that there was when it was shown."""

MAX_TOLD = 8
"""Own characters told in a refusal."""

STAYS = "Its results stay visible to game masters only. Undo restores the group."


async def require_no_player(interaction: Interaction, campaign: Campaign, typed: str) -> None:
    """Refuse what was typed as a member where it is a player, by name or mention."""
    member = await _member(interaction, typed)
    if member is None:
        return
    known = await interaction.client.database.read(group_service.owned, campaign, member.id)
    name = visible(member.display_name)
    what = f"{name} is a player. Groups have characters and units as members; their owners join with them."
    theirs = f"Type one of {name}'s characters: {listing(known[:MAX_TOLD])}. Or give the group a role."
    raise BadInput(
        what, theirs if known else "Save one with /character add and its owner first, or give the group a role."
    )


async def _member(interaction: Interaction, typed: str) -> discord.Member | None:
    """Return who on the server is called or mentioned so; None where no member is, or Discord doesn't say."""
    with suppress(discord.HTTPException, TimeoutError):
        return next(iter(await members_called(interaction.guild, typed)), None) if interaction.guild else None
    return None


async def ask_removal(interaction: Interaction, campaign: Campaign, name: str) -> None:
    """Show what goes with a group, with the button that removes it."""
    found = await interaction.client.database.read(group_service.removal, person(interaction), campaign, name)
    key = REMOVE.fill(campaign=campaign.id, number=found.group.id, newest=found.newest)
    button: ui.Button[ui.LayoutView] = ui.Button(label="Remove", style=discord.ButtonStyle.danger, custom_id=key)
    lines = [STAYS]
    if found.waiting:
        rolls = "1 roll is waiting" if found.waiting == 1 else f"{found.waiting} rolls are waiting"
        lines.append(f"{rolls} for its answer. Only game masters will see the result.")
    await say(interaction, view=receipt(f"Remove {plain(found.group.name)}?", lines, COLOURS["neutral"], [button]))


@component(REMOVE)
async def remove(interaction: Interaction, *, campaign: int, number: int, newest: int) -> None:
    """Remove a group, unless it was changed since."""
    bot, who = interaction.client, person(interaction)
    group, entry = await bot.database.write(group_service.remove, bot.ledger, who, campaign, number, newest)
    button = take_back_button(campaign, entry)
    await redraw(interaction, receipt(f"Group {plain(group.name)} is removed", [STAYS], buttons=[button]))
