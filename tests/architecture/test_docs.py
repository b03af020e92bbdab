"""What the texts for people say is so."""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterator
from itertools import chain

from bot import cli
from tests.architecture.source import ROOT
from tests.command_pages import commands

TEXTS = sorted(str(file.relative_to(ROOT)) for file in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def _read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_the_page_of_commands_lists_every_slash_command() -> None:
    """The first column of the page's tables is the list of commands that the bot brings."""
    listed = re.findall(r"^\| `/([^`]+)`", _read("docs/commands/index.md"), re.MULTILINE)

    assert sorted(listed) == sorted(commands())


def test_the_pages_name_only_commands_and_options_that_exist() -> None:
    """Every command that a page shows, past releases apart, is in the tree, and so is each option it gives."""
    known = {f"/{name}": {option.display_name for option in item.parameters} for name, item in commands().items()}
    groups = {name.rsplit(" ", depth)[0] for name in known for depth in (1, 2)} | {"/health", "/metrics"}
    wrong = []
    for page in {*TEXTS} - {"CHANGELOG.md"}:
        for shown in {*re.findall(r"`(/[a-z][^`/]*)`", _read(page))} - groups:
            name = next((name for name in known if f"{shown} ".startswith(f"{name} ")), "")
            given = re.findall(r"\s([a-z_]+):", shown.removeprefix(name).partition("fields:")[0])
            wrong += [f"{page}: {shown}"] if not name or not {*given} <= known[name] else []

    assert wrong == []


def test_the_reference_lists_every_command_of_the_command_line() -> None:
    """The table of docs/reference/command-line.md lists what the parser takes, and nothing else."""
    listed = re.findall(r"^\| `adjutant ([a-z -]+[a-z])", _read("docs/reference/command-line.md"), re.MULTILINE)

    assert sorted(listed) == sorted(_commands(cli._parser()))


def test_the_contributing_page_gives_a_reason_for_every_dependency() -> None:
    """The lists of dependencies in CONTRIBUTING.md and in pyproject.toml are the same."""
    project = tomllib.loads(_read("pyproject.toml"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    wanted += chain(*project["project"]["optional-dependencies"].values(), *project["dependency-groups"].values())

    listed = re.findall(r"^- `([\w.-]+)`: .+", _read("CONTRIBUTING.md"), re.MULTILINE)

    assert set(listed) == {name for line in wanted for name in re.findall(r"^[\w.-]+", line)} - {"adjutant"}


def test_the_pages_about_the_code_name_only_files_that_exist() -> None:
    """Every file and folder of the code that they and the page that verifies name, by its path, is there."""
    names = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/contributing.md", "docs/verify.html")
    own = [ROOT / name for name in names]
    texts = [page.read_text("utf-8") for page in (*own, *(ROOT / "docs/contributing").glob("*.md"))]
    named = {
        path
        for text in texts
        for path in re.findall(r"(?<![\w/-])(?:bot|rules|tests|migrations)/[\w/.]*\w(?![\w<-])", text)
    }

    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_links_between_the_texts_lead_somewhere() -> None:
    """Every link and picture that names a file of the project finds it."""
    missing = [
        f"{name}: {target}"
        for name in TEXTS
        for target in re.findall(r"\]\(([^)#:]+)\)", _read(name))
        if not ((ROOT / name).parent / target).exists()
    ]

    assert missing == []


def test_ci_runs_the_test_command_of_the_readme() -> None:
    """The command that the README gives for the tests is the one that `.ci/run` runs."""
    assert "&& uv run pytest\n" in _read("README.md")
    assert re.search("^ *uv run pytest ", _read(".ci/run"), re.MULTILINE)


def test_workflows_pin_every_action_by_its_commit() -> None:
    """Every action that a workflow uses is named by a full commit, its version beside it."""
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    used = [line for file in workflows for line in re.findall(r"uses: (.+)", file.read_text("utf-8"))]

    assert used
    assert [line for line in used if not PINNED.fullmatch(line)] == []


def _commands(parser: argparse.ArgumentParser, path: str = "") -> Iterator[str]:
    """The full name of every command that has no further ones below it."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield path
    for action in below:
        for name, child in action.choices.items():
            yield from _commands(child, f"{path} {name}".strip())
