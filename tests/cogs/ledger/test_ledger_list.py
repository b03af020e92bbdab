"""`/ledger` without options: pick an entry and act on it."""

from __future__ import annotations

from typing import Any

import pytest
import simcord

from tests.support.acting import roll_command
from tests.support.reading import control, press, refused, response, text
from tests.support.world import World, send_raw


async def list_entries(world: World, actor: Any = None) -> simcord.ResponseMessage:  # noqa: ANN401 - a member
    """Return someone's list."""
    return response(await (actor or world.gm).slash(world.orders, "ledger"))


async def pick(world: World, actor: Any, number: int) -> simcord.InteractionResult:  # noqa: ANN401 - a member
    """Pick an entry; return the answer."""
    shown = await list_entries(world, actor)
    result: simcord.InteractionResult = await actor.select(shown, [str(number)], custom_id=press(shown, "1:show"))
    return result


async def test_nobody_picks_what_is_not_for_them(world: World) -> None:
    """A forged choice and a stranger are refused."""
    await roll_command(world, "patrol", 1, patrol="Kilo", target="Zaku", roll="now")
    assert "has no entry #3" in refused(await send_raw(world.player, world.orders, "ledger:1:show", "3"))
    assert "Only players of Iron Sea" in refused(await send_raw(world.stranger, world.orders, "ledger:1:show", "3"))
    assert "That button no longer works" in refused(await send_raw(world.gm, world.orders, "ledger:1:show", "x"))


async def test_an_entry_leads_to_its_post_and_to_what_took_it_back_in_words(world: World) -> None:
    """Players get links only to public messages."""
    world.dice.script(20, 20)
    for name, to in (("Kilo", "results"), ("Lima", "staff")):
        await world.gm.slash(world.orders, "patrol", patrol=name, target=f"Zaku {name}", roll="now", to=to)
    for number in (3, 4):
        window = await world.gm.slash(world.orders, "gm undo", entry=number)
        await world.gm.submit_modal(window, {"reason": "A slip"})
    public, private = world.results.history()[-2:], world.staff.history()[-2:]
    for number, (first, notice), channel in ((3, public, world.results), (4, private, world.staff)):
        told = text(response(await pick(world, world.gm, number)))
        back = f"[Undone by #{number + 2}]({notice.jump_url})"
        assert f"{back}\n[Posted]({first.jump_url}) in <#{channel.id}>" in told
        assert "Posted: http" not in told
    theirs = text(response(await pick(world, world.player, 3)))
    assert public[1].jump_url in theirs
    assert "Not posted to any channel." in text(response(await pick(world, world.gm, 1)))


@pytest.mark.slow
async def test_what_is_picked_from_reads_as_it_was_typed(world: World) -> None:
    """No sign of a name is lost or added."""
    await roll_command(world, "roll", 3, 4, 20, expression="2d20*2")
    await world.gm.slash(world.orders, "patrol", patrol="Kilo_1", target="Zaku|II", to="results", roll="now")
    first, second, *_ = [item["description"] for item in control(await list_entries(world), "1:show")["options"]]
    assert "Zaku|II caught by Kilo_1" in first
    assert "2d20*2" in second
    shown = control(response(await world.gm.slash(world.orders, "writeups")), "1:show")
    assert "Zaku|II caught by Kilo_1" in shown["options"][0]["description"]
    offered = await world.gm.autocomplete(world.orders, "writeups", "number", "kilo_1")
    assert "Zaku|II caught by Kilo_1" in str(offered)
