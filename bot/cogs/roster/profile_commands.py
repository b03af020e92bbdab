"""What `/unit` and `/character` share: everything but their options. `who` is "unit" or "character"."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.roster import queries, service, trait_view
from bot.cogs.roster.embed import heading, list_embed, removal_lines, removed_line
from bot.rolls.buttons import take_back_button
from bot.rolls.desk import desk_of
from bot.rolls.options import picked_fields
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate, component
from bot.ui.receipt import receipt
from bot.ui.reply import person, redraw, say
from bot.ui.text import plain, shorten

REMOVE = IdTemplate("remove:{campaign:int}:{subject:int}:{newest:int}")
MAX_LABEL = 80


async def add(interaction: Interaction, name: str, kind: str, **fields: object) -> None:
    """Save somebody, and answer with the card."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    given = picked_fields(**fields)
    view = await bot.database.write(service.add, bot.kernel, person(interaction), campaign.id, name, kind, given)
    await say(interaction, view=trait_view.draw(view))


async def edit(interaction: Interaction, who: str, saved: str, **fields: object) -> None:
    """Change fields of somebody, and answer with the card."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    given = picked_fields(**fields)
    view = await bot.database.write(service.edit, bot.kernel, person(interaction), campaign.id, who, saved, given)
    await say(interaction, view=trait_view.draw(view))


async def show(interaction: Interaction, who: str, name: str) -> None:
    """Answer with the card of somebody."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    view = await bot.database.read(queries.show, bot.kernel, person(interaction), campaign, who, name)
    await say(interaction, view=trait_view.draw(view))


async def show_list(interaction: Interaction, who: str, kinds: Sequence[str], side: str | None) -> None:
    """Answer with a list of these kinds."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    who_asks = person(interaction)
    found = await bot.database.read(queries.list_profiles, bot.library, who_asks, campaign, kinds, side)
    await say(interaction, embed=list_embed(who, *found))


async def ask_remove(interaction: Interaction, who: str, name: str) -> None:
    """Show what goes with somebody, with the button that removes it."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    view = await bot.database.read(service.to_remove, bot.kernel, person(interaction), campaign, who, name)
    item = view.profile
    key, label = (
        REMOVE.fill(campaign=campaign.id, subject=item.id, newest=view.revision),
        shorten(f"Remove {item.name}", MAX_LABEL),
    )
    button: ui.Button[ui.LayoutView] = ui.Button(label=label, style=discord.ButtonStyle.danger, custom_id=key)
    title, head = f"Remove {plain(item.name)}?", heading(item, view.owner_id, view.fields)
    await say(interaction, view=receipt(title, removal_lines(head, item, view.status), COLOURS["neutral"], [button]))


@component(REMOVE)
async def remove(interaction: Interaction, *, campaign: int, subject: int, newest: int) -> None:
    """Remove somebody and say so."""
    bot = interaction.client
    item, entry = await bot.database.write(service.remove, bot.kernel, person(interaction), campaign, subject, newest)
    buttons = [take_back_button(campaign, entry)]
    await redraw(interaction, receipt(f"Removed: entry #{entry}", [removed_line(item)], buttons=buttons))
