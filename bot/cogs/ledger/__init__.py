"""`/ledger`, `/gm undo` and `/gm amend`: the campaign's numbered record."""

from collections.abc import Iterator
from typing import Annotated

import discord
from discord import AppCommandOptionType, app_commands
from discord.app_commands import Choice, Range, Transformer

from bot.actions import find_named_campaign
from bot.client import Interaction
from bot.cogs.ledger import panel, publishing, searching, service
from bot.core.entry_search import MAX_TEXT, EntrySearch
from bot.core.errors import BadInput
from bot.kernel import Chore, Feature
from bot.rolls import desk, extension, options, undo_windows
from bot.rolls.options import CampaignName, Completed, Completion, Completions, Name, Region
from bot.ui.commands import GM
from bot.ui.parsing import GAME_MASTERS, HIGHEST, Form, Number, Text, fill_form, option
from bot.ui.reply import AnyInteraction, say
from bot.ui.text import strip_marks
from rules.ruleset import RuleSet


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
UndoableEntry = Annotated[int, EntryNumber()]


class LedgerForm(Form):
    """Options of `/ledger`."""

    entry: Number | None = option("Show this entry, such as 12", default=None)
    text: Range[str, 1, MAX_TEXT] | None = option("Words the entry contains, in any order", default=None)
    unit: Name | None = option("A unit or character in the entry", default=None)
    family: Family | None = option("Kind of roll or entry, such as Patrol", default=None)
    person: discord.Member | discord.User | None = option("The member who made it", default=None)
    outcome: Outcome | None = option("A roll's outcome, such as Caught", default=None)
    region: Region | None = option("Region of a roll", default=None)
    week: Range[int, 0, HIGHEST] | None = option("Week of a roll", default=None)
    update: Number | None = option("Number of the update", default=None)
    before: Number | None = option("Only entries before this number", default=None)
    campaign: CampaignName | None = option("Another campaign, archived ones too. Default: this channel's", default=None)

    def make_search(self) -> EntrySearch:
        """Return the search that is typed."""
        who = {} if self.person is None else {"person": self.person.id}
        return EntrySearch(**{**self.collect_values("entry", "campaign"), **who})


class ReasonForm(Form):
    """The last option of corrections."""

    reason: Text | None = option("Your reason, kept in the ledger. If empty, I ask for it", default=None)


class UndoForm(ReasonForm):
    """Options of `/gm undo`."""

    entry: UndoableEntry = option("An entry's number, or a word to find it")


class AmendForm(ReasonForm):
    """Options of `/gm amend`."""

    entry: Number = option("The entry's number, such as 12")


@app_commands.command(name="ledger")
@fill_form
async def read_ledger(interaction: Interaction, form: LedgerForm) -> None:
    """List the newest entries, show one, or search all of them."""
    here, wanted = await find_named_campaign(interaction, form.campaign), form.make_search()
    if form.entry is not None:
        if wanted != EntrySearch():
            raise BadInput("An entry's number finds only that entry.", "Fill in the number, or what to search for.")
        await panel.show(interaction, here, form.entry)
    elif wanted == EntrySearch(before=form.before):
        await say(interaction, view=await panel.draw_newest(interaction, here, form.before))
    else:
        await panel.show_found(interaction, here, wanted)


@GM.command(name="undo", extras=GAME_MASTERS)
@fill_form
async def undo(interaction: Interaction, form: UndoForm) -> None:
    """Undo an entry. It stays in the ledger, struck through."""
    here = await desk.desk_of(interaction).campaign(interaction)
    await undo_windows.open_window(interaction, here, form.entry, form.reason)


@GM.command(name="amend", extras=GAME_MASTERS)
@fill_form
async def amend(interaction: Interaction, form: AmendForm) -> None:
    """Change what counted in a roll and keep its dice."""
    here = await desk.desk_of(interaction).campaign(interaction)
    await undo_windows.open_amend_window(interaction, here, form.entry, form.reason)


FEATURE = Feature(
    commands=(GM, read_ledger),
    components=(
        *panel.COMPONENTS,
        *publishing.COMPONENTS,
        undo_windows.take_back,
        undo_windows.amend_entry,
        undo_windows.give_reason,
        undo_windows.amend_with_reason,
    ),
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
