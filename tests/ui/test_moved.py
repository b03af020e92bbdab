"""Commands that got another name, as an outdated client still sends them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.ui.commands import MOVED
from tests.support.reading import refused
from tests.support.world import World, nothing_written, show_every_command


@pytest.mark.parametrize("old", sorted(MOVED))
async def test_an_old_name_is_answered_with_the_new_one(world: World, old: str) -> None:
    """Nothing else happens; the new name is that of a command."""
    name, *path = old.split()
    options: list[dict[str, Any]] = []
    for place, word in enumerate(reversed(path)):
        options = [{"type": 2 if place else 1, "name": word, "options": options}]
    with nothing_written(world):
        sent = {"id": "1", "name": name, "type": 1, "options": options, "guild_id": str(world.guild.id)}
        answer = refused(await world.gm._dispatch_interaction(2, world.orders, sent))
    assert f"/{old} has a new name.\nUse /{MOVED[old]}." in answer.replace("\\", "")
    await show_every_command(world)
    words = [*world.bots[-1].tree.walk_commands()]
    assert any(f"{MOVED[old]} ".startswith(f"{command.qualified_name} ") for command in words)
