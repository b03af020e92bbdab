"""Completions of the names of files and tables, and of a table's modifiers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated

from bot.cogs.house_rules import service
from bot.rolls.options import AnyModifiersCompleter, Completed, Completion, Completions, find_modifiers
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
