"""`/roe rules`: look up what the book says."""

from typing import Annotated

from discord import app_commands

from bot.client import Interaction
from bot.cogs.roe.reference import panel
from bot.rolls.options import Completed
from bot.ui.commands import describe

Topic = Annotated[str, Completed(panel.complete_topic)]


class Reference(app_commands.Group):
    """The book in words."""

    @app_commands.command()
    @describe(what="A racial option, weapon token, trait, stance, vehicle, action, effect or number")
    async def rules(self, interaction: Interaction, what: Topic) -> None:
        """Look up any line of RoE as this campaign plays it."""
        await panel.look_up(interaction, what)
