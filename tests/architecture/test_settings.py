"""`.env.example`, the settings and the Dockerfile say the same."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import fields
from importlib import import_module
from typing import NamedTuple

from bot.core.config import Settings
from tests.architecture.source import ROOT, parsed

LINE = re.compile(r"# (?P<meaning>.+)\n(?P<off>#?)(?P<name>[A-Z_]+)=(?P<default>.*)")


class Line(NamedTuple):
    """One setting: its default as text, and what it means."""

    default: str
    meaning: str


def test_the_example_names_every_setting_with_its_default_and_meaning() -> None:
    """Names, defaults and meanings agree, in the settings' own order, and the example has nothing else."""
    blocks = (ROOT / ".env.example").read_text("utf-8").strip().split("\n\n")[1:]
    found = {}
    for block in blocks:
        match = LINE.fullmatch(block)
        assert match, f"not a line of meaning and a line NAME=default: {block!r}"
        found[match["name"]] = Line(match["default"], match["meaning"])

    classes = (item for item in parsed(ROOT / "bot/core/config.py").body if isinstance(item, ast.ClassDef))
    settings = next(item for item in classes if item.name == "Settings")
    texts = [ast.literal_eval(item.value) for item in settings.body[1:] if isinstance(item, ast.Expr)]
    both = zip(fields(Settings), texts, strict=True)
    declared = {item.name.upper(): Line(_text(item.default), text) for item, text in both}

    assert found == declared
    assert list(found) == list(declared)


def test_a_copy_of_the_example_sets_the_token_alone() -> None:
    """A `.env` copied from the example overrides no default, and so none that the Docker image brings along."""
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()

    assert [line for line in lines if line and not line.startswith("#")] == ["DISCORD_TOKEN="]


def _text(default: object) -> str:
    if isinstance(default, tuple):
        return json.dumps(default)
    return "" if default is None else str(default)


def test_what_the_image_runs_while_it_is_built_is_there() -> None:
    """Each Python program in the Dockerfile imports names that the project has."""
    programs = re.findall(r'-c "([^"]+)"', (ROOT / "Dockerfile").read_text("utf-8"))
    imports = [node for text in programs for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    assert imports
    for node in imports:
        assert {alias.name for alias in node.names} <= vars(import_module(node.module or "")).keys()
