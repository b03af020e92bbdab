"""The next roll of the same family: the button under a receipt, and the window that asks for whom."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.reading import components, press, refused, response, text
from tests.support.world import World, nothing_written, send_raw


def labels(message: Any) -> list[str]:  # noqa: ANN401 - a message
    """What stands on the buttons of a message."""
    return [item["label"] for item in components(message) if item["type"] == 2]


@pytest.mark.slow
async def test_a_player_goes_on_with_their_own_roll_though_they_do_not_see_the_result(world: World) -> None:
    """What went to the staff is followed by whoever made it, and by no other player, nor by a stranger."""
    await world.gm.slash(world.orders, "campaign edit", players_may="scouting")
    world.dice.script(9)
    asked = {"scouter": "Jonas", "base": "Fort", "roll": "now"}
    receipt = response(await world.player.slash(world.orders, "scout", **asked))
    assert labels(receipt) == ["Next base"]
    window = await world.player.click(receipt, label="Next base")
    other = world.guild.add_member(world.env.create_user("other"), roles=[world.roles["player"]])
    key = press(receipt, "1:4")
    with nothing_written(world):
        for actor in (other, world.stranger):
            for modal in (False, True):
                assert "Jonas" not in refused(await send_raw(actor, world.orders, key, modal=modal))
                assert refused(await send_raw(actor, world.orders, "next:1:1", modal=modal))
    card = response(await world.player.submit_modal(window, {"next": "Luna"}))
    assert "Luna" in text(card)
