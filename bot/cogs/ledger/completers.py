"""Options by which a ledger is searched, with completions that are the same for everybody: what the printed books have."""

from collections.abc import Iterator

from discord.app_commands import Transform

from bot.rolls.options import ANYTHING, Completed, Completion, containing
from rules.ruleset import RuleSet


class FamilyCompleter(Completed):
    """A roll family, or a kind of entries."""

    decorated = ANYTHING

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the families of the campaign's books by their titles, then the other kinds."""
        families = {item.title: item.family for book in _books(at) for item in book.procedures.values()}
        kinds = {name.capitalize(): name for name in at.interaction.client.kinds.names if name != "roll"}
        named = kinds | families
        return [
            (label, named[label]) for label, _ in containing(current, [*families, *sorted(kinds.keys() - families)])
        ]


class OutcomeCompleter(Completed):
    """What came of a roll, as the tables of the campaign's books print it."""

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return outcomes."""
        rows = (row.text for book in _books(at) for table in book.tables.values() for row in table.rows)
        return containing(current, dict.fromkeys(text for text in rows if len(text) <= 100))  # noqa: PLR2004 - Discord's bound


def _books(at: Completion) -> Iterator[RuleSet]:
    """Yield the printed books that the campaign plays by: house rules may be for some only."""
    shipped = at.interaction.client.library.shipped
    return (shipped[name] for name in at.campaign.books if name in shipped)


Family = Transform[str, FamilyCompleter()]
Outcome = Transform[str, OutcomeCompleter()]
