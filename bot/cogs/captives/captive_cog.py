"""`/captive`: who is held captive, by whom and where."""

from discord import app_commands

from bot.actions import act
from bot.client import Interaction
from bot.cogs.captives import captive_panel
from bot.cogs.captives.actions import Move, Release, Take
from bot.cogs.captives.options import Captives
from bot.rolls import options
from bot.ui import parsing
from bot.ui.commands import GAME_MASTERS, describe

Text = app_commands.Range[str, 1, parsing.MAX_TEXT]


@app_commands.guild_only()
class CaptiveCog(app_commands.Group, name="captive", description="Captives: who, where and by which captor"):
    """Captives."""

    @app_commands.command(extras=GAME_MASTERS)
    @describe(
        captive="The character who is captured",
        by="The captor: a side, a unit or a character",
        at="The base or ship where the captive is. Its traits count in rolls",
    )
    async def take(
        self, interaction: Interaction, captive: options.CharacterName, by: options.Name, at: options.UnitName
    ) -> None:
        """Mark a character as captured."""
        await act(interaction, Take(captive, by, at))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(captive="The captive", at="The new base or ship")
    async def move(self, interaction: Interaction, captive: Captives, at: options.UnitName) -> None:
        """Move a captive to another base or ship."""
        await act(interaction, Move(captive, at))

    @app_commands.command(extras=GAME_MASTERS)
    @describe(captive="The captive", note="A note for game masters only")
    async def release(self, interaction: Interaction, captive: Captives, note: Text | None = None) -> None:
        """Release a captive."""
        await act(interaction, Release(captive, note))

    @app_commands.command(name="list")
    async def list_(self, interaction: Interaction) -> None:
        """List current and former captives."""
        await captive_panel.show_list(interaction)

    @app_commands.command()
    @describe(captive="The captive. Players can pick their own characters and captives")
    async def show(self, interaction: Interaction, captive: Captives) -> None:
        """Show a captive's status."""
        await captive_panel.show(interaction, captive)
