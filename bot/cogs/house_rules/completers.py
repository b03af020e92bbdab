"""Completions of the names of files and tables, and of a table's modifiers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from bot.cogs.house_rules import service
from bot.rolls.options import AnyModifiersCompleter, Completed, Completion, ModifiersCompleter
from bot.ui.reply import person
from rules.stages import Tickable
from rules.subjects import name_key


class HouseNameCompleter(Completed):
    """The name of a file, or the id of a table with its title, as far as they are open to whoever asks."""

    decorated = re.compile(r"\)$")

    def __init__(self, *, files: bool = False, tables: bool = False) -> None:
        self._files = files
        self._tables = tables

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what contains the text in its name or title."""
        known = await at.desk.database.read(service.list_files, person(at.interaction), at.campaign)
        named: dict[str, str] = {}
        if self._files:
            named |= {file.name: f"file {file.name}" if self._tables else file.name for file in known.files}
        if self._tables:
            named |= known.tables
        wanted = name_key(current)
        return [(f"{title} ({name})", name) for name, title in named.items() if wanted in name_key(f"{name} {title}")]


class TableModifiersCompleter(AnyModifiersCompleter):
    """Modifiers of the table that is named in the command."""

    async def known(self, at: Completion) -> Mapping[str, Tickable]:
        """Return those of the table."""
        typed = str(getattr(at.interaction.namespace, "name", "") or "")
        family = await at.desk.database.read(service.find_table, person(at.interaction), at.campaign, typed)
        return await ModifiersCompleter(*family).known(at)


FileName = Annotated[str, HouseNameCompleter(files=True)]
TableName = Annotated[str, HouseNameCompleter(tables=True)]
FileOrTable = Annotated[str, HouseNameCompleter(files=True, tables=True)]
TableModifiers = Annotated[str, TableModifiersCompleter()]
