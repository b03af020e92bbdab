"""Two processes of the bot on one database."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from bot.core.proofs import verify_chain
from bot.core.records import Link
from bot.core.schema import post
from tests.support.backend import House
from tests.support.soundness import require_whole

ROOT = Path(__file__).parents[2]
EACH = 300


async def roll(house: House, name: str) -> None:
    """Let another process roll."""
    url = house.database.engine.url.render_as_string(hide_password=False)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.rolls.roll_many", url, name, str(EACH)), cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    _, err = await process.communicate()
    assert process.returncode == 0, err.decode()


@pytest.mark.slow
async def test_two_processes_keep_one_chain(house: House) -> None:
    """Two processes that roll 300 times each into one campaign make 600 entries in one whole chain, each with its post."""
    await asyncio.gather(roll(house, "Kilo"), roll(house, "Lima"))
    entries = await house.entries()
    assert [entry.number for entry in entries] == list(range(1, 2 * EACH + 2))
    assert list(verify_chain(Link(house.campaign.uuid), entries)) == []
    rolled = [entry.content()["parts"][0]["subjects"]["patrol"] for entry in entries[1:]]
    assert rolled.count("Kilo") == rolled.count("Lima") == EACH
    assert await house.count(post) >= 2 * EACH
    await require_whole(house)
