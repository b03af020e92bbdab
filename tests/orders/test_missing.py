"""What is missing in an order is asked for in a window that keeps what was typed."""

from __future__ import annotations

import simcord

from tests.cogs.war.front import E, begun
from tests.orders.ordering import order, populate
from tests.support.reading import said
from tests.support.world import World, nothing_written


def fields(result: simcord.InteractionResult) -> dict[str, str | None]:
    """The fields of the window that answers a command, with what stands in them."""
    assert result.modal is not None
    boxes = [item["component"] for item in result.modal["components"] if "component" in item]
    return {box["custom_id"]: box.get("value") for box in boxes}


async def test_a_missing_target_is_asked_for(world: World) -> None:
    """An order without its base opens a window with who was typed and the note; what is filled in gives the order."""
    await populate(world)
    with nothing_written(world):
        asked = await order(world, "Scout a base", "Kai", note="At dawn")
        assert fields(asked) == {"who": "Kai", "to": None, "note": "At dawn"}
    given = await world.player.submit_modal(asked, {"who": "Kai", "to": "Fort Anvil", "note": "At dawn"})
    assert "Order given" in said(given)
    assert "At dawn" in said(given)


async def test_what_a_book_misses_is_asked_for(world: World) -> None:
    """An order of a war without what the book needs besides opens the same window, with the panel that was typed."""
    front = await begun(world)
    asked = await front.order(front.ann, "build", E, to="2,-3")
    assert fields(asked) == {"who": E, "to": "2,-3", "beside": None, "note": None}


async def test_a_window_keeps_as_much_of_a_text_as_fits_into_its_field(world: World) -> None:
    """Whoever pastes far too much beside a target that is missing is asked for that target all the same."""
    front = await begun(world)
    asked = await front.order(front.ann, "build", E, **{"with": "Fort " * 700})
    kept = fields(asked)["beside"] or ""
    assert 0 < len(kept) < len("Fort " * 700)
