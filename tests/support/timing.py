"""How long something takes, beside something else that is measured here and now."""

from __future__ import annotations

import time
from collections.abc import Callable

from rules.loader import BOOKS, load_folder

SOON = 30
"""How much longer something may take than to load the campaign book: about a second and a half."""


def relative(work: Callable[[], object]) -> float:
    """How much longer some work takes than to load the campaign book, both measured here and now, best against best."""

    def seconds(what: Callable[[], object]) -> float:
        began = time.thread_time()
        what()
        return time.thread_time() - began

    pairs = [(seconds(work), seconds(lambda: load_folder(BOOKS / "campaign"))) for _ in range(2)]
    slow, quick = zip(*pairs, strict=True)
    ratio: float = min(slow) / min(quick)
    return ratio
