"""`/update`: the game's day or week."""

from discord import app_commands

from bot.actions import action_command
from bot.client import Interaction
from bot.cogs.update import panel, service
from bot.cogs.update.jobs import CLOSING
from bot.orders import board_panel, resolve_panel
from bot.rolls.desk import desk_of
from bot.schedules.actions import DAY, REMIND, TIME, Days, Minutes, SetSchedule
from bot.schedules.jobs import Job
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.form import option
from bot.ui.reply import person


class UpdateSchedule(SetSchedule):
    """When updates close, and when players' orders are locked before."""

    day: Days | None = DAY
    time: str | None = TIME
    remind: Minutes | None = REMIND
    ahead: Minutes | None = option(
        "Lock players' orders this many minutes before. 0 turns it off", default=None, name="lock"
    )
    job: Job = CLOSING

    summary = "Show or set when updates close by themselves."


@app_commands.guild_only()
class UpdateCog(app_commands.Group, name="update", description="The game's day or week"):
    """Updates."""

    schedule = action_command(UpdateSchedule)

    @app_commands.command()
    async def show(self, interaction: Interaction) -> None:
        """Show this update: what needs you and what ends with it."""
        bot = interaction.client
        campaign = await desk_of(interaction).campaign(interaction)
        who = person(interaction)
        view = await bot.database.read(service.look, bot.library, bot.features, who, campaign)
        await panel.show_desk(interaction, campaign, view)

    @app_commands.command(extras=GAME_MASTERS)
    async def resolve(self, interaction: Interaction) -> None:
        """Preview all orders of this update, then roll them."""
        await resolve_panel.show_plan(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    async def board(self, interaction: Interaction) -> None:
        """Post a live board of all orders in the staff channel."""
        await board_panel.post_board(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    async def digest(self, interaction: Interaction) -> None:
        """Post the orders' results so far in the results channel."""
        await resolve_panel.show_digest(interaction)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="The next update's name")
    async def close(self, interaction: Interaction, name: str | None = None) -> None:
        """Close the current update and start the next."""
        await panel.ask_close(interaction, name)
