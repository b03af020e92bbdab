"""`/roster`: units and characters out of files and into files."""

import discord
from discord import app_commands
from discord.app_commands import Choice

from bot.client import Interaction
from bot.cogs.roster import import_panel
from bot.cogs.roster.import_export import Part
from bot.cogs.roster.import_files import Format
from bot.rolls.desk import desk_of
from bot.ui.commands import describe

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

    @app_commands.command(name="import")
    @describe(
        file="Units and characters: a CSV file of up to 1 MiB, or TOML of up to 64 KiB",
        replace="Also change those that are saved already",
    )
    async def take_in(self, interaction: Interaction, file: discord.Attachment, *, replace: bool = False) -> None:
        """See what a file would add and change, then import it whole (game masters)."""
        campaign = await desk_of(interaction).campaign(interaction)
        await import_panel.prepare(interaction, campaign, file, may_replace=replace)

    @app_commands.command()
    @describe(format="The kind of file; CSV when left out", kind="What to export; everything when left out")
    @app_commands.choices(format=FORMATS, kind=PARTS)
    async def export(
        self,
        interaction: Interaction,
        format: Format = "csv",  # noqa: A002 - the name of the option
        kind: Part = "both",
    ) -> None:
        """Get units and characters as a file that can be edited and imported again (game masters)."""
        await import_panel.export(interaction, format, kind)
