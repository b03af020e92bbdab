"""`/ledger`: the campaign's numbered record."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.ledger import panel
from bot.rolls.desk import desk_of
from bot.ui.reply import say

Number = app_commands.Range[int, 1, 2**31 - 1]


@app_commands.guild_only()
class LedgerCog(commands.GroupCog, group_name="ledger", group_description="The campaign's numbered record"):
    """The ledger."""

    @app_commands.command(name="list")
    @app_commands.describe(before="Only entries with a lower number")
    async def list_entries(self, interaction: Interaction, before: Number | None = None) -> None:
        """List entries, newest first."""
        campaign = await desk_of(interaction).campaign(interaction)
        await say(interaction, view=await panel.list_view(interaction, campaign, before))

    @app_commands.command()
    @app_commands.describe(number="The number of the entry")
    async def show(self, interaction: Interaction, number: Number) -> None:
        """Show one entry, with a button to publish it when it is not public."""
        await panel.show(interaction, await desk_of(interaction).campaign(interaction), number)
