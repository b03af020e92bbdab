"""`/roster`: units and characters out of files and into files."""

import discord
from discord import app_commands

from bot.client import Interaction
from bot.cogs.roster import import_panel
from bot.cogs.roster.import_export import Part
from bot.cogs.roster.import_files import Format
from bot.rolls.desk import desk_of
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.form import Form, fill_form, option


class ExportRosterForm(Form):
    """The options of `/roster export`."""

    format: Format = option(
        "The file's format. Default: CSV", default="csv", choices={"csv": "CSV, for spreadsheets", "toml": "TOML"}
    )
    kind: Part = option(
        "What to export. Default: everything",
        default="both",
        choices={"both": "units and characters", "units": "units", "characters": "characters"},
    )


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
    @fill_form
    async def export(self, interaction: Interaction, form: ExportRosterForm) -> None:
        """Export units and characters as a file you can edit."""
        await import_panel.export(interaction, form.format, form.kind)
