"""`/writeups`: battles and scenes that are to be written."""

from __future__ import annotations

from collections.abc import Sequence

from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.writeups.panel import SHOWN, UNWRITTEN, WriteupsPanel
from bot.cogs.writeups.service import CLAIMED, OPEN, Writeups
from bot.errors import UserError
from bot.rolls import options
from bot.rolls.desk import RollDesk
from bot.ui.parsing import MAX_CHOICE
from bot.ui.reply import person
from bot.ui.text import shorten

STATES = [Choice(name=title, value=what) for what, (title, _) in SHOWN.items()]


@app_commands.guild_only()
class WriteupsCog(commands.GroupCog, group_name="writeups", group_description="Battles and scenes to be written"):
    """Write-ups."""

    def __init__(self, desk: RollDesk, panel: WriteupsPanel, writeups: Writeups) -> None:
        self._desk = desk
        self._panel = panel
        self._writeups = writeups

    @app_commands.command(name="list")
    @app_commands.describe(state="Which; those still to be written when left out")
    @app_commands.choices(state=STATES)
    async def list_writeups(self, interaction: Interaction, state: str = UNWRITTEN) -> None:
        """List what rolls have called for to be written, newest first."""
        await self._panel.show(interaction, await self._desk.campaign(interaction), state)

    @app_commands.command()
    @app_commands.describe(number="Its number, such as 12 or 12.2")
    async def claim(self, interaction: Interaction, number: str) -> None:
        """Say that you write it; game masters can take it over."""
        campaign = await self._desk.campaign(interaction)
        await self._panel.tell(interaction, await self._writeups.claim(person(interaction), campaign.id, number))

    @app_commands.command()
    @app_commands.describe(
        number="Its number, such as 12 or 12.2", link="Where it stands: the address of a message or page"
    )
    async def done(self, interaction: Interaction, number: str, link: str | None = None) -> None:
        """Say that it is written, and where."""
        campaign = await self._desk.campaign(interaction)
        await self._panel.tell(interaction, await self._writeups.done(person(interaction), campaign.id, number, link))

    @claim.autocomplete("number")
    async def _open(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await self._offered(interaction, current, (OPEN,))

    @done.autocomplete("number")
    async def _unwritten(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        return await self._offered(interaction, current, (OPEN, CLAIMED))

    async def _offered(self, interaction: Interaction, current: str, wanted: Sequence[str]) -> list[Choice[str]]:
        try:
            campaign = await self._desk.campaign(interaction)
            found = await self._writeups.suggest(person(interaction), campaign, current, wanted)
        except UserError:
            return []
        return options.offer([(shorten(f"{item.number} {item.gist}", MAX_CHOICE), item.number) for item in found])
