"""Turns of processes that write to one SQLite file."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

if sys.platform != "win32":
    import fcntl

PAUSE = 0.001
"""Seconds between two looks whether another process has finished writing."""

_OWNER_ONLY = 0o600


@contextmanager
def turn_to_write(file: sa.URL, seconds: float) -> Iterator[None]:
    """Wait until no other process of the bot writes to a SQLite file, for at most so long.

    SQLite alone looks again more and more seldom, and finds it locked by whoever writes much. The lock is on a file of its
    own: closing the database's would end SQLite's own locks on it, which hold everybody else off.
    """
    if sys.platform == "win32" or "uri" in file.query:
        yield
        return
    turn = os.open(f"{file.database}-turn", os.O_CREAT | os.O_RDWR, _OWNER_ONLY)
    try:
        take_turn(turn, seconds)
        yield
    finally:
        os.close(turn)  # and lets go


def take_turn(turn: int, seconds: float) -> bool:
    """Lock an open file as soon as nobody else does, for at most so long; return whether it is locked.

    Whoever holds it for longer, such as a process that was suspended, holds nobody up: SQLite's own locks are what is safe.
    Nor does a file system that knows no such locks.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE)
        except OSError:
            return False
        else:
            return True
    return False
