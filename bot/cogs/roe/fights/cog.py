"""`/fight`: who fights in a channel, in which order, and whose turn it is."""

from discord import app_commands
from discord.app_commands import Choice, Range

from bot.client import Interaction
from bot.cogs.roe.acts.turn_view import show_turn
from bot.cogs.roe.fights import panel
from bot.cogs.roe.fights.completions import Characters, Fighters, OwnCharacter
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.parsing import MAX_TEXT

LIGHT = [Choice(name="by day", value="day"), Choice(name="by night", value="night")]
HOW = [
    Choice(name="in the next round", value="claim"),
    Choice(name="called by com", value="call"),
    Choice(name="drawn by gunfire", value="gunfire"),
]
REASON = "Game masters only: do it at once. Everyone sees this reason"
Metres = Range[int, 0, 1000]
Reason = Range[str, 1, MAX_TEXT]
Weather = Range[int, -50, 50]
FightName = Range[str, 1, 60]


@app_commands.guild_only()
class FightCog(app_commands.Group, name="fight", description="Fights in turns"):
    """Fights."""

    @app_commands.command()
    @describe(
        who="Fighters, separated by commas. Yours attacks; game masters put the defender first",
        light="Day or night, for the whole fight",
        weather="The weather number that the HUD shows",
        name="The fight's name. Default: the channel's name",
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
        """Start a fight here. The defender picks dice or free-form."""
        await panel.start(interaction, who, light, weather, name)

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show the fight in this channel."""
        await panel.show(interaction)

    @app_commands.command()
    @describe(
        character="Who joins. Players pick their own character",
        how="How they join. A called character can join a locked fight",
        distance="Metres from the fight",
    )
    @app_commands.choices(how=HOW)
    async def join(
        self, interaction: Interaction, character: OwnCharacter, how: str = "claim", distance: Metres | None = None
    ) -> None:
        """Bring a saved character into the fight in this channel."""
        await panel.join(interaction, character, how, distance)

    @app_commands.command()
    async def turn(self, interaction: Interaction) -> None:
        """Show whose turn it is. Act in yours, or end it."""
        await show_turn(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(names="All fighters in their new order, separated by commas")
    async def order(self, interaction: Interaction, names: Fighters) -> None:
        """Change the order of the fighters."""
        await panel.order(interaction, names)

    @app_commands.command()
    @describe(reason=REASON)
    async def mode(self, interaction: Interaction, reason: Reason | None = None) -> None:
        """Propose switching the fight here to dice or free-form."""
        await panel.change_mode(interaction, reason)

    @app_commands.command()
    @describe(reason=REASON)
    async def lock(self, interaction: Interaction, reason: Reason | None = None) -> None:
        """Propose that no one else joins the fight here."""
        await panel.lock(interaction, reason)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End the fight in this channel."""
        await panel.ask_end(interaction)
