"""The pages of the commands are those that the command tree gives."""

from __future__ import annotations

from tests.command_pages import FOLDER, commands, pages

REFRESH = "docs/commands is stale: uv run python -m tests.command_pages"


def test_the_pages_of_the_commands_are_fresh() -> None:
    """Each page says what the command tree and docs/reference/permissions.md say today, and there is no other page."""
    assert {file.name: file.read_text("utf-8") for file in FOLDER.glob("*.md")} == pages(), REFRESH


def test_every_command_stands_on_one_page() -> None:
    """Each command has one heading of its own on one page."""
    headings = [line[4:] for text in pages().values() for line in text.splitlines() if line.startswith("## /")]

    assert sorted(headings) == sorted(commands())
