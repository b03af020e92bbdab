"""Commands that got another name."""

from __future__ import annotations

from typing import Any

from discord.app_commands import CommandNotFound

from bot.ui.commands import MOVED
from tests.support.reading import refused
from tests.support.world import World, nothing_written
from tests.transcripts.commands import names


async def use_old(world: World, name: str) -> Any:  # noqa: ANN401
    """The answer to a command that an outdated client still shows."""
    first, *rest = name.split()
    options: list[dict[str, Any]] = [{"type": 3, "name": "who", "value": "Kai"}]
    for kind, word in zip((1, 2), reversed(rest), strict=False):
        options = [{"type": kind, "name": word, "options": options}]
    return await world.gm._dispatch_interaction(
        2, world.orders, {"id": "1", "name": first, "type": 1, "options": options}
    )


async def test_an_old_name_answers_with_the_new_one(world: World) -> None:
    """Nothing is done, and the new name is one that can be typed."""
    known = set(names())
    with nothing_written(world):
        for old, new in MOVED.items():
            assert old not in known
            assert new in known, new
            told = refused(await use_old(world, old))
            assert f"/{old} has a new name" in told
            assert f"/{new}" in told
    assert all(isinstance(error, CommandNotFound) for error in world.env.errors)
    world.env._errors.clear()  # each was answered
