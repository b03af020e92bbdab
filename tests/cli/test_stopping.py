"""A running process is asked to stop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator

import pytest

from bot.stopping import SIGNALS, call_on_stop


class WindowsLoop(asyncio.SelectorEventLoop):
    """A loop that takes no handlers of signals, as those of Windows."""

    def add_signal_handler(self, sig: int, callback: Callable[..., object], *args: object) -> None:
        """Refuse it."""
        raise NotImplementedError


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("loop", [asyncio.SelectorEventLoop, WindowsLoop])
def test_a_signal_calls_what_stops_the_process(loop: Callable[[], asyncio.AbstractEventLoop], number: int) -> None:
    """Each signal that ends a process stops it in order, also on a loop without handlers of signals."""

    async def serve() -> str:
        stopped = asyncio.Event()
        call_on_stop(stopped.set)
        signal.raise_signal(number)
        await stopped.wait()
        return "stopped"

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(serve()) == "stopped"
