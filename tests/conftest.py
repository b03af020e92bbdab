"""A running bot with a campaign, for tests that act as people do."""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support import rereading, shortcuts, template
from tests.support.backend import House, opened
from tests.support.world import World, running

os.environ.pop(
    "PYTHONDONTWRITEBYTECODE", None
)  # workers and programs under test start from kept bytecode in half the time

gc.disable()  # until all tests are collected


DATABASES = {"sqlite": "sqlite", "postgres": "postgresql", "postgresql": "postgresql"}
"""The kinds of database, by what the option calls them."""


DIFFERENT = {
    "": "cli core migrations outbox schedules transcripts wire test_monitor",
    "cogs": "luck test_looks test_twice",
    "cogs/campaign": "test_capsule test_deleting test_randomness test_restore test_unbinding",
    "cogs/house_rules": "test_taken_back test_versions.py::test_a_",
    "cogs/infinity": "test_challenge_rows",
    "cogs/ledger": "test_amend.py test_amend_past test_amend_void test_ledger_list test_search test_void.py test_void_anything test_void_window",
    "cogs/privacy": "test_erasing.py::test_of_a_roll test_service",
    "cogs/roe": "test_waiting",
    "cogs/roster": "test_import.py::test_a_ test_import.py::test_two test_import_bounds test_rename",
    "cogs/update": "test_closing test_desk_of_before test_updates",
    "cogs/war": "battle/test_late_cards test_at_once test_interrupted",
    "cogs/weather": "test_processes test_schedule test_weeks.py::test_an_undone",
    "cogs/writeups": "test_writeup_threads",
    "orders": "test_answers_at_once.py::test_an_answer test_at_once test_board test_every_kind test_locking test_resolving",
    "rolls": "card/test_spent fairness/test_outside.py::test_a_roll_is fairness/test_parts fairness/test_turnover pending test_claims test_doubts test_restart test_two",
    "ui": "test_outages",
    "web": "test_site_pages.py::test_every test_site_pages.py::test_a_search test_site_pages.py::test_the_database",
}
"""Folders and the beginnings of names in them: their tests prove what differs between the databases, such as locks, search and undo."""


def serve_postgres() -> Callable[[], None]:
    """Start a PostgreSQL server for this run and its workers, which `TEST_DATABASE_URL` names; return what stops it.

    Raises:
        UsageError: none is installed, or it does not start.

    """
    program = [str(Path(__file__).parents[1] / ".ci/postgres"), "sh", "-c", "echo $TEST_DATABASE_URL; exec cat"]
    server = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: S603 - our own words
    url = server.stdout.readline().strip() if server.stdout else ""
    if not url:
        raise pytest.UsageError(server.communicate()[1].strip())
    os.environ["TEST_DATABASE_URL"] = url

    def stop() -> None:
        server.communicate()  # it runs as long as somebody could say something to it
        del os.environ["TEST_DATABASE_URL"]

    return stop


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    parser.addoption("--all", action="store_true", help="run the tests marked `slow` too")
    parser.addoption(
        "--times",
        type=int,
        default=1,
        metavar="N",
        help="let tests take N times as many seeds, turns and rounds, other ones each time: for a night",
    )
    parser.addoption(
        "--update-transcripts",
        action="store_true",
        help="write the logs of tests/transcripts anew from what happens now",
    )
    parser.addoption(
        "--database",
        choices=[*DATABASES],
        default="sqlite",
        help="on which kind of database tests run; postgres runs only those marked `database` or `postgres`, and starts a throw-away server where TEST_DATABASE_URL names none",
    )


def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores: a worker waits for the disk and for other processes now and then."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of what differs between databases; choose by `--database` and `--all`, and begin with slow tests."""
    different = tuple(str(Path("tests", room, name)) for room, names in DIFFERENT.items() for name in names.split())
    for item in items:
        kind_is_fixed = "database_kind" in getattr(getattr(item, "callspec", None), "params", ())
        uses_a_database = "database_kind" in getattr(item, "fixturenames", ()) and not kind_is_fixed
        if uses_a_database and item.nodeid.startswith(different):
            item.add_marker(pytest.mark.database)
    kept = [item for item in items if _is_chosen(config, item)]
    config.hook.pytest_deselected(items=list({*items} - {*kept}))
    items[:] = sorted(kept, key=lambda item: item.get_closest_marker("slow") is None)


def _is_chosen(config: pytest.Config, item: pytest.Item) -> bool:
    needs_server, differs, slow = (bool(item.get_closest_marker(name)) for name in ("postgres", "database", "slow"))
    on_server = config.getoption("--database") != "sqlite"
    return (needs_server or differs if on_server else not needs_server) and (not slow or config.getoption("--all"))


def pytest_configure(config: pytest.Config) -> None:
    """Start a server if one is asked for, start bots faster and watch what they write. No property fails by the clock, or by chance but with `--times`."""
    if config.getoption("--database") != "sqlite" and "TEST_DATABASE_URL" not in os.environ:
        config.add_cleanup(serve_postgres())
    shortcuts.take()
    rereading.watch()
    times = config.getoption("--times")
    unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("unhurried", unhurried, max_examples=100 * times, derandomize=times == 1)
    settings.load_profile("unhurried")


def pytest_sessionfinish() -> None:
    """Leave nothing on the server."""
    template.drop_all()


def pytest_collection_finish() -> None:
    """Keep modules and test items, which stay to the end anyway, out of all garbage collections: each takes 0.3 s."""
    gc.freeze()
    gc.set_threshold(20_000, 10, 30)  # a world leaves ten thousands of objects behind, at once and all together
    gc.enable()


@pytest.fixture(scope="session")
def times(pytestconfig: pytest.Config) -> int:
    """How many times as many seeds, turns or rounds a slow test takes as it does by default."""
    return int(pytestconfig.getoption("--times"))


@pytest.fixture(scope="session")
def database_kind(pytestconfig: pytest.Config) -> str:
    """The kind of database that `--database` names."""
    return DATABASES[pytestconfig.getoption("--database")]


@pytest.fixture
def database_url(database_kind: str, tmp_path: Path) -> Iterator[str]:
    """The address of a database of that kind, empty and migrated."""
    with template.migrated_url(database_kind, tmp_path) as url:
        yield url


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """A running bot with the campaign Iron Sea."""
    async with running(database_url) as made:
        yield made


@pytest.fixture
async def house(database_url: str) -> AsyncIterator[House]:
    """The bot below its panels, with the campaign Iron Sea."""
    async with opened(database_url) as made:
        yield made
