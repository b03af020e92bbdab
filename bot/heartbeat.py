"""The heartbeat file that a container's health check reads."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

STALE_AFTER = 60.0


async def beat(file: Path) -> None:
    """Touch the file, in a thread."""
    await asyncio.to_thread(file.touch)


def alive(file: Path) -> bool:
    """Return whether the file was touched within the last minute."""
    try:
        return time.time() - file.stat().st_mtime < STALE_AFTER
    except OSError:
        return False
