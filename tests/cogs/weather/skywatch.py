"""What people do with the weather, in few words."""

from __future__ import annotations

from typing import Any

import simcord
from msgspec.structs import replace

from tests.support.reading import press, response, said, text
from tests.support.world import BOOKS, World

FAIR = (20, 20, 20, 15, 10)
"""Faces that bring good weather to all five zones."""

ROUGH = (2, 3, 3, 1, 2)
"""Faces that bring Severe Storms to all zones, and to 17 regions on land that will have their Flood Watch."""

WATCHED = 17


async def preview(world: World, actor: simcord.MemberActor | None = None) -> Any:  # noqa: ANN401
    """The preview of the next week, as the game master sees it unless somebody else is named."""
    return response(await (actor or world.gm).slash(world.orders, "weather rollover"))


async def roll(world: World, *faces: int) -> simcord.InteractionResult:
    """Look at the preview of the next week and roll it; fails when it was not rolled."""
    shown = await preview(world)
    world.dice.script(*faces)
    result = await world.gm.click(shown, custom_id=press(shown, "roll"))
    assert "is rolled: entry #" in said(result), said(result)
    return result


async def put(world: World, zone: str, category: str, week: int | None = None) -> simcord.InteractionResult:
    """Set a zone's category by hand."""
    chosen: dict[str, Any] = {} if week is None else {"week": week}
    return await world.gm.slash(
        world.orders, "weather set", zone=zone, category=category, reason="as the page had it", **chosen
    )


def whole(result: simcord.InteractionResult) -> str:
    """All private messages of an answer, in words."""
    answers = [response(result), *result.followups]
    assert all(answer.ephemeral for answer in answers)
    return "\n".join(map(text, answers))


async def told_whole(world: World, message: Any, actor: simcord.MemberActor | None = None) -> str:  # noqa: ANN401 - a message
    """What Details tells below a post."""
    return whole(await (actor or world.player).click(message, label="Details"))


async def without_weather(world: World) -> None:
    """Let the campaign play by a book without weather."""
    plain = replace(BOOKS["campaign"], id="plain", zones={}, conditions={})
    await world.restart({**BOOKS, "plain": plain})
    await world.gm.slash(world.orders, "campaign edit", books="plain, -campaign")
