"""What `/unit` and `/character` share: everything but their options. `who` is "unit" or "character"."""

from __future__ import annotations

from collections.abc import Sequence

from bot.client import Interaction
from bot.cogs.roster import queries, service, trait_view
from bot.cogs.roster.embed import list_embed, removed_embed
from bot.rolls.desk import desk_of
from bot.rolls.options import picked_fields
from bot.ui.reply import person, say


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
    saved = await bot.database.read(queries.list_profiles, person(interaction), campaign, kinds, side)
    await say(interaction, embed=list_embed(who, saved))


async def remove(interaction: Interaction, who: str, name: str) -> None:
    """Remove somebody and say so."""
    bot, campaign = interaction.client, await desk_of(interaction).campaign(interaction)
    item, entry = await bot.database.write(service.remove, bot.kernel, person(interaction), campaign.id, who, name)
    await say(interaction, embed=removed_embed(item, entry))
