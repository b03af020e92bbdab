"""The option of the test run: it fails the test that caused a bad request, and does nothing when it is not given."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire import sample

SUITE = """
import discord
import pytest
from tests.wire.tiny import say, scene

BAD = say(embed=discord.Embed(title=257 * "x"))

async def act(action):
    async with scene(action) as here:
        await here.go()

@pytest.fixture
async def bad():
    await act(BAD)

@pytest.fixture
async def bad_at_the_end():
    yield
    await act(BAD)

async def test_good():
    await act(say(content="Fine"))

async def test_bad():
    await act(BAD)

async def test_bad_and_wrong():
    await act(BAD)
    assert "wrong" == "right"

def test_bad_before(bad):
    pass

def test_bad_after(bad_at_the_end):
    pass
"""


def run(folder: Path, *options: str) -> tuple[int, str]:
    """Run the suite above in a process of its own; its exit status and what it printed."""
    (folder / "test_suite.py").write_text(SUITE)
    set_up = [
        "-p",
        "tests.wire.plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:warnings",
        "-p",
        "no:hypothesispytest",  # its import is half of what such a small suite takes
        "-o",
        "asyncio_mode=auto",
        "-rfE",
    ]
    scope = ["-o", "asyncio_default_fixture_loop_scope=function"]
    command = [sys.executable, "-m", "pytest", *set_up, *scope, *options, str(folder)]
    plain = {name: value for name, value in os.environ.items() if name != "CI"}  # under CI pytest tells failures twice
    done = subprocess.run(  # noqa: S603 - our own words
        command, cwd=folder, env=plain, capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def test_bad_requests_fail_their_tests(tmp_path: Path) -> None:
    """Through a worker too, each test with a bad request fails in the phase that made it, and the good one passes."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(sample.DOCUMENT))
    status, out = run(tmp_path, "-n1", "--discord-openapi", str(file))
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "2 failed, 2 passed, 2 errors" in out
    for line in (
        "FAILED test_suite.py::test_bad ",
        "ERROR test_suite.py::test_bad_before ",
        "ERROR test_suite.py::test_bad_after ",
    ):
        assert line in out
    assert "/callback: $.data.embeds[0].title: at most 256 characters, not 257" in out
    assert "assert 'wrong' == 'right'" in out
    assert len(re.findall(r"Discord would refuse what the bot sent:\n.*POST ", out)) == 4


def test_nothing_without_the_option(tmp_path: Path) -> None:
    """Without the option the same requests pass; only the wrong assertion fails."""
    status, out = run(tmp_path, "-n0")
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 4 passed" in out
    assert "Discord would refuse" not in out


def test_a_missing_document_is_a_usage_error(tmp_path: Path) -> None:
    """A path without a file ends the run at once with one clear sentence."""
    status, out = run(tmp_path, "-n0", "--discord-openapi", str(tmp_path / "none.json"))
    assert status == pytest.ExitCode.USAGE_ERROR
    assert f"--discord-openapi: cannot read {tmp_path / 'none.json'}: No such file or directory" in out
    assert "Traceback" not in out
