"""Passing: from the list, or given like an order."""

from __future__ import annotations

from typing import Any

import pytest

from bot.core.profiles import Profile
from tests.cogs.captives.cells import find_pseudonym, save
from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import order, populate
from tests.support.acting import fill_in
from tests.support.reading import components, refused, response, said, text
from tests.support.world import World, nothing_written, send_raw

PICK = "order:1:pass"


def able(shown: Any) -> list[str]:  # noqa: ANN401 - a response
    """Who can pass, by the select of a list."""
    selects = [item for item in components(shown) if item.get("custom_id") == PICK]
    return [option["label"] for item in selects for option in item["options"]]


async def test_who_passes_is_picked_from_the_list(world: World) -> None:
    """Those with an order, or who have passed, aren't offered."""
    await populate(world)
    shown = response(await world.player.slash(world.orders, "order list"))
    assert sorted(able(shown)) == ["Amuro", "Kai", "White Base"]
    value = next(item for item in components(shown) if item.get("custom_id") == PICK)["options"][0]["value"]
    first = able(shown)[0]
    assert f"{first} does nothing more" in said(await world.player.select(shown, [value], custom_id=PICK))
    with nothing_written(world):
        assert "has already passed" in refused(await world.player.select(shown, [value], custom_id=PICK))
    await order(world, "Hide", "Kai", to="Valley")
    shown = response(await world.player.slash(world.orders, "order list"))
    assert f"Passed:** {first}" in text(shown)
    assert "Kai" not in able(shown)
    assert first not in able(shown)


async def test_the_list_offers_a_pass_only_where_it_can_be_given(world: World) -> None:
    """Not while players are locked out, nor without orders; a game master passes for players' characters."""
    await populate(world)
    assert able(response(await world.gm.slash(world.orders, "order list"))) == ["Amuro", "Kai"]
    assert able(response(await another_player(world).slash(world.orders, "order list"))) == []
    await send_raw(world.gm, world.orders, "board:1:lock:1:1")
    assert able(response(await world.player.slash(world.orders, "order list"))) == []
    assert able(response(await world.gm.slash(world.orders, "order list"))) == ["Amuro", "Kai"]
    await world.gm.slash(world.orders, "gm settings", books="infinity, -campaign")
    await send_raw(world.gm, world.orders, "board:1:lock:1:0")
    assert able(response(await world.player.slash(world.orders, "order list"))) == []


@pytest.mark.slow
async def test_of_many_the_list_offers_the_first(world: World) -> None:
    """Discord's select has 25; the option of the command takes any."""
    await populate(world)
    mine = await find_pseudonym(world.bots[0].database, world.player.id)
    await save(world.bots[0].database, *(Profile(f"Pilot {number}", "pc", owner=mine) for number in range(30)))
    shown = response(await world.player.slash(world.orders, "order list"))
    assert len(able(shown)) == 25
    assert "(the first 25 of 33)" in str([*components(shown)])
    assert "Pilot 29 does" in said(await order(world, "pass", "Pilot 29"))


async def test_a_forged_pick_passes_for_no_one_elses_character(world: World) -> None:
    """What isn't theirs reads as what isn't there."""
    await populate(world)
    await world.gm.slash(world.orders, "roster add", kind="pc", name="Shade", secret=True)
    other = another_player(world)
    with nothing_written(world):
        answers = [refused(await send_raw(other, world.orders, PICK, f"{name} #6")) for name in ("Shade", "Nobody")]
        assert answers[0].replace("Shade", "Nobody") == answers[1]
        refused(await send_raw(other, world.orders, PICK, "Kai #3"))
        refused(await send_raw(world.stranger, world.orders, PICK, "Kai #3"))
        refused(await send_raw(world.player, world.orders, PICK))
        assert "isn't on this server" in refused(await send_raw(world.player, world.orders, "order:9:pass", "Kai"))


async def test_a_pass_takes_nothing_but_who(world: World) -> None:
    """A note isn't lost: the refusal comes first. It's offered among the kinds."""
    await populate(world)
    with nothing_written(world):
        assert "only say who" in refused(await order(world, "Pass", "Kai", note="Rearming"))
    offered = await world.player.autocomplete(world.orders, "order give", "kind", "pa")
    assert offered[-1]["value"] == "Pass"


async def test_a_pass_that_a_game_master_enters_can_be_undone(world: World) -> None:
    """From its answer."""
    await populate(world)
    shown = response(await order(world, "Pass", "Kai", world.gm))
    await fill_in(world.gm, shown, {"reason": "Still thinking"}, label="Undo")
    assert "Passed" not in said(await world.player.slash(world.orders, "order list"))
