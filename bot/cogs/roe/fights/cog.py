"""`/fight`: who fights in a channel, in which order, and whose turn it is."""

from discord import app_commands
from discord.app_commands import Choice, Range

from bot.client import Interaction
from bot.cogs.roe.acts.turn_view import show_turn
from bot.cogs.roe.fights import panel
from bot.cogs.roe.fights.completions import Characters, Fighters, OwnCharacter
from bot.ui.commands import describe
from bot.ui.parsing import MAX_TEXT

LIGHT = [Choice(name="by day", value="day"), Choice(name="by night", value="night")]
HOW = [
    Choice(name="in the next round", value="claim"),
    Choice(name="called by com", value="call"),
    Choice(name="drawn by gunfire", value="gunfire"),
]
REASON = "Why it is so at once, without asking; all read it (game masters)"
Metres = Range[int, 0, 1000]
Reason = Range[str, 1, MAX_TEXT]
Weather = Range[int, -50, 50]
FightName = Range[str, 1, 60]


@app_commands.guild_only()
class FightCog(app_commands.Group, name="fight", description="Fights in turns, where they are posted"):
    """Fights."""

    @app_commands.command()
    @describe(
        who="Characters, separated by commas; who starts the fight attacks (game masters: defender first)",
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
    @describe(
        character="Who comes in; players their own",
        how="In the next round, or called or drawn by gunfire; who is called comes in even if it is locked",
        distance="How far from the fight, in metres",
    )
    @app_commands.choices(how=HOW)
    async def join(
        self, interaction: Interaction, character: OwnCharacter, how: str = "claim", distance: Metres | None = None
    ) -> None:
        """Let a saved character come into the fight in this channel; the first turn is an arrival."""
        await panel.join(interaction, character, how, distance)

    @app_commands.command()
    async def turn(self, interaction: Interaction) -> None:
        """See whose turn it is, what is left of it and what can be done; act, and end yours."""
        await show_turn(interaction)

    @app_commands.command()
    @describe(names="All who fight, in their new order, parted by commas")
    async def order(self, interaction: Interaction, names: Fighters) -> None:
        """Put the fighters in another order (game masters)."""
        await panel.order(interaction, names)

    @app_commands.command()
    @describe(reason=REASON)
    async def mode(self, interaction: Interaction, reason: Reason | None = None) -> None:
        """Propose dice instead of free-form, or the other way round, to all who fight in this channel."""
        await panel.change_mode(interaction, reason)

    @app_commands.command()
    @describe(reason=REASON)
    async def lock(self, interaction: Interaction, reason: Reason | None = None) -> None:
        """Propose to all who fight here that nobody else comes in; game masters open it again."""
        await panel.lock(interaction, reason)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End the fight in this channel (game masters, or the last side standing)."""
        await panel.ask_end(interaction)
