"""Posts in a server of which no shard of this process has heard."""

from __future__ import annotations

import pytest

from tests.outbox.test_posts import allow, forbid, forget, newest_number, patrol, posts, sends, wait
from tests.support.reading import newest
from tests.support.world import World


@pytest.mark.slow
async def test_a_doubtful_post_in_another_shards_server_waits_too(world: World) -> None:
    """A process that no shard has told of the server looks for the post all the same, and does not take a hidden history for an empty one."""
    await patrol(world, 20)
    number = await newest_number(world)
    await forget(world, number)
    forbid(world, world.results, read_message_history=True)

    await world.restart()
    server = world.bots[-1].get_guild(world.guild.id)
    assert server is not None
    world.bots[-1]._connection._remove_guild(server)
    await wait(world, minutes=5)
    assert len(sends(world, world.results)) == 1
    assert "I can't read the message history" in str([item.fault for item in await posts(world, number)])

    allow(world, world.results)
    await wait(world, hours=1)
    assert len(sends(world, world.results)) == 1
    assert (await posts(world, number))[0].message_id == newest(world.results).id
