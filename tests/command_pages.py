"""Write the page of all slash commands, `docs/commands/index.md`, from the command tree.

uv run python -m tests.command_pages
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discord import app_commands

from bot.app import create_bot
from bot.cogs.help import TASKS
from bot.core.config import Settings
from bot.ui.parsing import WHO
from tests.architecture.source import ROOT

PAGE = ROOT / "docs" / "commands" / "index.md"
HEAD = """\
<!-- Written by `uv run python -m tests.command_pages`: change the command, not this page. -->

# Commands

All slash commands by task. `/help` lists the ones you can use in a channel, and explains the options of each.

**Who:** everyone means the campaign's players and game masters.
Players act only for their own characters and units, and see what they may know. In a fight, they act on their own turns.
A \\* marks rolls and edits that a game master can open to players, such as `/campaign edit players_may:scouting`.

**On a result:** right-click it (on a phone, hold it) and choose Apps. There are Undo, Amend, Verify dice, Publish and Show in ledger.
"""

Command = app_commands.Command[Any, ..., Any]


def commands() -> dict[str, Command]:
    """Return every slash command by its full name, without the slash."""
    tree = create_bot(Settings(database_url="sqlite:///never-opened.db"), books={}).tree
    found = (item for item in tree.walk_commands() if isinstance(item, app_commands.Command))
    return {item.qualified_name: item for item in found}


def page() -> str:
    """Return the page."""
    return "\n".join([HEAD, *(line for task in TASKS for line in _table(task))])


def _table(task: str) -> Iterator[str]:
    yield from (f"## {task}", "", f"{TASKS[task].what[0].upper()}{TASKS[task].what[1:]}.", "")
    yield from ("| Command | What it does | Who |", "| --- | --- | --- |")
    words = TASKS[task].words.split()
    mine = {name: item for name, item in commands().items() if name.split()[0] in words}
    for name, item in sorted(mine.items(), key=lambda pair: words.index(pair[0].split()[0])):
        yield f"| `/{name}` | {item.description.replace('|', chr(92) + '|')} | {_who(item)} |"
    yield ""


def _who(command: Command) -> str:
    return str(command.extras.get(WHO) or ("game masters\\*" if "family" in command.extras else "everyone"))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
