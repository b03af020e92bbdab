"""`/luck`: faces seen against faces expected."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import app_commands
from discord.app_commands import Transform

from bot.client import Interaction
from bot.cogs.luck import panel
from bot.cogs.luck.counting import Wanted
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion, NameCompleter, containing
from bot.ui.commands import describe

MAX_WEEKS = 520


class FamilyCompleter(Completed):
    """The name of a kind of roll of the campaign's books."""

    async def complete(self, at: Completion, current: str) -> Sequence[tuple[str, str]]:
        """Return the titles of all that hold what was typed."""
        titles = {item.title for book in await at.books() for item in book.procedures.values()}
        return containing(current, sorted(titles))


@app_commands.command()
@app_commands.guild_only()
@describe(
    person="Only rolls that this member made",
    unit="Only rolls with this unit or character",
    family="Only this kind of roll, such as Patrol",
    weeks="Only this many past calendar weeks",
)
async def luck(
    interaction: Interaction,
    person: discord.Member | None = None,
    unit: Transform[str, NameCompleter()] | None = None,
    family: Transform[str, FamilyCompleter()] | None = None,
    weeks: app_commands.Range[int, 1, MAX_WEEKS] | None = None,
) -> None:
    """Compare the dice you can see with fair dice."""
    wanted = Wanted(person.id if person else None, unit, family, weeks)
    here = await desk_of(interaction).campaign(interaction)
    await panel.show(interaction, here, wanted, person.display_name if person else None)
