"""`/ledger`: the campaign's numbered record."""

import discord
from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.ledger import panel, search_panel, summary_panel
from bot.cogs.ledger.completers import HIGHEST, Family, Outcome, VoidableEntry
from bot.cogs.ledger.exporting import FileFormat
from bot.cogs.ledger.wanted import MAX_TEXT, Wanted
from bot.core import campaigns
from bot.core.campaigns import Campaign
from bot.rolls import amend_window
from bot.rolls.desk import channels, desk_of
from bot.rolls.options import CampaignName, Name, Region
from bot.rolls.void_window import open_window
from bot.ui.commands import GAME_MASTERS
from bot.ui.form import Form, Text, fill_form, option
from bot.ui.reply import say

Number = Range[int, 1, HIGHEST]
ENTRY = option("The entry's number, such as 12")


class OfCampaignForm(Form):
    """The option of commands that read another ledger, too."""

    campaign: CampaignName | None = option("Another campaign, archived ones too. Default: this channel's", default=None)


class ListEntriesForm(OfCampaignForm):
    """The options of `/ledger list`."""

    before: Number | None = option("List only entries before this number", default=None)


class ShowEntryForm(OfCampaignForm):
    """The options of `/ledger show`."""

    number: Number = ENTRY


class ShowUpdateForm(OfCampaignForm):
    """The options of `/ledger update`."""

    number: Number | None = option("The update's number. Default: the current one", default=None)


class SearchForm(OfCampaignForm):
    """The options of `/ledger search`."""

    text: Range[str, 1, MAX_TEXT] | None = option("Words the entry contains, in any order", default=None)
    family: Family | None = option("Kind of roll or entry, such as Patrol", default=None)
    person: discord.Member | discord.User | None = option("The member who made it", default=None)
    unit: Name | None = option("A unit or character in the entry", default=None)
    outcome: Outcome | None = option("A roll's outcome, such as Caught", default=None)
    region: Region | None = option("Region of a roll", default=None)
    week: Range[int, 0, HIGHEST] | None = option("Week of a roll", default=None)
    update: Number | None = option("Number of the update", default=None)

    def wanted(self) -> Wanted:
        """Return what an entry is to have."""
        who = {} if self.person is None else {"person": self.person.id}
        return Wanted(**{**self.picked("form", "campaign"), **who})


class ExportLedgerForm(SearchForm):
    """The options of `/ledger export`."""

    form: FileFormat = option("csv for spreadsheets, jsonl for one line of JSON per entry", default="csv")


class ReasonForm(Form):
    """The last option of commands that correct an entry."""

    reason: Text | None = option("Your reason, kept in the ledger. If empty, I ask for it", default=None)


class VoidForm(ReasonForm):
    """The options of `/void`."""

    entry: VoidableEntry = option("An entry's number, or a word to find it")


class AmendForm(ReasonForm):
    """The options of `/amend`."""

    entry: Number = ENTRY


@app_commands.guild_only()
class LedgerCog(app_commands.Group, name="ledger", description="The campaign's ledger of numbered entries"):
    """The ledger."""

    @app_commands.command(name="list")
    @fill_form
    async def list_entries(self, interaction: Interaction, form: ListEntriesForm) -> None:
        """List the ledger's entries, newest first."""
        found = await _campaign(interaction, form.campaign)
        await say(interaction, view=await panel.list_view(interaction, found, form.before))

    @app_commands.command()
    @fill_form
    async def show(self, interaction: Interaction, form: ShowEntryForm) -> None:
        """Show one entry of the ledger."""
        await panel.show(interaction, await _campaign(interaction, form.campaign), form.number)

    @app_commands.command()
    @fill_form
    async def search(self, interaction: Interaction, form: SearchForm) -> None:
        """Search the ledger for entries that match every filter."""
        await search_panel.show(interaction, await _campaign(interaction, form.campaign), form.wanted())

    @app_commands.command()
    @fill_form
    async def update(self, interaction: Interaction, form: ShowUpdateForm) -> None:
        """Show all entries and results of an update on one page."""
        await summary_panel.show(interaction, await _campaign(interaction, form.campaign), form.number)

    @app_commands.command()
    @fill_form
    async def export(self, interaction: Interaction, form: ExportLedgerForm) -> None:
        """Export the ledger you can see, with optional filters."""
        await search_panel.export(interaction, await _campaign(interaction, form.campaign), form.wanted(), form.form)


@app_commands.command(extras=GAME_MASTERS)
@app_commands.guild_only()
@fill_form
async def void(interaction: Interaction, form: VoidForm) -> None:
    """Undo an entry. It stays in the ledger, marked void."""
    await open_window(interaction, await desk_of(interaction).campaign(interaction), form.entry, form.reason)


@app_commands.command(extras=GAME_MASTERS)
@app_commands.guild_only()
@fill_form
async def amend(interaction: Interaction, form: AmendForm) -> None:
    """Change what counted in a roll and keep its dice."""
    here = await desk_of(interaction).campaign(interaction)
    await amend_window.open_window(interaction, here, form.entry, form.reason)


async def _campaign(interaction: Interaction, name: str | None) -> Campaign:
    """Return the campaign of a name, also one that is archived; without a name the channel's."""
    read = interaction.client.database.read
    return await read(campaigns.named_or_here, interaction.guild_id or 0, channels(interaction), name)
