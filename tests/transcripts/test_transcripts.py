"""Whole evenings, played again and compared with how they are written down in `logs/`.

    uv run pytest tests/transcripts --update-transcripts

writes them anew: the difference in git shows what changed for whom.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from bot.app import FEATURES
from bot.ui.registration import Registration
from bot.ui.reply import Component, ModalForm
from tests.support import shortcuts
from tests.transcripts import commands
from tests.transcripts.evening import playing
from tests.transcripts.evenings import EVENINGS

LOGS = Path(__file__).parent / "logs"


def compare(name: str, text: str, *, update: bool) -> None:
    """Claim that a log is as written down, or write it down.

    Only the first differences are shown: a log has thousands of lines.
    """
    file = LOGS / f"{name}.txt"
    if update:
        file.write_text(text, "utf-8")
    before = file.read_text("utf-8") if file.exists() else ""
    lines = difflib.unified_diff(before.splitlines(), text.splitlines(), "written down", "now", lineterm="", n=2)
    difference = [line[:300] for line, _ in zip(lines, range(80), strict=False)]
    assert not difference, "\n".join(["--update-transcripts writes this down:", *difference])


@pytest.mark.parametrize("name", EVENINGS)
async def test_an_evening_goes_as_written_down(
    name: str, database_url: str, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every person sees what is written down, on either database; commands that can be tapped stand as `</ping>`."""
    monkeypatch.setattr(Registration, "_send", shortcuts.SEND)  # its answer has the commands' ids
    evening = EVENINGS[name]
    async with playing(database_url, drawn=evening.drawn) as played:
        played.title(evening.title, "=")
        await evening.play(played)
        text = played.page.text()
    compare(name, text, update=pytestconfig.getoption("--update-transcripts"))


def test_the_command_tree_is_as_written_down(pytestconfig: pytest.Config) -> None:
    """Commands, options, descriptions, choices and permissions are as written down."""
    compare("commands", commands.describe_tree(), update=pytestconfig.getoption("--update-transcripts"))


def test_the_evenings_use_every_command() -> None:
    """Together their logs have every command of the tree at least once."""
    used = re.findall(r"^\w+(?: in #\S+)?: /([a-z_ -]+?)(?= [a-z_0-9]+:|$)", _logs(), re.MULTILINE)
    assert {*commands.names()} - {*used} == set()


def test_the_evenings_use_every_button_select_and_window() -> None:
    """Together their logs have an id of every form that a component or window of the bot can have."""
    logs = _logs()
    used = re.findall(r"^\w+ (?:presses|picks) .* = ([a-z-]+:.*)$", logs, re.MULTILINE)
    sent = re.findall(r"^\w+ sends .*? = ([a-z-]+:.*?) with ", logs, re.MULTILINE)
    missing = [
        item.template.name
        for feature in FEATURES
        for item in feature.components
        if not _matched(item, sent if isinstance(item, ModalForm) else used)
    ]
    assert missing == []


def _matched(item: Component | ModalForm, ids: list[str]) -> bool:
    return any(item.template.match(custom_id) for custom_id in ids)


def _logs() -> str:
    return "\n".join((LOGS / f"{name}.txt").read_text("utf-8") for name in EVENINGS)


def test_nobody_reads_the_code_of_a_refusal() -> None:
    """In no evening does anything that is shown have a code by which the rules refuse."""
    logs = [*(Path(__file__).parent / "logs").glob("*.txt")]
    shown = [line for log in logs for line in log.read_text("utf-8").splitlines() if not line.startswith('  {"')]
    assert len(logs) > 10
    assert [line for line in shown if re.search(r"\bE_[A-Z]{2}", line.replace("\\", ""))] == []
