"""What game masters press under `/update show`, and what past updates show."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.errors import NotOpen
from bot.ui import reply
from tests.support.acting import close_update, confirmed, roll_command
from tests.support.reading import assert_lacks, assert_says, labels, newest, press, refused, response, said, text
from tests.support.world import World, nothing_written, send_raw


async def test_the_desk_offers_what_ends_an_update(world: World) -> None:
    """To game masters; a book without orders has only Close."""
    shown = response(await world.gm.slash(world.orders, "update show"))
    assert labels(shown)[-4:] == ["Resolve", "Board", "Digest", "Close Update 1"]
    assert "No orders to resolve" in refused(await world.gm.click(shown, label="Resolve"))
    assert "Board" in said(await world.gm.click(shown, label="Board"))
    assert "No orders yet" in text(newest(world.staff))
    assert "No order of this update is resolved" in refused(await world.gm.click(shown, label="Digest"))
    assert not {"Resolve", "Board", "Digest"} & {
        *labels(response(await world.player.slash(world.orders, "update show")))
    }
    await world.gm.slash(world.orders, "gm settings", books="infinity, -campaign")
    assert labels(response(await world.gm.slash(world.orders, "update show"))) == ["Close Update 1"]


async def test_the_desks_buttons_are_the_game_masters_and_of_that_update(world: World) -> None:
    """Others, elsewhere or too late, change nothing."""
    shown = response(await world.gm.slash(world.orders, "update show"))
    keys = [press(shown, deed) for deed in ("plan:1", "post:1", "digest:1")]
    with nothing_written(world):
        for key in keys:
            for actor in (world.player, world.stranger):
                assert "game masters" in refused(await send_raw(actor, world.orders, key)).casefold()
            assert "isn't on this server" in refused(await send_raw(world.gm, world.orders, key.replace(":1:", ":9:")))
    await close_update(world)
    with nothing_written(world):
        for key in keys:
            assert "Too late" in refused(await send_raw(world.gm, world.orders, key))
    assert not world.staff.history()


async def test_a_past_update_is_shown_by_its_number(world: World) -> None:
    """As the person may see it, also of an archived campaign by its name."""
    await roll_command(world, "patrol", 20, patrol="Kilo", target="Zaku", roll="now")
    await roll_command(world, "patrol", 20, patrol="Lima", target="Gouf", roll="now", to="staff")
    await close_update(world)
    assert "Update 2" in said(await world.player.slash(world.orders, "update show"))
    theirs = said(await world.player.slash(world.orders, "update show", update=1))
    assert_says(theirs, "Update 1", "1 Patrol", "Zaku")
    assert_lacks(theirs, "Gouf")
    await confirmed(world, "campaign archive", world.manager)
    lobby = world.guild.create_text_channel("lobby")
    assert "Gouf" in said(await world.gm.slash(lobby, "update show", update=1, campaign="Iron Sea"))
    shown = response(await world.gm.slash(lobby, "update show", campaign="Iron Sea"))
    assert "Update 2" in text(shown)
    assert labels(shown) == []
    assert "Only players of Iron Sea" in refused(await world.stranger.slash(world.orders, "update show", update=1))
    for number in (2, 999_999_999):
        answer = await world.gm.slash(lobby, "update show", update=number, campaign="Iron Sea")
        assert ("Update 2" if number == 2 else "hasn't begun") in said(answer)


async def test_an_id_that_no_button_has_is_refused_however_it_is_pressed(world: World) -> None:
    """As if the button had been pressed, so that nobody waits for an answer."""
    shown = response(await world.gm.slash(world.orders, "update show"))
    interaction: Any = SimpleNamespace(client=world.bots[-1])
    with pytest.raises(NotOpen, match="no longer works"):
        await reply.press(interaction, f"{press(shown, 'ask:1')}:x")
