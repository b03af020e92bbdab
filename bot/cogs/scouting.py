"""`/scout`: characters who scout a base, one roll for each."""

from typing import Annotated

from discord import app_commands

from bot.client import Interaction
from bot.core.profiles import CHARACTER_KINDS
from bot.kernel import Feature
from bot.rolls.answers import begin_form, split_parts
from bot.rolls.options import NameCompleter, NamesCompleter, PlacedRollForm
from bot.ui import parsing
from bot.ui.form import fill_form, option

FAMILY = ("campaign", "scouting")
MAX_SCOUTERS = 10


class ScoutForm(PlacedRollForm):
    """The options of `/scout`."""

    family = FAMILY
    scouter: Annotated[str, NamesCompleter(first=CHARACTER_KINDS)] = option(
        "Who scouts, separated by commas: one roll each"
    )
    base: Annotated[str, NameCompleter(first=("base", "outpost"))] = option("The base to scout")


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@fill_form
async def scout(interaction: Interaction, form: ScoutForm) -> None:
    """Roll for up to ten characters scouting a base."""
    scouters = parsing.names(form.scouter, "scouter", MAX_SCOUTERS)
    parts = split_parts(("scouter", "base"), scouters, parsing.names(form.base, "base", 1))
    await begin_form(interaction, form, parts, form.region, form.week)


FEATURE = Feature(book=FAMILY[0], commands=(scout,))
