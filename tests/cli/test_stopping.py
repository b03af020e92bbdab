from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.core.config import SIGNALS, call_on_stop
from tests.bench.stub import TOKEN, Stub, serving

STOP = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""What a process on Windows needs to be sent the signal alone."""


class _WindowsLoop(asyncio.SelectorEventLoop):
    """A loop without signal handlers, as on Windows."""

    def add_signal_handler(self, sig: int, callback: Callable[..., object], *args: object) -> None:
        """Refuse it."""
        raise NotImplementedError


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@asynccontextmanager
async def _make_discord(words: str) -> AsyncIterator[str]:
    if words != "run":
        yield ""
        return
    async with serving(Stub()) as stub:
        yield stub.preface()


@pytest.mark.slow
@pytest.mark.parametrize(("words", "ready"), [("demo", "Stop with Ctrl-C"), ("run", " ready ")])
async def test_a_command_starts_and_stops(tmp_path: Path, words: str, ready: str) -> None:
    """`run` and `demo` end well on every system."""
    settings = {"DISCORD_TOKEN": TOKEN, "DATABASE_URL": f"sqlite:///{(tmp_path / 'adjutant.db').as_posix()}"}
    async with _make_discord(words) as preface:
        program = f"{preface}\nimport sys\nfrom bot.cli import main\nsys.exit(main([{words!r}]))"
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", program),
            env={**os.environ, **settings, "BACKUPS": "off", "LOG_FORMAT": "text"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            creationflags=GROUP,
        )
        said = ""
        assert process.stdout
        async for line in process.stdout:
            said += line.decode()
            if ready in said:
                break
        process.send_signal(STOP)
        rest, _ = await process.communicate()
        assert process.returncode == 0, said + rest.decode()


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("loop", [asyncio.SelectorEventLoop, _WindowsLoop])
def test_a_signal_calls_what_stops_the_process(loop: Callable[[], asyncio.AbstractEventLoop], number: int) -> None:
    """Also on a loop without handlers."""

    async def serve() -> str:
        stopped = asyncio.Event()
        call_on_stop(stopped.set)
        signal.raise_signal(number)
        await stopped.wait()
        return "stopped"

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(serve()) == "stopped"
