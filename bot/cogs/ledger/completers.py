"""Options of the ledger: what it is searched by, offered to everyone from the printed books, and which entry to take back."""

from collections.abc import Iterator
from typing import Annotated

from discord import AppCommandOptionType
from discord.app_commands import Choice, Transformer

from bot.cogs.ledger import service
from bot.rolls.options import ANYTHING, Completed, Completion, Completions, containing, offer
from bot.ui.reply import AnyInteraction
from bot.ui.text import bare
from rules.ruleset import RuleSet

HIGHEST = 2**31 - 1
"""The highest number that an entry can have."""


async def _complete_family(at: Completion, current: str) -> Completions:
    families = {item.title: item.family for book in _books(at) for item in book.procedures.values()}
    kinds = {name.capitalize(): name for name in at.interaction.client.kinds.names if name != "roll"}
    named = kinds | families
    return [(label, named[label]) for label, _ in containing(current, [*families, *sorted(kinds.keys() - families)])]


async def _complete_outcome(at: Completion, current: str) -> Completions:
    rows = (row.text for book in _books(at) for table in book.tables.values() for row in table.rows)
    return containing(current, dict.fromkeys(text for text in rows if len(text) <= 100))  # noqa: PLR2004 - Discord's bound


async def _complete_newest(at: Completion, current: str) -> Completions:
    """Offer the newest entries that the person may undo; one of the very number that is typed comes first."""
    kinds = at.interaction.client.kinds
    found = await at.desk.database.read(service.list_voidable, kinds, at.person, at.campaign)
    shown = {f"#{item.number} {bare(kinds.sentence(item, 'staff'))}": str(item.number) for item in found}
    fitting = [(label, shown[label]) for label, _ in containing(current, shown)]
    return sorted(fitting, key=lambda item: item[1] != current.strip(" #"))


_NEWEST = Completed(_complete_newest)


class EntryNumber(Transformer):
    """The number of an entry, with completions by its sentence. Discord sends what is picked as a number."""

    @property
    def type(self) -> AppCommandOptionType:
        """A whole number."""
        return AppCommandOptionType.integer

    @property
    def min_value(self) -> int:
        """The first entry of a ledger."""
        return 1

    @property
    def max_value(self) -> int:
        """The highest number that the database takes."""
        return HIGHEST

    async def autocomplete(self, interaction: AnyInteraction, value: float | str, /) -> list[Choice[int]]:  # type: ignore[override] # numbers only
        """Return at most 25 entries."""
        found = offer(await _NEWEST.offer(interaction, str(value)))
        return [Choice(name=item.name, value=int(item.value)) for item in found]

    async def transform(self, _interaction: AnyInteraction, value: int | str, /) -> int:
        """Return the number, also from the text of a completion."""
        return int(str(value).removeprefix("#").partition(" ")[0])


def _books(at: Completion) -> Iterator[RuleSet]:
    """Yield the printed books that the campaign plays by: house rules may be for some only."""
    shipped = at.interaction.client.library.shipped
    return (shipped[name] for name in at.campaign.books if name in shipped)


Family = Annotated[str, Completed(_complete_family, ANYTHING)]
Outcome = Annotated[str, Completed(_complete_outcome)]
VoidableEntry = Annotated[int, EntryNumber()]
