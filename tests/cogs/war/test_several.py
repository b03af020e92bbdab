"""Orders of which somebody may give several of a kind: each is one of its own, by its words."""

from __future__ import annotations

import simcord

from tests.cogs.war.front import E, Front
from tests.support.acting import fill_in
from tests.support.reading import assert_says, components, press, refused, response, text
from tests.support.world import nothing_written, written


async def listed(front: Front) -> str:
    """Ann's orders."""
    return text(response(await front.ann.slash(front.world.orders, "order list")))


async def change(front: Front, number: int, to: str) -> simcord.InteractionResult:
    """Change one of Ann's orders (its entry)."""
    shown = response(await front.ann.slash(front.world.orders, "order list"))
    (select,) = [item for item in components(shown) if item["type"] == 3]
    (value,) = [item["value"] for item in select["options"] if str(number) in item["value"]]
    picked = response(await front.ann.select(shown, [value], custom_id=select["custom_id"]))
    return await fill_in(front.ann, picked, {"to": to}, custom_id=press(picked, "change"))


async def test_an_order_is_not_changed_to_one_that_stands(front: Front) -> None:
    """Of two orders to strengthen garrisons, neither is lost when one is changed to the words of the other; nothing is written."""
    await front.order(front.ann, "garrison", E, to="1,-3")
    first = written(front.world)[0]
    await front.order(front.ann, "garrison", E, to="3,-3")
    for number, to, stands in ((first, "3,-3", first + 1), (first + 1, "1,-3", first)):
        with nothing_written(front.world):
            assert f"That order was already given: entry #{stands}" in refused(await change(front, number, to))
    shown = await listed(front)
    assert_says(shown, "1,-3", "3,-3")


async def test_an_order_is_changed_to_other_words_and_back(front: Front) -> None:
    """One order stands all the while, also of a faction that is called by its id."""
    await front.order(front.ann, "garrison", "E", to="1,-3")
    first = written(front.world)[0]
    await change(front, first, "3,-3")
    assert "1,-3" not in await listed(front)
    await change(front, first + 1, "1,-3")
    shown = await listed(front)
    assert "1,-3" in shown
    assert "3,-3" not in shown


async def test_no_more_orders_of_a_kind_than_anybody_needs(front: Front) -> None:
    """The thirty-first of one faction is refused in private, and nothing is written; one of the thirty can still be changed."""
    await front.world.gm.slash(front.world.orders, "war set", what="gold", to="E 1000000", reason="A test")
    for number in range(1, 31):
        assert "Order given" in text(
            response(await front.order(front.ann, "buy", E, to="3,-3", **{"with": f"gm {number}"}))
        )
    with nothing_written(front.world):
        refusal = refused(await front.order(front.ann, "buy", E, to="3,-3", **{"with": "gm 31"}))
        assert "Earth Federation can have 30 of these orders at most: Buy units." in refusal
    assert "Order given" in text(response(await front.order(front.ann, "buy", E, to="3,-3", **{"with": "gm 30"})))
    assert "Order given" in text(response(await front.order(front.ann, "garrison", E, to="1,-3", **{"with": "2"})))
