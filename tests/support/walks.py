"""What a walk enters: our functions and files, in the event loop and in the threads of the database."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import pytest

from bot.core import database
from tests.architecture.source import ROOT


@contextmanager
def walking() -> Iterator[set[tuple[str, CodeType]]]:
    """Collect the files and functions that are entered meanwhile; modules that are loaded count as well."""
    entered: set[tuple[str, CodeType]] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        root, _, path = frame.f_code.co_filename.partition(f"{ROOT}/")
        if event == "call" and not root and path.startswith(("bot/", "rules/")):
            entered.add((path, frame.f_code))

    def transact(*given: Any) -> Any:  # noqa: ANN401 - as the database has it
        with noting():
            return run(*given)

    @contextmanager
    def noting() -> Iterator[None]:
        sys.setprofile(note)
        try:
            yield
        finally:
            sys.setprofile(None)

    run = database._transact
    with pytest.MonkeyPatch.context() as patch, noting():
        patch.setattr(database, "_transact", transact)
        yield entered
