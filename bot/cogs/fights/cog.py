"""`/fight`: who fights in a channel, in which order, and whose turn it is."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice, Range
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.fights import panel
from bot.cogs.fights.completions import Characters, Fighters

LIGHT = [Choice(name="by day", value="day"), Choice(name="by night", value="night")]
Weather = Range[int, -50, 50]
FightName = Range[str, 1, 60]


@app_commands.guild_only()
class FightCog(commands.GroupCog, group_name="fight", group_description="Fights in turns, where they are posted"):
    """Fights."""

    @app_commands.command()
    @app_commands.describe(
        who="Saved characters parted by commas, the defender first; players name one of their own at least",
        light="Whether it is day or night; it stays so as long as the fight lasts",
        weather="The number of the weather, as the HUD shows it",
        name="What it is called; by its channel when left out",
    )
    @app_commands.choices(light=LIGHT)
    async def start(
        self,
        interaction: Interaction,
        who: Characters,
        light: str | None = None,
        weather: Weather | None = None,
        name: FightName | None = None,
    ) -> None:
        """Begin a fight in this channel; the defender is asked: dice or free-form."""
        await panel.start(interaction, who, light, weather, name)

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show how the fight in this channel stands."""
        await panel.show(interaction)

    @app_commands.command()
    async def turn(self, interaction: Interaction) -> None:
        """See whose turn it is and what is left of it, and end yours."""
        await panel.show_turn(interaction)

    @app_commands.command()
    @app_commands.describe(names="All who fight, in their new order, parted by commas")
    async def order(self, interaction: Interaction, names: Fighters) -> None:
        """Put the fighters in another order (game masters)."""
        await panel.order(interaction, names)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End the fight in this channel (game masters)."""
        await panel.ask_end(interaction)
