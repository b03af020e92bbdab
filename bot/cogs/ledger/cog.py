"""`/ledger`: the campaign's numbered record."""

import discord
from discord import app_commands

from bot.client import Interaction
from bot.cogs.ledger import panel, search_panel, summary_panel
from bot.cogs.ledger.completers import HIGHEST, Family, Outcome, VoidableEntry
from bot.cogs.ledger.exporting import Form
from bot.cogs.ledger.wanted import MAX_TEXT, Wanted
from bot.core import campaigns
from bot.core.campaigns import Campaign
from bot.rolls import amend_window
from bot.rolls.desk import channels, desk_of
from bot.rolls.options import CampaignName, Name, Region
from bot.rolls.void_window import open_window
from bot.ui import parsing
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.reply import say

Number = app_commands.Range[int, 1, HIGHEST]
Reason = app_commands.Range[str, 1, parsing.MAX_TEXT]
OTHER = "Another campaign, archived ones too. Default: this channel's"

Text = app_commands.Range[str, 1, MAX_TEXT]
Week = app_commands.Range[int, 0, HIGHEST]
SOUGHT = {
    "text": "Words the entry contains, in any order",
    "family": "Kind of roll or entry, such as Patrol",
    "person": "The member who made it",
    "unit": "A unit or character in the entry",
    "outcome": "A roll's outcome, such as Caught",
    "region": "Region of a roll",
    "week": "Week of a roll",
    "update": "Number of the update",
}


@app_commands.guild_only()
class LedgerCog(app_commands.Group, name="ledger", description="The campaign's ledger of numbered entries"):
    """The ledger."""

    @app_commands.command(name="list")
    @describe(before="List only entries before this number", campaign=OTHER)
    async def list_entries(
        self, interaction: Interaction, before: Number | None = None, campaign: CampaignName | None = None
    ) -> None:
        """List the ledger's entries, newest first."""
        found = await _campaign(interaction, campaign)
        await say(interaction, view=await panel.list_view(interaction, found, before))

    @app_commands.command()
    @describe(number="The entry's number, such as 12", campaign=OTHER)
    async def show(self, interaction: Interaction, number: Number, campaign: CampaignName | None = None) -> None:
        """Show one entry of the ledger."""
        await panel.show(interaction, await _campaign(interaction, campaign), number)

    @app_commands.command()
    @describe(**SOUGHT, campaign=OTHER)
    async def search(
        self,
        interaction: Interaction,
        text: Text | None = None,
        family: Family | None = None,
        person: discord.Member | discord.User | None = None,
        unit: Name | None = None,
        outcome: Outcome | None = None,
        region: Region | None = None,
        week: Week | None = None,
        update: Number | None = None,
        campaign: CampaignName | None = None,
    ) -> None:
        """Search the ledger for entries that match every filter."""
        wanted = Wanted(text, family, _id(person), unit, outcome, region, week, update)
        await search_panel.show(interaction, await _campaign(interaction, campaign), wanted)

    @app_commands.command()
    @describe(number="The update's number. Default: the current one", campaign=OTHER)
    async def update(
        self, interaction: Interaction, number: Number | None = None, campaign: CampaignName | None = None
    ) -> None:
        """Show all entries and results of an update on one page."""
        await summary_panel.show(interaction, await _campaign(interaction, campaign), number)

    @app_commands.command()
    @describe(form="csv for spreadsheets, jsonl for one line of JSON per entry", **SOUGHT, campaign=OTHER)
    async def export(
        self,
        interaction: Interaction,
        form: Form = "csv",
        text: Text | None = None,
        family: Family | None = None,
        person: discord.Member | discord.User | None = None,
        unit: Name | None = None,
        outcome: Outcome | None = None,
        region: Region | None = None,
        week: Week | None = None,
        update: Number | None = None,
        campaign: CampaignName | None = None,
    ) -> None:
        """Export the ledger you can see, with optional filters."""
        wanted = Wanted(text, family, _id(person), unit, outcome, region, week, update)
        await search_panel.export(interaction, await _campaign(interaction, campaign), wanted, form)


@app_commands.command(extras=GAME_MASTERS)
@app_commands.guild_only()
@describe(
    entry="An entry's number, or a word to find it",
    reason="Your reason, kept in the ledger. If empty, I ask for it",
)
async def void(interaction: Interaction, entry: VoidableEntry, reason: Reason | None = None) -> None:
    """Undo an entry. It stays in the ledger, marked void."""
    await open_window(interaction, await desk_of(interaction).campaign(interaction), entry, reason)


@app_commands.command(extras=GAME_MASTERS)
@app_commands.guild_only()
@describe(entry="The entry's number, such as 12", reason="Your reason, kept in the ledger. If empty, I ask for it")
async def amend(interaction: Interaction, entry: Number, reason: Reason | None = None) -> None:
    """Change what counted in a roll and keep its dice."""
    here = await desk_of(interaction).campaign(interaction)
    await amend_window.open_window(interaction, here, entry, reason)


def _id(somebody: discord.Member | discord.User | None) -> int | None:
    return None if somebody is None else somebody.id


async def _campaign(interaction: Interaction, name: str | None) -> Campaign:
    """Return the campaign of a name, also one that is archived; without a name the channel's."""
    read = interaction.client.database.read
    return await read(campaigns.named_or_here, interaction.guild_id or 0, channels(interaction), name)
