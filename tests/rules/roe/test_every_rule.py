"""Every rule of the RoE page, and every racial option, is shown by a question, played in a test, or told by `/roe rules`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from bot.cogs.roe import reference
from rules.books.roe.catalog import Note, Option
from tests.rules.roe.asking import GOLDEN, ROE

ROOT = Path(__file__).parents[3]

COUNTS = dict(
    enumerate(
        (
            *(7, 10, 8, 31, 3, 9, 6, 5, 8, 6, 6, 11, 5, 7, 5, 5, 5, 8, 4, 3),
            *(2, 8, 6, 6, 7, 5, 6, 8, 7, 6, 8, 6, 3, 4, 4, 4, 4, 15, 5, 3),
        ),
        1,
    )
)
"""How many rules each capability of the page has."""
RULE = re.compile(r"C\d\d\.\d+")
PLAYED = ROOT / "tests" / "cogs" / "roe"
IN_THE_GAME = frozenset(
    RULE.findall(
        "C01.4 C02.7 C02.8 C03.1 C04.3 C04.4 C04.13 C04.18 C04.19 C04.22 C04.23 C08.4 C08.5 C09.2 "
        "C09.8 C10.4 C10.6 C17.4 C23.3 C23.6 C28.7 C29.5 C29.6 C31.8 C38.15 C39.1 C39.4"
    )
)
"""The rules that the bot leaves to those who play, since what they hang on is kept in the game or is good manners: it tells them."""


def shown() -> set[str]:
    """The rules over golden lines: a comment without a question below it shows none."""
    found: set[str] = set()
    for file in GOLDEN:
        named: set[str] = set()
        before = ""
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("#"):
                named = (named if before.startswith("#") else set()) | {*RULE.findall(line)}
            found |= named if line.startswith("{") else set()
            before = line
    return found


def played() -> set[str]:
    """The rules that a test through the bot claims, in its docstring."""
    trees = (ast.parse(file.read_text("utf-8")) for file in PLAYED.rglob("test_*.py"))
    functions = (item for tree in trees for item in ast.walk(tree) if isinstance(item, ast.AsyncFunctionDef))
    claims = (ast.get_docstring(item) or "" for item in functions if item.name.startswith("test_"))
    return {name for claim in claims for name in RULE.findall(claim)}


def told() -> set[str]:
    """The rules that players find by `/roe rules`: notes that are among its topics, each by its own sentence and line."""
    topics = {(topic.name, topic.line) for topic in reference.list_topics(reference.hide_secrets(ROE))}
    return {note.rule for note in ROE.listed(Note).values() if (note.label, note.line) in topics}


def test_every_rule_is_shown_or_said() -> None:
    """Each rule stands over a question with its answer, in the claim of a test through the bot, or in `/roe rules`."""
    every = {f"C{place:02}.{number}" for place, count in COUNTS.items() for number in range(1, count + 1)}
    assert len(every) == 269
    named = shown() | played() | told()
    assert sorted(every - named) == []
    assert sorted(named - every) == []


def test_what_the_bot_leaves_to_the_game_is_told() -> None:
    """No rule that nothing applies is left out of `/roe rules`, and notes are about rules of the page, each once."""
    assert sorted(IN_THE_GAME - told()) == []
    rules = [note.rule for note in ROE.listed(Note).values()]
    assert len({*rules}) == len(rules) == len(told())


def test_every_option_is_at_work() -> None:
    """Each racial option stands in a golden question, by its name."""
    lines = [line for file in GOLDEN for line in file.read_text("utf-8").splitlines() if line.startswith("{")]
    asked = "\n".join(line.partition(" -> ")[0] for line in lines)
    options = ROE.listed(Option).values()
    assert len(options) == 27
    assert [item.label for item in options if f'"{item.label}"' not in asked] == []
