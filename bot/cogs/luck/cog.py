"""`/luck`: faces seen against faces expected."""

from __future__ import annotations

from typing import Annotated

import discord
from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.luck import panel
from bot.cogs.luck.counting import Wanted
from bot.rolls.desk import desk_of
from bot.rolls.options import Completed, Completion, Completions, Name, containing
from bot.ui.form import Form, fill_form, option

MAX_WEEKS = 520


async def _complete_family(at: Completion, current: str) -> Completions:
    titles = {item.title for book in await at.books() for item in book.procedures.values()}
    return containing(current, sorted(titles))


class LuckForm(Form):
    """The options of `/luck`."""

    person: discord.Member | None = option("Only rolls that this member made", default=None)
    unit: Name | None = option("Only rolls with this unit or character", default=None)
    family: Annotated[str, Completed(_complete_family)] | None = option(
        "Only this kind of roll, such as Patrol", default=None
    )
    weeks: Range[int, 1, MAX_WEEKS] | None = option("Only this many past calendar weeks", default=None)


@app_commands.command()
@app_commands.guild_only()
@fill_form
async def luck(interaction: Interaction, form: LuckForm) -> None:
    """Compare the dice you can see with fair dice."""
    person = form.person
    wanted = Wanted(person.id if person else None, form.unit, form.family, form.weeks)
    here = await desk_of(interaction).campaign(interaction)
    await panel.show(interaction, here, wanted, person.display_name if person else None)
