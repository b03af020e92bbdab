"""`/table`: a campaign's own tables and changes to its books."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated

import discord
from discord import app_commands

from bot.client import Interaction
from bot.cogs.house_rules import panel, service
from bot.rolls.answers import begin
from bot.rolls.desk import channels, desk_of
from bot.rolls.options import (
    AnyModifiersCompleter,
    Completed,
    Completion,
    Completions,
    Name,
    PlacedRollForm,
    find_modifiers,
)
from bot.rolls.request import PartRequest, RollCommand, by_label
from bot.ui import parsing
from bot.ui.commands import GAME_MASTERS, describe
from bot.ui.form import fill_form, option
from bot.ui.reply import own_name, person
from rules.own import ROLLER, TARGET
from rules.stages import Tickable
from rules.subjects import name_key


class _HouseNameCompleter(Completed):
    """The name of a file, or the id of a table with its title, of those that the person may see."""

    def __init__(self, *, files: bool = False, tables: bool = False) -> None:
        super().__init__(partial(_complete_name, files=files, tables=tables), re.compile(r"\)$"))


async def _complete_name(at: Completion, current: str, *, files: bool, tables: bool) -> Completions:
    known = await at.read(service.list_files)
    named: dict[str, str] = {}
    if files:
        named |= {file.name: f"file {file.name}" if tables else file.name for file in known.files}
    if tables:
        named |= known.tables
    wanted = name_key(current)
    return [(f"{title} ({name})", name) for name, title in named.items() if wanted in name_key(f"{name} {title}")]


async def _find_modifiers(at: Completion) -> Mapping[str, Tickable]:
    """Return the modifiers of the table that is named in the command."""
    return await find_modifiers(*await at.read(service.find_table, at.typed("name")), at)


FileName = Annotated[str, _HouseNameCompleter(files=True)]
TableName = Annotated[str, _HouseNameCompleter(tables=True)]
FileOrTable = Annotated[str, _HouseNameCompleter(files=True, tables=True)]
TableModifiers = Annotated[str, AnyModifiersCompleter(_find_modifiers)]


TYPED = "A TOML file of tables or changes to a book. Leave empty to type a table"
FILE = "The new TOML file, up to 64 KiB"
Version = app_commands.Range[int, 1, 9999]


class TableRollForm(PlacedRollForm):
    """The options of `/table roll`."""

    name: TableName = option("The table")
    who: Name | None = option("Who rolls. Default: you", default=None)
    about: Name | None = option("The target, if the roll has one", default=None)
    modifiers: TableModifiers | None = None


@app_commands.guild_only()
class TableCog(app_commands.Group, name="table", description="Your own tables and changes to the books"):
    """House rules."""

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="A name for the file or table", file=TYPED)
    async def add(self, interaction: Interaction, name: str, file: discord.Attachment | None = None) -> None:
        """Add house rules: type a table or send a file."""
        if file is None:
            await panel.type_table(interaction, name)
        else:
            await panel.prepare(interaction, name, file, follows=False)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="The file to replace", file=FILE)
    async def edit(self, interaction: Interaction, name: FileName, file: discord.Attachment) -> None:
        """Replace a file of house rules with its next version."""
        await panel.prepare(interaction, name, file, follows=True)

    @app_commands.command(name="list")
    async def list_files(self, interaction: Interaction) -> None:
        """List house rules and the tables you can roll on."""
        await panel.list_files(interaction)

    @app_commands.command()
    @describe(name="The file or table")
    async def show(self, interaction: Interaction, name: FileOrTable) -> None:
        """Show a file or table with its exact odds."""
        await panel.show(interaction, name)

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="The file")
    async def remove(self, interaction: Interaction, name: FileName) -> None:
        """Turn off a file of house rules. Its versions are kept."""
        await panel.remove(interaction, name)

    @app_commands.command()
    @fill_form
    async def roll(self, interaction: Interaction, form: TableRollForm) -> None:
        """Roll on a house table."""
        client = interaction.client
        campaign = await desk_of(interaction).campaign(interaction)
        family = await client.database.read(service.find_table, person(interaction), campaign, form.name)
        part = _part(form.who, own_name(interaction), form.about)
        shared = (form.region, form.week, form.modifiers, form.note, form.to)
        command = RollCommand(channels(interaction), family, [part], *shared)
        await begin(interaction, command, at_once=form.roll == "now")

    @app_commands.command(extras=GAME_MASTERS)
    @describe(name="The file", version="The version. Default: the newest")
    async def export(self, interaction: Interaction, name: FileName, version: Version | None = None) -> None:
        """Export a file of house rules as it was sent."""
        await panel.export(interaction, name, version)


def _part(who: str | None, own_name: str, about: str | None) -> PartRequest:
    """Return who stands in which role."""
    label = parsing.names(who, "roller", 1)[0] if who else None
    part = by_label(ROLLER, label, own_name)
    if about is None:
        return part
    (target,) = parsing.names(about, "name", 1)
    parsing.refuse_both((label or own_name,), (target,))
    return part.model_copy(update={"subjects": {**part.subjects, TARGET: target}})
