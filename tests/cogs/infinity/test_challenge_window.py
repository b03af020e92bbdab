"""A challenge's window: wrong answers are explained and can be corrected."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cogs.campaign.grouping import make_hidden_channel
from tests.cogs.infinity.test_challenge import SIDE, another_player, challenge, press, states
from tests.support.acting import save_group
from tests.support.reading import assert_says, components, labels, newest, refused, response, said, text
from tests.support.world import World, nothing_written, rows


@pytest.mark.slow
async def test_a_bad_answer_leaves_the_challenge_open(world: World) -> None:
    """The player reads why, nothing is written, and the button works."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    for fields, words in (
        ({"attribute": "foo"}, "isn't a valid attribute"),
        ({"attribute": "100"}, "'100' isn't a valid attribute.\nWrite a whole number from 0 to 99."),
        ({"attribute": "-4"}, "'-4' isn't a valid attribute.\nWrite a whole number from 0 to 99."),
        ({"mods": "-3 foo"}, "'foo'"),
        ({"burst": "11"}, "'11' isn't a valid burst.\nWrite a whole number from 1 to 10."),
        ({"burst": "x"}, "isn't a valid burst"),
        ({"name": "ANGUS"}, "both sides"),
        ({"name": "Angus, Bors"}, "2 names"),
    ):
        modal = await press(rival, message, "answer")
        with nothing_written(world):
            assert words in refused(await rival.submit_modal(modal, SIDE | fields))
        assert labels(newest(world.orders)) == ["Answer", "Withdraw"]
    world.dice.script(3, 4)
    await rival.submit_modal(await press(rival, message, "answer"), SIDE)
    assert states(world) == [("answered", 4)]


def read_fields(modal: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the values in a window's fields."""
    boxes = [item["component"] for item in modal.modal["components"]]
    return {
        box["custom_id"]: box.get("value") or [item["value"] for item in box.get("options", ()) if item.get("default")]
        for box in boxes
    }


async def test_what_is_refused_can_be_mended(world: World) -> None:
    """A short button opens the window with all that was typed, also after a restart."""
    rival = another_player(world)
    await challenge(world, rival)
    question = newest(world.orders)
    for fields in (
        {"attribute": "foo"},
        {"attribute": "100", "mods": "-3, +6", "burst": "2", "crits": ["off"], "name": "RX:78 100%"},
        {"attribute": "1:2", "mods": "\N{MINUS SIGN}3", "burst": "%3", "name": "%3A:"},
        {"burst": "11"},
        {"mods": "-3 foo" * 10, "name": "n" * 60},
        {"name": "ANGUS"},
    ):
        wrong: dict[str, Any] = SIDE | fields
        message = response(await rival.submit_modal(await press(rival, question, "answer"), wrong))
        assert message.ephemeral
        assert labels(message) == ["Try again"]
        (key,) = (item["custom_id"] for item in components(message) if item["type"] == 2)
        assert len(key) <= 100
        if wrong["name"] == "ANGUS":
            await world.restart()
        modal: Any = await rival.click(message, custom_id=key)
        assert modal.modal["title"] == "Against Angus"
        assert read_fields(modal) == wrong | {"mods": wrong["mods"] or []}
    world.dice.script(3, 4)
    await rival.submit_modal(modal, SIDE)
    assert states(world) == [("answered", 4)]
    assert labels(newest(world.orders)) == ["Details"]
    assert "answered: entry #4" in refused(await rival.click(message, custom_id=key))
    await challenge(world, rival)
    modal = await press(rival, newest(world.orders), "answer")
    assert read_fields(modal) == {"attribute": [], "mods": [], "burst": "1", "crits": ["on"], "name": "rival"}


async def test_what_could_not_be_used_is_not_kept_for_ever(world: World) -> None:
    """Once the challenge is over, no typed value is left."""
    rival = another_player(world)
    await challenge(world, rival)
    message = newest(world.orders)
    await rival.submit_modal(await press(rival, message, "answer"), SIDE | {"attribute": "foo"})
    assert read_fields(await press(rival, message, "answer"))["attribute"] == []
    ((seats,),) = rows(world, "select seats from pending")
    assert json.loads(seats)[0]["draft"]["attribute"] == "foo"
    await press(world.player, message, "withdraw")
    ((state, seats),) = rows(world, "select state, seats from pending")
    assert state == "withdrawn"
    assert "foo" not in seats


async def test_a_challenge_in_a_groups_channel_is_told_there(world: World) -> None:
    """Question and receipt show the outcome."""
    rival = world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])
    den = make_hidden_channel(world, "den", rival)
    await world.manager.slash(world.orders, "campaign link", channel=den, campaign="Iron Sea")
    await save_group(world, name="Watch", channel=den, role=world.roles["player"])
    await world.player.slash(den, "infinity versus", mine=13, burst=1, opponent=rival)
    question = newest(den)
    modal = await press(rival, question, "answer")
    world.dice.script(4, 5)
    told = said(await rival.submit_modal(modal, SIDE))
    assert_says(told, "Hac Tao wins", f"in <#{den.id}>")
    assert "Hac Tao wins" in text(den.history()[0])
    assert f"See the result](https://discord.com/channels/{world.guild.id}/{den.id}/" in text(den.history()[0])
