"""`/table`: a campaign's own tables and changes to its books."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import Choice
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.house_rules.panel import HousePanel
from bot.cogs.house_rules.service import HouseRules
from bot.errors import UserError
from bot.rolls import options
from bot.rolls.commands import RollCommand
from bot.rolls.desk import RollDesk, channels
from bot.rolls.request import PartRequest
from bot.ui import parsing
from bot.ui.reply import own_name, person
from rules.house import ROLLER, TARGET

FILE = "A TOML file, 64 KiB at most: tables of your own, or changes to a book"
Version = app_commands.Range[int, 1, 9999]


@app_commands.guild_only()
class TableCog(commands.GroupCog, group_name="table", group_description="Tables of your own, and changes to the books"):
    """House rules."""

    def __init__(self, desk: RollDesk, panel: HousePanel, rules: HouseRules) -> None:
        self._desk = desk
        self._panel = panel
        self._rules = rules

    @app_commands.command()
    @app_commands.describe(name="What the file is called from now on", file=FILE)
    async def add(self, interaction: Interaction, name: str, file: discord.Attachment) -> None:
        """See what a file of house rules brings and changes, then switch it on (game masters)."""
        await self._panel.prepare(interaction, name, file, follows=False)

    @app_commands.command()
    @app_commands.describe(name="Which file it takes the place of", file=FILE)
    async def edit(self, interaction: Interaction, name: str, file: discord.Attachment) -> None:
        """See what the next version of a file brings and changes, then switch it on (game masters)."""
        await self._panel.prepare(interaction, name, file, follows=True)

    @app_commands.command(name="list")
    async def list_files(self, interaction: Interaction) -> None:
        """List the files of house rules and the tables that you may roll on."""
        await self._panel.listing(interaction)

    @app_commands.command()
    @app_commands.describe(name="A file, or one of the tables")
    async def show(self, interaction: Interaction, name: str) -> None:
        """Show a file or table with its exact odds."""
        await self._panel.show(interaction, name)

    @app_commands.command()
    @app_commands.describe(name="Which file")
    async def remove(self, interaction: Interaction, name: str) -> None:
        """Switch a file of house rules off; its versions are kept (game masters)."""
        await self._panel.remove(interaction, name)

    @app_commands.command()
    @app_commands.describe(
        name="Which table",
        who="Who rolls; you when left out",
        about="For whom or what, if anybody",
        **options.SHARED,
    )
    @app_commands.choices(to=options.TO, roll=options.ROLL)
    async def roll(
        self,
        interaction: Interaction,
        name: str,
        who: options.Name | None = None,
        about: options.Name | None = None,
        region: options.Region | None = None,
        week: options.Week | None = None,
        modifiers: str | None = None,
        note: str | None = None,
        to: str = "auto",
        roll: str = "card",
    ) -> None:
        """Roll on a table of your own."""
        family = await self._rules.find(person(interaction), await self._desk.campaign(interaction), name)
        part = PartRequest(subjects=_subjects(who or own_name(interaction), about))
        asked = RollCommand(channels(interaction), family, [part], region, week, modifiers, note, options.to_of(to))
        await self._desk.begin(interaction, asked, at_once=roll == "now")

    @app_commands.command()
    @app_commands.describe(name="Which file", version="Which version; the newest when left out")
    async def export(self, interaction: Interaction, name: str, version: Version | None = None) -> None:
        """Get a file of house rules as it was sent (game masters)."""
        await self._panel.export(interaction, name, version)

    @edit.autocomplete("name")
    @remove.autocomplete("name")
    @export.autocomplete("name")
    async def _files(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        files, _ = await self._known(interaction)
        return _holding(current, {name: name for name in files})

    @roll.autocomplete("name")
    async def _tables(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        _, tables = await self._known(interaction)
        return _holding(current, tables)

    @show.autocomplete("name")
    async def _both(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        files, tables = await self._known(interaction)
        return _holding(current, {**{name: f"file {name}" for name in files}, **tables})

    @roll.autocomplete("modifiers")
    async def _modifiers(self, interaction: Interaction, current: str) -> list[Choice[str]]:
        named = str(getattr(interaction.namespace, "name", "") or "")
        try:
            family = await self._rules.find(person(interaction), await self._desk.campaign(interaction), named)
        except UserError:
            return []
        return await options.ModifiersCompleter(*family).autocomplete(interaction, current)

    async def _known(self, interaction: Interaction) -> tuple[list[str], dict[str, str]]:
        """The names of the files, and the tables by id with their titles, as far as they are open to whoever asks."""
        try:
            shelf = await self._rules.listed(person(interaction), await self._desk.campaign(interaction))
        except UserError:
            return [], {}
        return [file.name for file in shelf.files], dict(shelf.tables)


def _subjects(who: str, about: str | None) -> dict[str, str]:
    """Who stands in which role."""
    (roller,) = parsing.names(who, "roller", 1)
    if about is None:
        return {ROLLER: roller}
    (target,) = parsing.names(about, "name", 1)
    parsing.refuse_both((roller,), (target,))
    return {ROLLER: roller, TARGET: target}


def _holding(current: str, named: dict[str, str]) -> list[Choice[str]]:
    wanted = current.strip().casefold()
    return options.offer(
        [(f"{title} ({name})", name) for name, title in named.items() if wanted in f"{name} {title}".casefold()]
    )
