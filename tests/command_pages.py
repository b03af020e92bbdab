"""Write the pages of all slash commands in `docs/commands` anew, out of the command tree.

    uv run python -m tests.command_pages

A page holds the commands of one task of `/help`. Who may use a command stands in docs/reference/permissions.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from discord import AppCommandOptionType, app_commands

from bot.app import create_bot
from bot.cogs.help import TASKS
from bot.config import Settings
from tests.architecture.source import ROOT

FOLDER = ROOT / "docs" / "commands"
WHO = ROOT / "docs" / "reference" / "permissions.md"
FURTHER = "Further commands"
TYPES = {
    AppCommandOptionType.string: "text",
    AppCommandOptionType.integer: "whole number",
    AppCommandOptionType.number: "number",
    AppCommandOptionType.boolean: "True or False",
    AppCommandOptionType.user: "member",
    AppCommandOptionType.channel: "channel",
    AppCommandOptionType.role: "role",
    AppCommandOptionType.attachment: "file",
}
MARK = re.compile(r" \((game masters|needs Manage Server)\)\.$")
HEAD = "| Option | Type | Needed | What it is | Values |\n| --- | --- | --- | --- | --- |"
OPENED = "\\* Players too, where a game master has opened it to them: `/campaign edit players_may`."
FRESH = "<!-- Written by `uv run python -m tests.command_pages`: change the command, not this page. -->"

Command = app_commands.Command[Any, ..., Any]


def commands() -> dict[str, Command]:
    """Return every slash command that people can use, by its full name without the stroke."""
    tree = create_bot(Settings(database_url="sqlite:///never-opened.db"), books={}).tree
    found = (item for item in tree.walk_commands() if isinstance(item, app_commands.Command))
    return {item.qualified_name: item for item in sorted(found, key=lambda item: item.qualified_name)}


def allowed() -> dict[str, str]:
    """Return who may use each command, as docs/reference/permissions.md says."""
    rows = [line.split(" | ") for line in WHO.read_text("utf-8").splitlines() if line.startswith("| `/")]
    return {name: row[-1].rstrip(" |") for row in rows for name in re.findall(r"`/([^`]+)`", row[0])}


def pages() -> dict[str, str]:
    """Return every page's text by the name of its file."""
    who, left = allowed(), commands()
    written, contents = {}, []
    for task, (what, words) in _tasks().items():
        tops = words.split() or sorted({name.split()[0] for name in left})
        mine = {name: left.pop(name) for top in tops for name in list(left) if name.split()[0] == top}
        if mine:
            file = f"{_anchor(task)}.md"
            written[file] = _page(task, what, mine, who)
            contents.append(f"| [{task}]({file}) | {', '.join(_link(file, name) for name in mine)} |")
    return written | {"index.md": _contents(contents)}


def _tasks() -> dict[str, tuple[str, str]]:
    return {name: (task.what, task.words) for name, task in TASKS.items()} | {FURTHER: ("what else there is", "")}


def _contents(rows: Sequence[str]) -> str:
    told = "All slash commands by what they are for. `/help` tells those that are for you, where you ask."
    return "\n".join([FRESH, "", "# Commands", "", told, "", "| For | Commands |", "| --- | --- |", *rows, ""])


def _page(task: str, what: str, mine: Mapping[str, Command], who: Mapping[str, str]) -> str:
    parts = [FRESH, f"# {task}", f"{what[0].upper()}{what[1:]}."]
    parts += [part for name, command in mine.items() for part in _described(command, who[name])]
    if any("*" in who[name] for name in mine):
        parts.append(OPENED)
    return "\n\n".join(parts) + "\n"


def _described(command: Command, who: str) -> Iterator[str]:
    yield f"## /{command.qualified_name}"
    yield MARK.sub(".", _plain(command.description))
    yield f"Who may use it: {who.replace('*', chr(92) + '*')}."
    if command.parameters:
        yield "\n".join([HEAD, *map(_row, command.parameters)])


def _row(option: app_commands.Parameter) -> str:
    needed = "yes" if option.required else "no"
    cells = (f"`{option.display_name}`", TYPES[option.type], needed, _plain(str(option.description)), _values(option))
    return f"| {' | '.join(cells)} |"


def _values(option: app_commands.Parameter) -> str:
    """Return what Discord offers or lets through, in words; nothing where anything goes."""
    told = []
    if option.choices:
        told.append("; ".join(_plain(choice.name) for choice in option.choices))
    if option.autocomplete:
        told.append("completed as you type")
    if option.channel_types:
        told.append(", ".join(kind.name.replace("_", " ") for kind in option.channel_types))
    unit = " characters" if option.type is AppCommandOptionType.string else ""
    if option.min_value is not None:
        told.append(
            f"{option.min_value} or more{unit}"
            if option.max_value is None
            else f"{option.min_value} to {option.max_value}{unit}"
        )
    elif option.max_value is not None:
        told.append(f"at most {option.max_value}{unit}")
    return "; ".join(told)


def _plain(text: str) -> str:
    """Return a text as Markdown shows it plainly in a table."""
    return re.sub(r"([|*_<\[])", r"\\\1", text)


def _link(file: str, name: str) -> str:
    return f"[`/{name}`]({file}#{_anchor(name)})"


def _anchor(name: str) -> str:
    return name.lower().replace(" ", "-")


def main() -> None:
    """Write all pages, and remove those that are no longer."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.md"):
        file.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
