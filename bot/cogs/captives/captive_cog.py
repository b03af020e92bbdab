"""`/captive`: who is held captive, by whom and where."""

from discord import app_commands

from bot.client import Interaction
from bot.cogs.captives import captive_panel, service
from bot.cogs.captives.captive_panel import enter
from bot.cogs.captives.options import Captives
from bot.rolls import options
from bot.ui import parsing
from bot.ui.commands import describe

Text = app_commands.Range[str, 1, parsing.MAX_TEXT]


@app_commands.guild_only()
class CaptiveCog(app_commands.Group, name="captive", description="Who is held captive, by whom and where"):
    """Captives."""

    @app_commands.command()
    @describe(
        captive="Who is taken captive",
        by="Who holds the captive: a side, a unit or a person",
        at="The base or ship where the captive is held, whose facts then count",
    )
    async def take(
        self, interaction: Interaction, captive: options.CharacterName, by: options.Name, at: options.UnitName
    ) -> None:
        """Enter that somebody is taken captive (game masters)."""
        await enter(interaction, service.take, captive, by, at)

    @app_commands.command()
    @describe(captive="The captive", at="The base or ship where the captive is held from now on")
    async def move(self, interaction: Interaction, captive: Captives, at: options.UnitName) -> None:
        """Enter that a captive is held somewhere else (game masters)."""
        await enter(interaction, service.move, captive, at)

    @app_commands.command()
    @describe(captive="The captive", note="How it came about; kept in the ledger, for the staff")
    async def release(self, interaction: Interaction, captive: Captives, note: Text | None = None) -> None:
        """Enter that a captive is let go (game masters)."""
        await enter(interaction, service.release, captive, note)

    @app_commands.command(name="list")
    async def list_(self, interaction: Interaction) -> None:
        """List captives and those who were: players their own and those that they hold."""
        await captive_panel.show_list(interaction)

    @app_commands.command()
    @describe(captive="The captive; players see their own characters and those that they hold")
    async def show(self, interaction: Interaction, captive: Captives) -> None:
        """Show how things stand with a captive."""
        await captive_panel.show(interaction, captive)
