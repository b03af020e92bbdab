"""`/ledger`, `/void` and `/amend`: the campaign's numbered record."""

from collections.abc import Iterator
from typing import Annotated

import discord
from discord import AppCommandOptionType, app_commands
from discord.app_commands import Choice, Range, Transformer

from bot.actions import find_named_campaign
from bot.client import Interaction
from bot.cogs.ledger import panel, publishing, searching, service
from bot.kernel import Chore, Feature
from bot.rolls import desk, extension, options, undo_windows
from bot.rolls.options import CampaignName, Completed, Completion, Completions, Name, Region
from bot.ui.parsing import GAME_MASTERS, Form, Text, fill_form, option
from bot.ui.reply import AnyInteraction, say
from bot.ui.text import strip_marks
from rules.ruleset import RuleSet

HIGHEST = 2**31 - 1


async def _complete_family(at: Completion, current: str) -> Completions:
    families = {item.title: item.family for book in _list_books(at) for item in book.procedures.values()}
    kinds = {name.capitalize(): name for name in at.interaction.client.kinds.names if name != "roll"}
    named = kinds | families
    return [
        (label, named[label])
        for label, _ in options.filter_labels(current, [*families, *sorted(kinds.keys() - families)])
    ]


async def _complete_outcome(at: Completion, current: str) -> Completions:
    rows = (row.text for book in _list_books(at) for table in book.tables.values() for row in table.rows)
    return options.filter_labels(current, dict.fromkeys(text for text in rows if len(text) <= 100))  # noqa: PLR2004 - Discord's bound


async def _complete_newest(at: Completion, current: str) -> Completions:
    kinds = at.interaction.client.kinds
    found = await at.desk.database.read(service.list_voidable, kinds, at.person, at.campaign)
    shown = {f"#{item.number} {strip_marks(kinds.sentence(item, 'staff'))}": str(item.number) for item in found}
    fitting = [(label, shown[label]) for label, _ in options.filter_labels(current, shown)]
    return sorted(fitting, key=lambda item: item[1] != current.strip(" #"))


_NEWEST = Completed(_complete_newest)


class EntryNumber(Transformer):
    """An entry's number, completed by its sentence; Discord sends a number."""

    @property
    def type(self) -> AppCommandOptionType:
        """The option's type."""
        return AppCommandOptionType.integer

    @property
    def min_value(self) -> int:
        """A ledger's first entry."""
        return 1

    @property
    def max_value(self) -> int:
        """The highest number the database takes."""
        return HIGHEST

    async def autocomplete(self, interaction: AnyInteraction, value: float | str, /) -> list[Choice[int | float | str]]:
        """Return at most 25 entries."""
        found = options.offer(await _NEWEST.offer(interaction, str(value)))
        return [Choice(name=item.name, value=int(item.value)) for item in found]

    async def transform(self, _interaction: AnyInteraction, value: int | str, /) -> int:
        """Return the number, also from a completion's text."""
        return int(str(value).removeprefix("#").partition(" ")[0])


def _list_books(at: Completion) -> Iterator[RuleSet]:
    shipped = at.interaction.client.library.shipped
    return (shipped[name] for name in at.campaign.books if name in shipped)


Family = Annotated[str, Completed(_complete_family, options.ANYTHING)]
Outcome = Annotated[str, Completed(_complete_outcome)]
VoidableEntry = Annotated[int, EntryNumber()]

Number = Range[int, 1, HIGHEST]
ENTRY = option("The entry's number, such as 12")


class OfCampaignForm(Form):
    """The option of commands that read another ledger too."""

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

    text: Range[str, 1, searching.MAX_TEXT] | None = option("Words the entry contains, in any order", default=None)
    family: Family | None = option("Kind of roll or entry, such as Patrol", default=None)
    person: discord.Member | discord.User | None = option("The member who made it", default=None)
    unit: Name | None = option("A unit or character in the entry", default=None)
    outcome: Outcome | None = option("A roll's outcome, such as Caught", default=None)
    region: Region | None = option("Region of a roll", default=None)
    week: Range[int, 0, HIGHEST] | None = option("Week of a roll", default=None)
    update: Number | None = option("Number of the update", default=None)

    def make_search(self) -> searching.EntrySearch:
        """Return the search that is typed."""
        who = {} if self.person is None else {"person": self.person.id}
        return searching.EntrySearch(**{**self.collect_values("form", "campaign"), **who})


