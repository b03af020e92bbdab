"""Write the page of all slash commands, `docs/commands/index.md`, from the command tree.

uv run python -m tests.command_pages
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discord import app_commands

from bot.app import create_bot
from bot.cogs.help import sort_by_task
from bot.core.config import Settings
from bot.ui.parsing import MANAGERS, WHO
from tests.architecture.source import ROOT

PAGE = ROOT / "docs" / "commands" / "index.md"
HEAD = """\
<!-- Written by `uv run python -m tests.command_pages`: change the command, not this page. -->

# Commands

All slash commands by who they are for, and by task. `/help` lists the ones you can use in a channel, and explains the options of each.
A server has the commands of its campaigns' books, and those of no book.

**On a result:** right-click it (on a phone, hold it) and choose Apps. There are Undo, Amend, Verify dice, Publish and Show in ledger.
"""

PLAYERS, GAME_MASTERS, SERVER_MANAGERS = "Players", "Game masters", "Server managers"
ABOUT = {
    PLAYERS: """\
For everyone in the campaign. Players act only for their own characters and units, and see what they may know.
In a fight, they act on their own turns.
""",
    GAME_MASTERS: """\
I refuse them to everyone else. You can also hide them from players: *Server Settings → Integrations → Adjutant*.
A \\* marks rolls and edits that a game master can open to players, such as scouting.
""",
    SERVER_MANAGERS: """\
Discord shows them to members with *Manage Server*.
""",
}

Command = app_commands.Command[Any, ..., Any]


def commands() -> dict[str, Command]:
    """Return every slash command by its full name, without the slash."""
    tree = create_bot(Settings(database_url="sqlite:///never-opened.db"), books={}).tree
    found = (item for item in tree.walk_commands() if isinstance(item, app_commands.Command))
    return {item.qualified_name: item for item in found}


def find_audience(command: Command) -> str:
    """Return who a command is for, unless a game master opens it to players."""
    if command.extras.get(WHO) == MANAGERS[WHO]:
        return SERVER_MANAGERS
    return GAME_MASTERS if command.extras else PLAYERS


def page() -> str:
    """Return the page."""
    return "\n".join([HEAD, *(line for audience in ABOUT for line in _write_part(audience))])


def _write_part(audience: str) -> Iterator[str]:
    yield from (f"## {audience}", "", ABOUT[audience])
    mine = {name: item for name, item in commands().items() if find_audience(item) == audience}
    for task, found in sort_by_task(mine).items():
        yield from (f"### {task}", "", "| Command | What it does |", "| --- | --- |")
        for name, item in found.items():
            opened = " \\*" if "family" in item.extras else ""
            yield f"| `/{name}`{opened} | {item.description.replace('|', chr(92) + '|')} |"
        yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
