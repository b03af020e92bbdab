"""What a right-click on a posted result offers under Apps: the same as the buttons of its entry."""

import re
from typing import Any

import discord
from discord import app_commands

from bot.client import Interaction
from bot.core.errors import BadInput
from bot.kernel import Feature
from bot.outbox.queue import find_campaign_of_message
from bot.rolls.entries import AMEND, DETAILS, PUBLISH, TAKE_BACK, VERIFY
from bot.ui.reply import IdTemplate, require_home


@app_commands.context_menu(name="Undo")
async def undo_result(interaction: Interaction, message: discord.Message) -> None:
    """Undo a result."""
    await _press(interaction, message, TAKE_BACK)


@app_commands.context_menu(name="Amend")
async def amend_result(interaction: Interaction, message: discord.Message) -> None:
    """Change what counted in a roll and keep its dice."""
    await _press(interaction, message, AMEND)


@app_commands.context_menu(name="Verify dice")
async def verify_result(interaction: Interaction, message: discord.Message) -> None:
    """Check that a roll's dice were fixed before it."""
    await _press(interaction, message, VERIFY)


@app_commands.context_menu(name="Publish")
async def publish_result(interaction: Interaction, message: discord.Message) -> None:
    """Show a staff result to everyone."""
    await _press(interaction, message, PUBLISH)


@app_commands.context_menu(name="Show in ledger")
async def show_result(interaction: Interaction, message: discord.Message) -> None:
    """Show a result's entry, with all that its viewer may do with it."""
    await _press(interaction, message, DETAILS)


async def _press(interaction: Interaction, message: discord.Message, template: IdTemplate) -> None:
    bot = interaction.client
    entry = await _find_entry(interaction, message) if message.author == bot.user else None
    if entry is None:
        raise BadInput("That message isn't a result.", "Pick one that I posted, with its entry's number below.")
    await require_home(interaction, entry["campaign"])
    handler = next(item.handler for item in bot.components if item.template is template)
    await handler(interaction, **entry)


async def _find_entry(interaction: Interaction, message: discord.Message) -> dict[str, Any] | None:
    # Its Details button names the entry, or else its footer and posts: later pages have no button, and edits take it
    # away: what is void, amended or published has none either.
    rows = (item for row in message.components for item in getattr(row, "children", ()))
    for item in rows:
        if (found := DETAILS.match(getattr(item, "custom_id", None) or "")) is not None:
            return DETAILS.read(found)
    footers = (_NUMBER.match(embed.footer.text or "") for embed in message.embeds)
    numbers = [int(found[1]) for found in footers if found is not None]
    if not numbers:
        return None
    wanted = (interaction.guild_id or 0, message.id, numbers[-1])
    await interaction.client.outbox.save_results()
    campaign = await interaction.client.database.read(find_campaign_of_message, *wanted)
    return None if campaign is None else {"campaign": campaign, "number": numbers[-1]}


_NUMBER = re.compile(r"#(\d{1,9})(?!\d)")


FEATURE = Feature(commands=(undo_result, amend_result, verify_result, publish_result, show_result))
