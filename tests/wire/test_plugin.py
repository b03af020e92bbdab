"""The option of the test run: it fails the test that caused a bad request, and does nothing when it is not given."""

import json
import re
from pathlib import Path

import pytest

from tests.wire import sample

pytest_plugins = "pytester"

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


SET_UP = [
    *("-p", "tests.wire.plugin"),
    *("-p", "no:cacheprovider"),
    *("-p", "no:warnings"),
    *("-p", "no:hypothesispytest"),  # its import is half of what such a small suite takes
    *("-o", "asyncio_mode=auto"),
    *("-o", "asyncio_default_fixture_loop_scope=function"),
    "-rfE",
]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The suite above in a folder of its own."""
    monkeypatch.delenv("CI", raising=False)  # under CI pytest tells failures twice
    pytester.makepyfile(test_suite=SUITE)
    return pytester


def run(suite: pytest.Pytester, *options: str, apart: bool = False) -> tuple[int, str]:
    """Run the suite, apart in a process of its own; its exit status and what it printed."""
    done = (suite.runpytest_subprocess if apart else suite.runpytest_inprocess)(*SET_UP, *options)
    return int(done.ret), done.stdout.str() + done.stderr.str()


@pytest.mark.parametrize("worker", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_bad_requests_fail_their_tests(suite: pytest.Pytester, tmp_path: Path, *, worker: bool) -> None:
    """Through a worker too, each test with a bad request fails in the phase that made it, and the good one passes."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(sample.DOCUMENT))
    status, out = run(suite, f"-n{worker:d}", "--discord-openapi", str(file), apart=worker)
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


@pytest.mark.slow
def test_nothing_without_the_option(suite: pytest.Pytester) -> None:
    """Without the option the same requests pass; only the wrong assertion fails."""
    status, out = run(suite, "-n0", apart=True)  # a guard of this run would see what is asked in its own process
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "1 failed, 4 passed" in out
    assert "Discord would refuse" not in out


def test_a_missing_document_is_a_usage_error(suite: pytest.Pytester, tmp_path: Path) -> None:
    """A path without a file ends the run at once with one clear sentence."""
    status, out = run(suite, "-n0", "--discord-openapi", str(tmp_path / "none.json"))
    assert status == pytest.ExitCode.USAGE_ERROR
    assert f"--discord-openapi: cannot read {tmp_path / 'none.json'}: No such file or directory" in out
    assert "Traceback" not in out
