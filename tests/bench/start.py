"""From process start to ready, and the memory held then: Adjutant beside a bare discord.py bot."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.bench.stub import TOKEN, Stub, serving

SETTLED = 0.5
NO_BYTE_CODE = "PYTHONDONTWRITEBYTECODE"
"""Where it is set, our modules would be compiled at every start, unlike those of an installed bot and of its libraries."""

LIMIT = 30.0
BARE = f"""
import discord
from discord.ext import commands
bot = commands.Bot(commands.when_mentioned, intents=discord.Intents(guilds=True), help_command=None)
@bot.tree.command()
async def ping(interaction: discord.Interaction):
    "Ping"
async def setup_hook():
    await bot.tree.sync()
bot.setup_hook = setup_hook
bot.run({TOKEN!r}, log_handler=None)
"""
ADJUTANT = """
from bot.cli import main
sys.exit(main(["run"]))
"""


@dataclass(frozen=True, slots=True)
class Started:
    """How long a process took to become ready, and its resident memory then."""

    seconds: float
    mib: float


async def start(program: str, database: Path) -> Started:
    """Start a program against a fake Discord and stop it once it is ready."""
    async with serving(Stub()) as stub:
        return await _measure(stub, stub.preface() + program, database)


async def _measure(stub: Stub, program: str, database: Path) -> Started:
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
        await asyncio.sleep(SETTLED)
        held = psutil.Process(process.pid).memory_info().rss / 2**20
    finally:
        process.terminate()
        await process.wait()
    return Started(ready - begun, held)
