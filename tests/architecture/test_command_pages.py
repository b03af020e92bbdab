"""The command tree as people read it: its words, and the page of all commands."""

from __future__ import annotations

import re

from tests import key_pages
from tests.command_pages import PAGE, Command, commands, page
from tests.wording import AVOIDED


def test_the_page_of_the_commands_is_fresh() -> None:
    """The page in docs is the one that the command tree gives."""
    assert PAGE.read_text("utf-8") == page(), "docs/commands is stale: uv run python -m tests.command_pages"


def test_the_page_of_the_keys_of_house_rules_is_fresh() -> None:
    """The page in docs names what the reader of files takes."""
    assert key_pages.PAGE.read_text("utf-8") == key_pages.page(), "stale: uv run python -m tests.key_pages"


def test_a_command_is_described_by_a_short_plain_sentence() -> None:
    """Each description begins with a capital and ends with a full stop, in 60 characters at most and without brackets."""
    told = {name: str(command.description) for name, command in commands().items()}

    assert {name: text for name, text in told.items() if not re.fullmatch(r"[A-Z][^()\[\]]{1,58}\.", text)} == {}


def test_options_and_choices_are_described_in_plain_words() -> None:
    """No description of a command, an option or a choice uses a word that the writing guide avoids, and none is cut."""
    told = [text for command in commands().values() for text in (str(command.description), *_texts(command))]

    assert [
        text for text in told if AVOIDED.search(text) or len(text) > 100 or text.endswith("\N{HORIZONTAL ELLIPSIS}")
    ] == []


def _texts(command: Command) -> list[str]:
    """The descriptions of a command's options, and the names of their choices."""
    return [
        text
        for option in command.parameters
        for text in (str(option.description), *(item.name for item in option.choices))
    ]
