"""`/roster`: units and characters out of files and into files."""

import discord
from discord import app_commands
from discord.app_commands import Choice

from bot.client import Interaction
from bot.cogs.roster import import_panel
from bot.cogs.roster.import_export import Part
from bot.cogs.roster.import_files import Format
from bot.rolls.desk import desk_of
from bot.ui.commands import GAME_MASTERS, describe

FORMATS: list[Choice[str]] = [
    Choice(name="CSV, for spreadsheets", value="csv"),
    Choice(name="TOML", value="toml"),
]
PARTS: list[Choice[str]] = [
    Choice(name="units and characters", value="both"),
    Choice(name="units", value="units"),
    Choice(name="characters", value="characters"),
]


@app_commands.guild_only()
class RosterCog(app_commands.Group, name="roster", description="Units and characters as files"):
    """Import and export."""

    @app_commands.command(name="import", extras=GAME_MASTERS)
    @describe(
        file="A CSV file of up to 1 MiB, or TOML of up to 64 KiB",
        replace="True also changes names that are already saved",
    )
    async def take_in(self, interaction: Interaction, file: discord.Attachment, *, replace: bool = False) -> None:
        """Preview a file of units and characters, then import it."""
        campaign = await desk_of(interaction).campaign(interaction)
        await import_panel.prepare(interaction, campaign, file, may_replace=replace)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(format="The file's format. Default: CSV", kind="What to export. Default: everything")
    @app_commands.choices(format=FORMATS, kind=PARTS)
    async def export(
        self,
        interaction: Interaction,
        format: Format = "csv",  # noqa: A002 - the name of the option
        kind: Part = "both",
    ) -> None:
        """Export units and characters as a file you can edit."""
        await import_panel.export(interaction, format, kind)
