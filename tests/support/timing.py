"""How long something takes, beside something else that is measured in the same process."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from rules.loader import BOOKS, load_folder

SOON = 30
"""How much longer something may take than to load the campaign book: about a second and a half."""

T = TypeVar("T")


def within(times: float, work: Callable[[], T]) -> T:
    """Claim that some work takes at most so many times as long as to load the campaign book; return what it gives.

    The book is loaded once in each process; where the work seems too slow, both are measured here and now: something else
    may have run meanwhile.
    """
    result, spent = _measured(work)
    if spent >= times * _usual():
        _, again = _measured(work)
        assert min(spent, again) < times * _loading()
    return result


@cache
def _usual() -> float:
    return _loading()


def _loading() -> float:
    return _measured(lambda: load_folder(BOOKS / "campaign"))[1]


def _measured(work: Callable[[], T]) -> tuple[T, float]:
    begun = time.thread_time()
    result = work()
    return result, time.thread_time() - begun
