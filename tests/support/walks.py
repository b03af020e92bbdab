"""What a walk enters: our functions and files, in the event loop and in the threads of the database."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.architecture.source import ROOT
from tests.support.world import World


@contextmanager
def walking(world: World) -> Iterator[set[tuple[str, CodeType]]]:
    """Collect the files and functions that the bot of a world enters meanwhile; modules that are loaded count as well."""
    entered: set[tuple[str, CodeType]] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        root, _, path = frame.f_code.co_filename.partition(f"{ROOT}/")
        if event == "call" and not root and path.startswith(("bot/", "rules/")):
            entered.add((path, frame.f_code))

    @contextmanager
    def noting() -> Iterator[None]:
        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def noted(work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the work returns
        with noting():
            return work()

    connections: Any = world.bots[-1].database._connections
    run = connections.run
    with pytest.MonkeyPatch.context() as patch, noting():
        patch.setattr(connections, "run", lambda work: run(lambda: noted(work)))
        yield entered
