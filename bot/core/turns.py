"""Turns of processes that write to one SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock

PAUSE = 0.001
"""Seconds between two looks whether another process has finished writing."""

_OWNER_ONLY = 0o600


class Turn:
    """This process's turn to write to a SQLite file; it waits up to `seconds` for other processes of the bot.

    SQLite alone tries again less and less often, and one process that writes much can starve the others. The lock is on
    a file of its own: closing the database's file would end SQLite's own locks on it.
    """

    def __init__(self, file: Path, seconds: float) -> None:
        self._file = f"{file}-turn"
        self._seconds = seconds
        self._lock: BaseFileLock | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Hold the turn, or go on without it where it can't be had: SQLite's own locks are what keeps the data safe.

        It can't be had from a process that was suspended while it wrote, or on a file system without locks.
        """
        lock = self._lock = self._lock or self._made()
        if not _acquired(lock):
            yield
            return
        try:
            yield
        finally:
            lock.release()

    def _made(self) -> BaseFileLock:
        from filelock import FileLock  # noqa: PLC0415 - loads with the first write

        return FileLock(
            self._file,
            timeout=self._seconds,
            mode=_OWNER_ONLY,
            thread_local=False,
            poll_interval=PAUSE,
            fallback_to_soft=False,
        )


def _acquired(lock: BaseFileLock) -> bool:
    try:
        lock.acquire()
    except OSError:  # filelock's own Timeout among them
        return False
    return True
