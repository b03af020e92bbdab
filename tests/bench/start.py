"""From process start to ready."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path

from tests.bench.stub import TOKEN, Stub, serving

NO_BYTE_CODE = "PYTHONDONTWRITEBYTECODE"
"""Where it is set, our modules would be compiled at every start, unlike those of an installed bot and of its libraries."""

LIMIT = 30.0
PLAIN = """
from tests.bench.plain_bot import main
main()
"""
ADJUTANT = """
from bot.cli import main
sys.exit(main(["run"]))
"""


async def start(program: str, database: Path) -> float:
    """Return the seconds until a program is ready that is started against a fake Discord."""
    async with serving(Stub()) as stub:
        return await _measure(stub, stub.preface() + program, database)


async def _measure(stub: Stub, program: str, database: Path) -> float:
    env = {
        **{name: value for name, value in os.environ.items() if name != NO_BYTE_CODE},
        "DISCORD_TOKEN": TOKEN,
        "DATABASE_URL": f"sqlite:///{database}",
        "LOG_FORMAT": "json",
    }
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env=env, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        ready = await asyncio.wait_for(stub.ready, LIMIT)
    finally:
        process.terminate()
        await process.wait()
    return ready - begun
