"""`/fight`: who fights in a channel, in which order, and whose turn it is."""

from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.roe.acts.turn_view import show_turn
from bot.cogs.roe.fights import panel
from bot.cogs.roe.fights.completions import Characters, Fighters, OwnCharacter
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.form import Form, Text, fill_form, option


class StartFightForm(Form):
    """The options of `/fight start`."""

    who: Characters = option("Fighters, separated by commas. Yours attacks; game masters put the defender first")
    light: str | None = option(
        "Day or night, for the whole fight", default=None, choices={"day": "by day", "night": "by night"}
    )
    weather: Range[int, -50, 50] | None = option("The weather number that the HUD shows", default=None)
    name: Range[str, 1, 60] | None = option("The fight's name. Default: the channel's name", default=None)


class JoinFightForm(Form):
    """The options of `/fight join`."""

    character: OwnCharacter = option("Who joins. Players pick their own character")
    how: str = option(
        "How they join. A called character can join a locked fight",
        default="claim",
        choices={"claim": "in the next round", "call": "called by com", "gunfire": "drawn by gunfire"},
    )
    distance: Range[int, 0, 1000] | None = option("Metres from the fight", default=None)


class ProposalForm(Form):
    """The option of commands that propose something to the fighters."""

    reason: Text | None = option("Game masters only: do it at once. Everyone sees this reason", default=None)


@app_commands.guild_only()
class FightCog(app_commands.Group, name="fight", description="Fights in turns"):
    """Fights."""

    @app_commands.command()
    @fill_form
    async def start(self, interaction: Interaction, form: StartFightForm) -> None:
        """Start a fight here. The defender picks dice or free-form."""
        await panel.start(interaction, form.who, form.light, form.weather, form.name)

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show the fight in this channel."""
        await panel.show(interaction)

    @app_commands.command()
    @fill_form
    async def join(self, interaction: Interaction, form: JoinFightForm) -> None:
        """Bring a saved character into the fight in this channel."""
        await panel.join(interaction, form.character, form.how, form.distance)

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
    @fill_form
    async def mode(self, interaction: Interaction, form: ProposalForm) -> None:
        """Propose switching the fight here to dice or free-form."""
        await panel.change_mode(interaction, form.reason)

    @app_commands.command()
    @fill_form
    async def lock(self, interaction: Interaction, form: ProposalForm) -> None:
        """Propose that no one else joins the fight here."""
        await panel.lock(interaction, form.reason)

    @app_commands.command()
    async def end(self, interaction: Interaction) -> None:
        """End the fight in this channel."""
        await panel.ask_end(interaction)
