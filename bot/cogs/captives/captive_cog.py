"""`/captive`: who is held captive, by whom and where."""

from __future__ import annotations

from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.captives.panel import CaptivePanel
from bot.cogs.captives.service import Captives
from bot.core.subjects import subject_key
from bot.rolls import options
from bot.rolls.desk import RollDesk
from bot.ui import parsing
from bot.ui.reply import person

Text = app_commands.Range[str, 1, parsing.MAX_TEXT]


async def complete_captive(panel: CaptivePanel, interaction: Interaction, current: str) -> list[Choice[str]]:
    """The captives that somebody may know of, in place of the last of the names that are parted by commas."""
    before, comma, word = current.rpartition(",")
    kept, wanted = f"{before.strip()}, " if comma else "", word.strip().casefold()
    taken = {subject_key(name) for name in before.split(",")}
    known = [name for name in await panel.known(interaction) if subject_key(name) not in taken]
    found = [f"{kept}{name}" for name in known if wanted in name.casefold()]
    return options.offer([(name, name) for name in found if len(name) <= parsing.MAX_CHOICE])


@app_commands.guild_only()
class CaptiveCog(commands.GroupCog, group_name="captive", group_description="Who is held captive, by whom and where"):
    """Captives."""

    def __init__(self, desk: RollDesk, panel: CaptivePanel, captives: Captives) -> None:
        self._desk = desk
        self._panel = panel
        self._captives = captives

    @app_commands.command()
    @app_commands.describe(
        captive="Who is taken captive",
        by="Who holds the captive: a side, a unit or a person",
        at="The base or ship where the captive is held, whose facts then count",
    )
    async def take(
        self, interaction: Interaction, captive: options.CharacterName, by: options.Name, at: options.UnitName
    ) -> None:
        """Enter that somebody is taken captive (game masters)."""
        campaign = await self._desk.campaign(interaction)
        await self._panel.tell(interaction, self._captives.take(person(interaction), campaign.id, captive, by, at))

    @app_commands.command()
    @app_commands.describe(captive="The captive", at="The base or ship where the captive is held from now on")
    async def move(self, interaction: Interaction, captive: str, at: options.UnitName) -> None:
        """Enter that a captive is held somewhere else (game masters)."""
        campaign = await self._desk.campaign(interaction)
        await self._panel.tell(interaction, self._captives.move(person(interaction), campaign.id, captive, at))

    @app_commands.command()
    @app_commands.describe(captive="The captive", note="How it came about; kept in the ledger, for the staff")
    async def release(self, interaction: Interaction, captive: str, note: Text | None = None) -> None:
        """Enter that a captive is let go (game masters)."""
        campaign = await self._desk.campaign(interaction)
        await self._panel.tell(interaction, self._captives.release(person(interaction), campaign.id, captive, note))

    @app_commands.command(name="list")
    async def list_(self, interaction: Interaction) -> None:
        """List all captives and those who were (game masters)."""
        await self._panel.listing(interaction)

    @app_commands.command()
    @app_commands.describe(captive="The captive; players see their own characters")
    async def show(self, interaction: Interaction, captive: str) -> None:
        """Show how things stand with a captive."""
        await self._panel.show(interaction, captive)

    @app_commands.command()
    @app_commands.describe(captive="The captive", reason="Why; it is kept in the ledger")
    async def undo(self, interaction: Interaction, captive: str, reason: Text) -> None:
        """Take the newest entry about a captive back; it stays and is marked void (game masters)."""
        campaign = await self._desk.campaign(interaction)
        await self._panel.tell(interaction, self._captives.undo(person(interaction), campaign.id, captive, reason))

    @move.autocomplete("captive")
    @release.autocomplete("captive")
    @show.autocomplete("captive")
    @undo.autocomplete("captive")
    async def _captive(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await complete_captive(self._panel, interaction, current)
