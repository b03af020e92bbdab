"""Unknown stances of targets are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import save
from tests.orders.ordering import order
from tests.orders.test_board import posted
from tests.orders.test_resolving import rolls
from tests.support.prepared import prepared
from tests.support.reading import components, press, refused, response, said, text
from tests.support.world import World

MOVE, PATROL = "Move through a sector", "Patrol or blockade a sector"
STRANGERS = ("Ghost", "Owl", "Rook", "Sable", "Teal", "Umber")


@prepared
async def patrolled(world: World) -> None:
    """Alfa patrols where Zaku and Ghost, of unknown side, move."""
    await save(world.bots[0].database, Profile("Alfa", "squad", side="EF"), Profile("Zaku", "squad", side="Zeon"))
    await save(world.bots[0].database, *(Profile(name, "squad") for name in STRANGERS))
    await posted(world)
    await order(world, PATROL, "Alfa", world.gm, to="Valley")
    await order(world, MOVE, "Zaku", world.gm, to="Valley")
    await order(world, MOVE, "Ghost", world.gm, to="Valley")


def met(world: World) -> dict[str, Any]:
    """Return the patrols' parts by target."""
    rolled = (body for body in rolls(world, 0) if body["family"] == "patrol")
    return {part["subjects"]["target"]: part for body in rolled for part in body["parts"]}


async def test_the_plan_shows_the_stance_of_each_target(world: World) -> None:
    """Another side is hostile, others unknown."""
    await patrolled(world)
    plan = said(await world.gm.slash(world.orders, "gm resolve"))
    assert "Stance of the target is missing: Ghost. I'll ask you." in plan
    await world.gm.slash(world.orders, "roster edit", name="Ghost", side="Zeon")
    plan = said(await world.gm.slash(world.orders, "gm resolve"))
    assert "**Alfa** against **Zaku** (hostile)" in plan
    assert "not known" not in plan


async def test_a_stance_that_is_not_known_is_asked_for_and_rolled_by(world: World) -> None:
    """Table 2 follows for a neutral one."""
    await patrolled(world)
    plan = response(await world.gm.slash(world.orders, "gm resolve"))
    resolved = response(await world.gm.click(plan, custom_id=press(plan, "resolve")))
    assert "Stance of the target is missing: Ghost" in text(resolved)
    assert met(world) == {}
    window = await world.gm.click(resolved, custom_id=press(resolved, "reason"))
    world.dice.script(20, 10)
    await world.gm.submit_modal(window, {"choice0": ["neutral"]})
    parts = met(world)
    assert {target: part["choices"]["stance"] for target, part in parts.items()} == {
        "Zaku": "hostile",
        "Ghost": "neutral",
    }
    assert len(parts["Ghost"]["steps"]) == 2


async def test_a_card_of_orders_rolls_once_each_stance_is_picked(world: World) -> None:
    """None is picked beforehand."""
    await patrolled(world)
    plan = response(await world.gm.slash(world.orders, "gm resolve"))
    select = next(item for item in components(plan) if item["type"] == 3)
    shown = await world.gm.select(plan, [select["options"][0]["value"]], custom_id=select["custom_id"])
    card = response(shown)
    assert "Pick it on the card" in refused(await world.gm.click(card, custom_id=press(card, "roll")))
    assert met(world) == {}
    assert "**Alfa** against **Ghost** (Stance of the target: pick it)" in text(card)
    await world.gm.select(card, ["friendly"], custom_id=press(card, "choice"))
    world.dice.script(2, 2)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert {target: part["choices"]["stance"] for target, part in met(world).items()} == {
        "Ghost": "friendly",
        "Zaku": "hostile",
    }


@pytest.mark.slow
async def test_the_last_select_is_for_all_others(world: World) -> None:
    """A window has five fields."""
    await patrolled(world)
    for name in STRANGERS[1:]:
        await order(world, MOVE, name, world.gm, to="Valley")
    plan = response(await world.gm.slash(world.orders, "gm resolve"))
    resolved = response(await world.gm.click(plan, custom_id=press(plan, "resolve")))
    window = await world.gm.click(resolved, custom_id=press(resolved, "reason"))
    world.dice.script(*[2] * 7)
    stances = ["neutral", "neutral", "neutral", "neutral", "friendly"]
    await world.gm.submit_modal(window, {f"choice{place}": [stance] for place, stance in enumerate(stances)})
    found = sorted(part["choices"]["stance"] for part in met(world).values())
    assert found == ["friendly", "friendly", "hostile", *["neutral"] * 4]
