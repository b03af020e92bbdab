"""Imports run one way; the contracts stand in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from bot.app import NAMES

ROOT = Path(__file__).parents[2]
LONGEST_CHAIN = 17
"""Modules in the longest chain of imports."""

LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def test_every_contract_on_imports_is_kept() -> None:
    """import-linter finds no import against the contracts, and no module of the bot without a room."""
    command = [sys.executable, "-c", LINT, "--no-cache", "--no-logo"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - our own words

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_rules_need_two_libraries() -> None:
    """All that `rules` imports from outside: msgspec for values and files, Unicode's list of letters that look alike."""
    graph = grimp.build_graph("rules", include_external_packages=True, cache_dir=None)

    outside = {name.partition(".")[0] for name in graph.modules} - sys.stdlib_module_names

    assert outside == {"rules", "msgspec", "confusable_homoglyphs"}


def test_imports_form_no_circle_and_no_long_chain() -> None:
    """No module imports itself by way of others, and no chain of imports is longer than 17 modules."""
    graph = grimp.build_graph("bot", "rules", "migrations", cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    imports["bot.app"] |= {f"bot.cogs.{name}" for name in NAMES}  # imported by name
    depths: dict[str, int] = {}

    for name in TopologicalSorter(imports).static_order():  # raises CycleError where there is a circle
        depths[name] = 1 + max((depths[other] for other in imports[name]), default=0)

    assert max(depths.values()) <= LONGEST_CHAIN


def test_a_start_loads_only_what_it_needs() -> None:
    """The bot, and the words of its pictures, load without what checks files and ledgers, migrates, serves commands in messages, belongs to another database or to the rolls of a book, encrypts, or draws."""
    needless = ["alembic", "discord.ext.commands", "rules.loader", "rules.books.roe.book"]
    needless += ["sqlalchemy.dialects.postgresql", "cryptography", "PIL", "bot.core.audit", "multiprocessing"]
    loading = (
        "import sys; before = {*sys.modules}; import bot.app, bot.cogs.war.pictures.views"  # coverage loads some itself
    )
    script = f"{loading}; print(*(name for name in {needless} if name in sys.modules.keys() - before))"

    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - our own words

    assert not done.stdout.split()


def test_the_command_line_loads_what_a_command_needs_when_it_runs() -> None:
    """Docker asks for the bot's health twice a minute, in a process of its own."""
    needless = ["discord", "sqlalchemy", "rules.expression", "rules.odds", "rules.tables"]
    script = f"import sys, bot.cli; print(*(name for name in {needless} if name in sys.modules))"

    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - our own words

    assert not done.stdout.split()
