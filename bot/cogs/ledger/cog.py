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
from bot.ui.commands import describe
from bot.ui.reply import say

Number = app_commands.Range[int, 1, HIGHEST]
Reason = app_commands.Range[str, 1, parsing.MAX_TEXT]
OTHER = "Another campaign of this server, such as one that is archived; this channel's when left out"

Text = app_commands.Range[str, 1, MAX_TEXT]
Week = app_commands.Range[int, 0, HIGHEST]
SOUGHT = {
    "text": "Words that stand in the entry, all of them; without regard to capitals",
    "family": "The kind of roll, or of entry",
    "person": "Who made it",
    "unit": "A unit or character in it",
    "outcome": "What came of a roll, as its table has it",
    "region": "Where a roll was made",
    "week": "In which week a roll was made",
    "update": "The number of the update in which it was entered",
}


@app_commands.guild_only()
class LedgerCog(app_commands.Group, name="ledger", description="The campaign's numbered record"):
    """The ledger."""

    @app_commands.command(name="list")
    @describe(before="Only entries with a lower number", campaign=OTHER)
    async def list_entries(
        self, interaction: Interaction, before: Number | None = None, campaign: CampaignName | None = None
    ) -> None:
        """List entries, newest first."""
        found = await _campaign(interaction, campaign)
        await say(interaction, view=await panel.list_view(interaction, found, before))

    @app_commands.command()
    @describe(number="The number of the entry", campaign=OTHER)
    async def show(self, interaction: Interaction, number: Number, campaign: CampaignName | None = None) -> None:
        """Show one entry of the record that is for you to know."""
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
        """Search the record, as far as it is for you to know: entries that have all of what you give."""
        wanted = Wanted(text, family, _id(person), unit, outcome, region, week, update)
        await search_panel.show(interaction, await _campaign(interaction, campaign), wanted)

    @app_commands.command()
    @describe(number="The number of the update; the current one when left out", campaign=OTHER)
    async def update(
        self, interaction: Interaction, number: Number | None = None, campaign: CampaignName | None = None
    ) -> None:
        """Read an update on one page: what was entered in it and came of it, as far as it is for you to know."""
        await summary_panel.show(interaction, await _campaign(interaction, campaign), number)

    @app_commands.command()
    @describe(form="CSV for spreadsheets, or a line of JSON for each entry", **SOUGHT, campaign=OTHER)
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
        """Get the record as a file, as far as it is for you to know: all, or what has all of what you give."""
        wanted = Wanted(text, family, _id(person), unit, outcome, region, week, update)
        await search_panel.export(interaction, await _campaign(interaction, campaign), wanted, form)


@app_commands.command()
@app_commands.guild_only()
@describe(
    entry="Pick one of the newest entries, or type a number or a word to find one",
    reason="Why; it is kept in the ledger, and asked for when left out",
)
async def void(interaction: Interaction, entry: VoidableEntry, reason: Reason | None = None) -> None:
    """Take back what an entry did; it stays in the ledger, marked void (game masters)."""
    await open_window(interaction, await desk_of(interaction).campaign(interaction), entry, reason)


@app_commands.command()
@app_commands.guild_only()
@describe(entry="The number of the roll's entry", reason="Why; it is kept in the ledger, and asked for when left out")
async def amend(interaction: Interaction, entry: Number, reason: Reason | None = None) -> None:
    """Open the card of a roll again: change what counted, keep the dice that fell (game masters)."""
    here = await desk_of(interaction).campaign(interaction)
    await amend_window.open_window(interaction, here, entry, reason)


def _id(somebody: discord.Member | discord.User | None) -> int | None:
    return None if somebody is None else somebody.id


async def _campaign(interaction: Interaction, name: str | None) -> Campaign:
    """Return the campaign of a name, also one that is archived; without a name the channel's."""
    read = interaction.client.database.read
    return await read(campaigns.named_or_here, interaction.guild_id or 0, channels(interaction), name)
