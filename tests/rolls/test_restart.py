"""What was open before a restart of the bot works after it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.acting import more
from tests.support.reading import control, option, press, response, said, text, ticked
from tests.support.world import World, entry, entry_texts


async def card_after_restart(world: World) -> Any:  # noqa: ANN401
    """A card opened before a restart, and opened again through /cards after it."""
    options = {"patrol": "Kilo", "target": "Ghost:neutral, Zaku", "modifiers": "patrol.newtype"}
    await world.gm.slash(world.orders, "patrol", **options)
    await world.restart()
    listed = response(await world.gm.slash(world.orders, "cards"))
    select = control(listed, "0:open")
    return response(await world.gm.select(listed, [select["options"][0]["value"]], custom_id=select["custom_id"]))


async def test_every_control_works_after_a_restart(world: World) -> None:
    """A card reopened after a restart answers in its picker, selects, stance, audience, Counts, Adjust, Reset and Roll."""
    card = await card_after_restart(world)
    assert ticked(card, "patrol") == {"patrol.newtype"}
    await world.gm.select(card, ["1"], custom_id=press(card, "part"))
    assert "against **Zaku**" in text(card)
    await world.gm.select(card, ["patrol.newtype", "patrol.base"], custom_id=press(card, "tick:patrol:0"))
    assert ticked(card, "patrol") == {"patrol.newtype", "patrol.base"}
    await world.gm.select(card, ["friendly"], custom_id=press(card, "choice:stance"))
    assert "(friendly)" in text(card)
    await world.gm.click(card, custom_id=await more(world.gm, card, "reset"))
    assert ticked(card, "patrol") == {"patrol.newtype"}
    await world.gm.select(card, ["staff"], custom_id=await more(world.gm, card, "to"))
    assert option(card, "to", "staff")["default"]
    counts = await world.gm.click(card, custom_id=await more(world.gm, card, "counts"))
    await world.gm.submit_modal(counts, {"service.balloon": "2"})
    adjust = await world.gm.click(card, custom_id=press(card, "adjust"))
    await world.gm.submit_modal(adjust, {"value": "+1", "reason": "dusk"})
    world.dice.script(1, 1)
    assert "Rolled: entry #3" in said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert [part["steps"][0]["sum"] for part in entry(world)["parts"]] == [1, 0], "Zaku alone has balloons and dusk"


@pytest.mark.slow
async def test_modals_opened_before_a_restart_may_be_submitted_after_it(world: World) -> None:
    """Adjust, Counts and the reason for rolling again are taken by the new process."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku", roll="now")
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    adjust = await world.gm.click(card, custom_id=press(card, "adjust"))
    await world.restart()
    await world.gm.submit_modal(adjust, {"value": "+1", "reason": "dusk"})
    counts = await world.gm.click(card, custom_id=await more(world.gm, card, "counts"))
    await world.restart()
    await world.gm.submit_modal(counts, {"service.balloon": "3"})
    reason = await world.gm.click(card, custom_id=press(card, "roll"))
    await world.restart()
    world.dice.script(10)
    assert "Rolled: entry #4" in said(await world.gm.submit_modal(reason, {"reason": "the first was a slip"}))
    assert entry(world)["parts"][0]["steps"][0]["total"] == 8
    assert entry_texts(world, 4)["reason"] == "the first was a slip"
