"""The settings and links of a campaign, and the names that its commands had."""

from __future__ import annotations

from typing import Any

import pytest
import simcord
from discord import app_commands

from bot.ui.commands import MOVED
from tests.support.reading import assert_says, refused, response, said, text
from tests.support.world import World, entry, nothing_written, send_raw


@pytest.mark.parametrize("old", [old for old in MOVED if old.startswith("campaign ")])
async def test_an_old_name_answers_with_the_new_one(world: World, old: str) -> None:
    """An outdated client still offers it."""
    root, *inside, leaf = old.split()
    option: dict[str, Any] = {"type": 1, "name": leaf, "options": []}
    for name in inside:
        option = {"type": 2, "name": name, "options": [option]}
    (number,) = (item["id"] for item in world.env.backend.commands[None].values() if item["name"] == root)
    sent = {"id": number, "name": root, "type": 1, "options": [option]}
    with nothing_written(world):
        answer = refused(await world.player._dispatch_interaction(2, world.orders, sent))
    assert_says(answer, f"The command {old!r} has a new name", MOVED[old])
    simcord.assert_error(world.env, app_commands.CommandNotFound)
    world.env._errors.clear()
    assert MOVED[old].partition(":")[0] in {command.qualified_name for command in world.bots[-1].tree.walk_commands()}


async def test_this_campaign_is_shown_to_players_by_a_button(world: World) -> None:
    """As `/gm settings` shows it, which a server may hide from them."""
    shown = await send_raw(world.player, world.orders, "campaign:1:show")
    assert said(shown) == said(await world.player.slash(world.orders, "gm settings"))
    assert "Staff channel" not in said(shown)
    lobby = world.guild.create_text_channel("lobby")
    assert "Iron Sea" in said(await send_raw(world.player, lobby, "campaign:1:show"))
    assert "no longer works" in refused(await send_raw(world.player, world.orders, "campaign:1:secrets"))


async def test_a_link_is_undone_by_a_press(world: World) -> None:
    """And made again by another."""
    lobby = world.guild.create_text_channel("lobby")
    answer = response(await world.manager.slash(world.orders, "campaign link", channel=lobby))
    for label, words, field in (("Unlink", "no longer linked", "unbound"), ("Link again", "now linked", "bound")):
        await world.manager.click(answer, label=label)
        assert f"{words} to <#{lobby.id}>" in text(answer)
        assert entry(world)[field] == str(lobby.id)
    assert "Update 1" in said(await world.gm.slash(lobby, "update show"))
