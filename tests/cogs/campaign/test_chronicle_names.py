"""The chronicle of a campaign calls members by their names."""

from __future__ import annotations

import io
import zipfile

from tests.support.reading import assert_says, response
from tests.support.world import World


async def test_entries_are_by_members_as_the_server_calls_them(world: World) -> None:
    """Whoever has left the server is a former member; no number stands there."""
    await world.gm.slash(world.orders, "unit add", name="Bob", kind="squad")
    world.dice.script(7)
    await world.player.slash(world.orders, "roll", expression="d20", roll="now")
    world.guild.remove_member(world.player)
    (file,) = response(await world.gm.slash(world.orders, "campaign export")).attachments
    page = zipfile.ZipFile(io.BytesIO(await file.read())).read("chronicle.html").decode()
    assert_says(page, " by gm", " by a former member")
    assert "by member" not in page
