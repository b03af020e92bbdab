"""A window asks for what an order lacks."""

from __future__ import annotations

import simcord

from tests.cogs.war.front import E, begun
from tests.orders.ordering import order, populate
from tests.support.reading import said
from tests.support.world import World, nothing_written


def fields(result: simcord.InteractionResult) -> dict[str, str | None]:
    """Return the fields of the window with their values."""
    assert result.modal is not None
    boxes = [item["component"] for item in result.modal["components"] if "component" in item]
    return {box["custom_id"]: box.get("value") for box in boxes}


async def test_a_missing_target_is_asked_for(world: World) -> None:
    """What was typed is kept."""
    await populate(world)
    with nothing_written(world):
        asked = await order(world, "Scout a base", "Kai", note="At dawn")
        assert fields(asked) == {"who": "Kai", "to": None, "note": "At dawn"}
    given = await world.player.submit_modal(asked, {"who": "Kai", "to": "Fort Anvil", "note": "At dawn"})
    assert "Order given" in said(given)
    assert "At dawn" in said(given)


async def test_what_a_book_misses_is_asked_for(world: World) -> None:
    """A war's order, with its panel."""
    front = await begun(world)
    asked = await front.order(front.ann, "build", E, to="2,-3")
    assert fields(asked) == {"who": E, "to": "2,-3", "beside": None, "note": None}


async def test_a_window_keeps_as_much_of_a_text_as_fits_into_its_field(world: World) -> None:
    """Longer texts are cut."""
    front = await begun(world)
    asked = await front.order(front.ann, "build", E, **{"with": "Fort " * 700})
    kept = fields(asked)["beside"] or ""
    assert 0 < len(kept) < len("Fort " * 700)
