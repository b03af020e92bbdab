"""A backup on each day beside the running bot, made by a process of its own that gives way to it."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.core.backup_files import made_on
from bot.ui.text import shorten

FIRST = 60.0
"""Seconds after which the bot, which has work of its own when it starts, looks for the first time."""

EVERY = 3600.0
"""Seconds between two looks."""

LIMIT = 6 * 3600.0
"""Seconds after which one that is not ready is given up, so that another can be tried."""

LONGEST = 500
"""Characters that are logged of why there is none."""

ADJUTANT = (sys.executable, "-P", "-m", "bot")

log = logging.getLogger(__name__)


async def keep_up(folder: Path, kept: int) -> None:
    """Back the database up on each day (UTC), as long as this is not cancelled; what fails is tried again with the next look."""
    await asyncio.sleep(FIRST)
    while True:
        try:
            await back_up(folder, kept)
        except OSError as error:
            log.error("backup.failed", extra={"fault": str(error)})  # noqa: TRY400 - a traceback would tell nothing more
        await asyncio.sleep(EVERY)


async def back_up(folder: Path, kept: int, program: Sequence[str] = ADJUTANT, limit: float = LIMIT) -> bool:
    """Make the backup of today by a program, unless there is one; return whether one was made without a fault in so many seconds.

    Raises:
        OSError: no process can be started.

    """
    if await asyncio.to_thread(made_on, folder, datetime.now(UTC)):
        return False
    words = ("backup", "--gently", "--to", str(folder), "--keep", str(kept))
    pipe, both = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
    process = await asyncio.create_subprocess_exec(*program, *words, stdout=pipe, stderr=both)
    try:
        said = (await asyncio.wait_for(process.communicate(), limit))[0].decode(errors="replace").strip()
    except TimeoutError:
        log.error("backup.failed", extra={"fault": f"It was not ready after {limit:.0f} s."})  # noqa: TRY400 - a traceback would tell nothing more
        return False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        log.error("backup.failed", extra={"fault": shorten(said, LONGEST)})
    else:
        log.info("backup.made", extra={"file": said.partition("\n")[0]})
    return not process.returncode