class ExportLedgerForm(SearchForm):
    """The options of `/ledger export`."""

    form: searching.FileFormat = option("csv for spreadsheets, jsonl for one line of JSON per entry", default="csv")


class ReasonForm(Form):
    """The last option of corrections."""

    reason: Text | None = option("Your reason, kept in the ledger. If empty, I ask for it", default=None)


class VoidForm(ReasonForm):
    """The options of `/void`."""

    entry: VoidableEntry = option("An entry's number, or a word to find it")


class AmendForm(ReasonForm):
    """The options of `/amend`."""

    entry: Number = ENTRY


class LedgerCog(app_commands.Group, name="ledger", description="The campaign's ledger of numbered entries"):
    """The commands of the ledger."""

    @app_commands.command(name="list")
    @fill_form
    async def list_entries(self, interaction: Interaction, form: ListEntriesForm) -> None:
        """List the ledger's entries, newest first."""
        found = await find_named_campaign(interaction, form.campaign)
        await say(interaction, view=await panel.draw_newest(interaction, found, form.before))

    @app_commands.command()
    @fill_form
    async def show(self, interaction: Interaction, form: ShowEntryForm) -> None:
        """Show one entry of the ledger."""
        await panel.show(interaction, await find_named_campaign(interaction, form.campaign), form.number)

    @app_commands.command()
    @fill_form
    async def search(self, interaction: Interaction, form: SearchForm) -> None:
        """Search the ledger for entries that match every filter."""
        await panel.show_found(interaction, await find_named_campaign(interaction, form.campaign), form.make_search())

    @app_commands.command()
    @fill_form
    async def update(self, interaction: Interaction, form: ShowUpdateForm) -> None:
        """Show all entries and results of an update on one page."""
        here = await find_named_campaign(interaction, form.campaign)
        await say(interaction, view=await panel.draw_summary(interaction, here, form.number))

    @app_commands.command()
    @fill_form
    async def export(self, interaction: Interaction, form: ExportLedgerForm) -> None:
        """Export the ledger you can see, with optional filters."""
        here = await find_named_campaign(interaction, form.campaign)
        await panel.export_found(interaction, here, form.make_search(), form.form)


@app_commands.command(extras=GAME_MASTERS)
@fill_form
async def void(interaction: Interaction, form: VoidForm) -> None:
    """Undo an entry. It stays in the ledger, marked void."""
    here = await desk.desk_of(interaction).campaign(interaction)
    await undo_windows.open_window(interaction, here, form.entry, form.reason)


@app_commands.command(extras=GAME_MASTERS)
@fill_form
async def amend(interaction: Interaction, form: AmendForm) -> None:
    """Change what counted in a roll and keep its dice."""
    here = await desk.desk_of(interaction).campaign(interaction)
    await undo_windows.open_amend_window(interaction, here, form.entry, form.reason)


FEATURE = Feature(
    commands=(LedgerCog(), void, amend),
    components=(*panel.COMPONENTS, *publishing.COMPONENTS, undo_windows.take_back, undo_windows.amend_entry),
    modals=(*publishing.MODALS, undo_windows.give_reason, undo_windows.amend_with_reason),
    entry_kinds=(service.PUBLICATION, service.PUBLICATION_DATE, service.TAKEN_BACK),
    todo=service.list_todo,
    rolls=(
        extension.RollExtension(
            kinds=(service.PUBLICATION.name,),
            voided=(publishing.require_unchanged,),
            unsaid=(publishing.restore_audience,),
        ),
    ),
    chores=(Chore(searching.forget_old_searches), Chore(publishing.publish_all_due), Chore(searching.index_entries)),
)
