"""Complications of a battle."""

from discord import app_commands
from discord.app_commands import Choice

from bot.client import Interaction
from bot.cogs.complications.passwords import defence, make_side_parts, passwords
from bot.kernel import Feature
from bot.rolls.answers import begin_form
from bot.rolls.extension import RollExtension
from bot.rolls.options import PlacedRollForm, Sides, UnitName, offer
from bot.ui.parsing import MAX_CHOICE, fill_form, option
from rules.subjects import name_key

FAMILY = ("campaign", "complications")


class ComplicationsForm(PlacedRollForm):
    """Options of `/complications`."""

    family = FAMILY
    battle: str = option("A name for the battle, such as Fort Salalah")
    sides: Sides = option("Up to ten sides, separated by commas: Zeon, EF")
    defender: str | None = option("The side that defends a base", default=None)
    base: UnitName | None = option("The defended base. Its damage counts only for the defender", default=None)


@app_commands.command(extras={"family": FAMILY[1]})
@app_commands.guild_only()
@fill_form
async def complications(interaction: Interaction, form: ComplicationsForm) -> None:
    """Roll for unexpected complications in a battle."""
    parts = make_side_parts(form.battle, form.sides, form.defender, form.base)
    await begin_form(interaction, form, parts, form.region, form.week)


@complications.autocomplete("defender")
async def _defender(interaction: Interaction, current: str) -> list[Choice[str]]:
    named = str(getattr(interaction.namespace, "sides", "") or "").split(",")
    wanted = name_key(current)
    sides = [name for name in map(str.strip, named) if name and len(name) <= MAX_CHOICE]
    return offer([(name, name) for name in sides if wanted in name_key(name)])


FEATURE = Feature(
    book=FAMILY[0],
    commands=(complications,),
    rolls=(RollExtension(book=FAMILY[0], families=(FAMILY[1],), facts=(defence, passwords)),),
)
