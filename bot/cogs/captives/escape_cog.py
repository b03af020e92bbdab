"""`/escape`: captives who try to escape; players declare it, game masters roll all that is declared together."""

from collections.abc import Mapping

from discord import app_commands
from discord.app_commands import Transform

from bot.client import Interaction
from bot.cogs.captives import panel
from bot.cogs.captives.options import Captives
from bot.rolls import options
from bot.ui.commands import describe

Modifiers = Transform[str, options.ModifiersCompleter(*panel.FAMILY)]

OF_ROLL: Mapping[str, str] = {
    "region": "where it happens",
    "week": "another week, for its weather",
    "modifiers": "ids or labels parted by commas",
    "roll": "a card, or at once",
}
"""The options that say how an escape is rolled, which a declaration leaves open."""


@app_commands.command()
@app_commands.guild_only()
@describe(
    captive="Who tries, parted by commas; game masters: all who have declared it when left out",
    note=options.SHARED["note"],
    **{name: f"For the roll, not when you declare it: {about}" for name, about in OF_ROLL.items()},
)
@app_commands.choices(roll=options.ROLL)
async def escape(
    interaction: Interaction,
    captive: Captives | None = None,
    region: options.Region | None = None,
    week: options.Week | None = None,
    modifiers: Modifiers | None = None,
    note: str | None = None,
    roll: str = "card",
) -> None:
    """Declare the escape of a captive character of yours, or roll for captives who try together."""
    command = panel.EscapeCommand(captive, region, week, modifiers, note, at_once=roll == "now")
    await panel.escape(interaction, command)
