"""Every RoE rule and racial option is covered, only data names them, and the README's example works."""

from __future__ import annotations

import ast
import re
import shutil
from functools import cache
from pathlib import Path

import pytest

from bot.cogs.roe import reference
from bot.core.library import hide_secrets
from rules.books import kinds_of, procedures_of
from rules.books.roe.catalog import ListedSkill, Note, Option, Race, Size, Vehicle, WeaponClass, WeaponToken
from rules.books.roe.contests import OPPOSED, SKILLS
from rules.dice import ScriptedDice
from rules.kinds import CatalogEntry
from rules.loader import BOOKS, load_book, load_folder
from rules.procedure import Part, Request
from rules.ruleset import resolve
from rules.scenes import MEMBER
from tests.architecture.source import ROOT
from tests.rules.roe.asking import GOLDEN, ROE

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
PLAYED_TESTS = ROOT / "tests" / "cogs" / "roe"
IN_THE_GAME = frozenset(
    RULE.findall(
        "C01.4 C02.7 C02.8 C03.1 C04.3 C04.4 C04.13 C04.18 C04.19 C04.22 C04.23 C08.4 C08.5 C09.2 "
        "C09.8 C10.4 C10.6 C17.4 C23.3 C23.6 C28.7 C29.5 C29.6 C31.8 C38.15 C39.1 C39.4"
    )
)
"""Rules that players keep in the game; the bot only shows them."""


def list_golden_rules() -> set[str]:
    """Return the rules in comments above golden questions."""
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


def list_played_rules() -> set[str]:
    """Return the rules in docstrings of tests through the bot."""
    trees = (ast.parse(file.read_text("utf-8")) for file in PLAYED_TESTS.rglob("test_*.py"))
    functions = (item for tree in trees for item in ast.walk(tree) if isinstance(item, ast.AsyncFunctionDef))
    claims = (ast.get_docstring(item) or "" for item in functions if item.name.startswith("test_"))
    return {name for claim in claims for name in RULE.findall(claim)}


def list_topic_rules() -> set[str]:
    """Return the rules in the topics of `/roe rules`."""
    topics = {(topic.name, topic.line) for topic in reference.list_topics(hide_secrets(ROE))}
    return {note.rule for note in ROE.entries_of(Note).values() if (note.label, note.line) in topics}


def test_every_rule_is_shown_or_said() -> None:
    """Every rule is covered."""
    every = {f"C{place:02}.{number}" for place, count in COUNTS.items() for number in range(1, count + 1)}
    assert len(every) == 269
    named = list_golden_rules() | list_played_rules() | list_topic_rules()
    assert sorted(every - named) == []
    assert sorted(named - every) == []


def test_every_option_is_at_work() -> None:
    """Each racial option stands in a golden question, by its name."""
    lines = [line for file in GOLDEN for line in file.read_text("utf-8").splitlines() if line.startswith("{")]
    asked = "\n".join(line.partition(" -> ")[0] for line in lines)
    options = ROE.entries_of(Option).values()
    assert len(options) == 27
    assert [item.label for item in options if f'"{item.label}"' not in asked] == []


def test_what_the_bot_leaves_to_the_game_is_told() -> None:
    """`/roe rules` lists each of them once."""
    assert sorted(IN_THE_GAME - list_topic_rules()) == []
    notes = ROE.entries_of(Note).values()
    assert len({note.rule for note in notes}) == len(notes) == len(list_topic_rules())
    assert all(RULE.fullmatch(note.rule) and note.label.endswith(".") for note in notes)


LISTED: tuple[type[CatalogEntry], ...] = (Option, Race, Size, WeaponToken, Vehicle, WeaponClass)
FILES = [*sorted((BOOKS / "roe").glob("*.py")), *sorted((ROOT / "tests/answers").glob("roe*.py"))]


@cache
def _words(file: Path) -> list[tuple[int, str]]:
    tree = ast.parse(file.read_text("utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs)
    return [(node.lineno, node.value) for node in strings if isinstance(node.value, str)]


@pytest.mark.parametrize("kind", LISTED, ids=[kind.kind for kind in LISTED])
def test_no_entry_of_the_catalog_is_named_in_python(kind: type[CatalogEntry]) -> None:
    """Python knows properties, not ids or labels."""
    entries = load_book("roe").entries_of(kind).values()
    names = {name.casefold() for entry in entries for name in (entry.id, entry.label)}
    named = [f"{file.name}:{line}: {word}" for file in FILES for line, word in _words(file) if word.casefold() in names]
    assert names
    assert named == []


def test_the_skills_of_the_book_are_those_that_are_rolled() -> None:
    """Each has a check, and a contest or family."""
    skills = ROE.entries_of(ListedSkill)
    assert set(skills) == set(SKILLS)
    assert {skill.check for skill in skills.values()} <= set(ROE.procedure("roe.check").method.tables)
    for name, skill in skills.items():
        assert (name in OPPOSED) == (skill.family is None)
        assert skill.family is None or skill.family in ROE.procedures
        tables = {ROE.contests[skill.contest].actor, ROE.contests[skill.contest].resister}
        family = skill.family if skill.family and skill.family in ROE.contests else "roe.versus"
        assert tables <= set(ROE.procedure(family).method.tables)


def test_the_act_of_the_readme_is_paid_and_rolled(tmp_path: Path) -> None:
    """It costs an Action and rolls a check."""
    folder = Path(shutil.copytree(BOOKS / "roe", tmp_path / "roe"))
    (line,) = re.findall(r"^acts = .+$", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    (folder / "toy.toml").write_text(line, "utf-8")
    book = load_folder(folder, procedures_of("roe"), kinds=kinds_of("roe"))
    kept = {"Ann": {MEMBER: {"id": 7, "marks": {"actions": 1, "movements": 1}}}}
    dice = ScriptedDice([(100, 50)])

    (result,) = resolve(Request("turn.juggle", (Part("Ann", {"actor": "Ann"}, kept=kept),)), book, dice).parts

    dice.finish()
    assert result.conclusion is not None
    assert (result.conclusion.outcome, result.conclusion.text) == ("success", "Success (by 0)")
    ((_, _, value),) = result.changes
    assert value is not None
    assert value["marks"] == {"actions": 0, "movements": 1, "turn.spent": 1}
