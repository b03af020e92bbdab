"""Weather by command."""

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
    """The next week's preview."""
    return response(await (actor or world.gm).slash(world.orders, "weather rollover"))


async def roll(world: World, *faces: int) -> simcord.InteractionResult:
    """Preview and roll the next week."""
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
    """An answer's private messages."""
    answers = [response(result), *result.followups]
    assert all(answer.ephemeral for answer in answers)
    return "\n".join(map(text, answers))


async def read_details(world: World, message: Any, actor: simcord.MemberActor | None = None) -> str:  # noqa: ANN401 - a message
    """What Details shows below a post."""
    return whole(await (actor or world.player).click(message, label="Details"))


async def without_weather(world: World) -> None:
    """Play a book without weather."""
    plain = replace(BOOKS["campaign"], id="plain", zones={}, conditions={})
    await world.restart({**BOOKS, "plain": plain})
    await world.gm.slash(world.orders, "gm settings", books="plain, -campaign")
