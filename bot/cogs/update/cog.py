"""`/update`: the game's day or week."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.update import panel, service
from bot.orders import board_panel, resolve_panel
from bot.rolls.desk import desk_of
from bot.schedules.panel import schedule_command
from bot.ui.commands import describe
from bot.ui.reply import person

LOCK_OPTION = ("lock", "Minutes before at which players' orders are locked; 0 for not before")


@app_commands.guild_only()
class UpdateCog(app_commands.Group, name="update", description="The game's day or week"):
    """Updates."""

    schedule = schedule_command("See when updates close by themselves; game masters change it.", LOCK_OPTION)

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show the current update: what waits in it for you, and what ends with it."""
        bot = interaction.client
        campaign = await desk_of(interaction).campaign(interaction)
        who = person(interaction)
        view = await bot.database.read(service.look, bot.library, bot.features, who, campaign)
        await panel.show_desk(interaction, campaign, view)

    @app_commands.command()
    async def resolve(self, interaction: Interaction) -> None:
        """See what all orders of this update come to, and roll them with one press (game masters)."""
        await resolve_panel.show_plan(interaction)

    @app_commands.command()
    async def board(self, interaction: Interaction) -> None:
        """Post in the staff channel which orders there are and who is awaited, kept up to date (game masters)."""
        await board_panel.post_board(interaction)

    @app_commands.command()
    async def digest(self, interaction: Interaction) -> None:
        """Tell in the results channel what has come of the orders so far (game masters)."""
        await resolve_panel.show_digest(interaction)

    @app_commands.command()
    @describe(name="What the next update is called")
    async def close(self, interaction: Interaction, name: str | None = None) -> None:
        """See what ends with the current update, close it and begin the next (game masters)."""
        await panel.ask_close(interaction, name)
