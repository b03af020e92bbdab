"""What has changed hands in a turn, as a picture and in words."""

from __future__ import annotations

from tests.cogs.war.front import Front
from tests.support.reading import response, text


async def captured(front: Front) -> str:
    """What the map of captures says to a player."""
    shown = response(await front.ann.slash(front.world.orders, "war map", layer="captured"))
    assert [file.filename for file in shown.attachments] == ["war-map.png"]
    return text(shown)


async def test_the_map_of_captures_tells_what_changed_hands_since_the_update_began(front: Front) -> None:
    """What a fleet took in this update is told with whose it is by now."""
    await front.order(front.ann, "Move a force", "1st Fleet", to="1,-1")
    await front.resolve()
    told = await captured(front)
    assert "1,-1" in told
    assert "Earth Federation" in told
