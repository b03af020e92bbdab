"""The card after `/campaign create`: what comes next as buttons, and what is missing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
import simcord

from tests.support.reading import assert_says, labels, refused, response, said, text
from tests.support.world import World, entry, nothing_written, rows, running, written


@pytest.fixture
async def bare(database_url: str) -> AsyncIterator[World]:
    """A running bot on a server without a campaign, whose manager is to lead one."""
    async with running(database_url, campaign=False) as made:
        made.manager = boss_of(made)
        yield made


def boss_of(world: World) -> simcord.MemberActor:
    """Somebody who manages the server and has the game-master role."""
    return world.guild.add_member(world.env.create_user("boss"), roles=[world.roles["manager"], world.roles["gm"]])


async def created(world: World, **options: Any) -> Any:  # noqa: ANN401 - what an option takes, and the card
    """Create a campaign in #orders and return its card."""
    usual = {"name": "Iron Sea", "results": world.results, "staff": world.staff, "game_master": world.roles["gm"]}
    return response(await world.manager.slash(world.orders, "campaign create", **usual | options))


async def test_this_channel_is_bound_by_a_press(bare: World) -> None:
    """After it commands there belong to the campaign; a second press changes nothing."""
    card = await created(bare)
    for _ in range(2):
        await bare.manager.click(card, label="Link this channel")
        assert "\N{WHITE HEAVY CHECK MARK} **Link this channel**" in text(card)
    assert entry(bare) == entry(bare) | {"bound": str(bare.orders.id)}
    assert rows(bare, "select count(*) from entry") == [(2,)]
    assert "Update 1" in said(await bare.manager.slash(bare.orders, "update show"))


async def test_the_first_week_is_set_in_a_window(bare: World) -> None:
    """A game under way says which week it is; the card stays, and weather begins there."""
    card = await created(bare)
    window = await bare.manager.click(card, label="Which week is it")
    sent = await bare.manager.submit_modal(window, {"week": "37", "zone": ["australia"], "category": "3"})
    assert "Done: entry #2" in text(sent.followups[-1])
    assert_says(text(card), "Next steps", "\N{WHITE HEAVY CHECK MARK} **Which week is it**: it is week 37")
    await bare.manager.click(card, label="Link this channel")
    assert "Weather of week 38" in said(await bare.manager.slash(bare.orders, "weather rollover"))
    window = await bare.manager.click(card, label="Which week is it")
    before = written(bare)
    told = refused(await bare.manager.submit_modal(window, {"week": "many", "zone": ["australia"], "category": "3"}))
    assert "isn't a valid week" in told.replace("\\", "")
    assert written(bare) == before


async def test_books_are_chosen_in_a_window(bare: World) -> None:
    """Those that are ticked are on, all others off; the same ones once more make no entry."""
    card = await created(bare)
    for _ in range(2):
        window = await bare.manager.click(card, label="Books")
        await bare.manager.submit_modal(window, {"books": ["infinity", "battlesystem"]})
        assert "it plays Infinity CodeOne (infinity), BATTLESYSTEM random events (battlesystem)" in text(card)
        assert labels(card).count("Which week is it") == 0
    assert set(entry(bare)["edited"]["books"]["after"]) == {"infinity", "battlesystem"}
    assert rows(bare, "select count(*) from entry") == [(2,)]


async def test_the_players_role_is_picked_in_a_window(bare: World) -> None:
    """A role lets in those who have it; none, everybody."""
    card = await created(bare)
    for picked, told, after in (
        ([bare.roles["player"]], "plays", str(bare.roles["player"].id)),
        ([], "everyone can play", ""),
    ):
        window = await bare.manager.click(card, label="Invite players' role")
        await bare.manager.submit_modal(window, {"players": picked})
        assert told in text(card)
        assert entry(bare)["edited"]["player_role_id"]["after"] == after


async def test_what_is_missing_is_told(world: World) -> None:
    """Whoever lacks the game-master role, and where the bot may not post, is told at once, and no more once it is mended."""
    closed = discord.PermissionOverwrite(send_messages=False)
    names = {
        name: world.guild.create_text_channel(name, overwrites={world.guild.default_role: closed}) for name in "rs"
    }
    card = await created(world, name="Dune Sea", results=names["r"], staff=names["s"])
    assert f"You don't have <@&{world.roles['gm'].id}>, the game-master role" in text(card)
    for channel in names.values():
        assert f"I can't post in <#{channel.id}>. Missing permissions: Send Messages, Embed Links." in text(card)
    assert f"Everyone can see <#{names['s'].id}>" in text(card)
    boss = boss_of(world)
    shown = response(await boss.slash(world.orders, "campaign show", campaign="Dune Sea"))
    assert "You do not hold" not in said(await boss.click(shown, label="Next steps"))


async def test_players_get_no_next_steps(world: World) -> None:
    """Neither the button under the settings nor, forged, the card or a window."""
    shown = response(await world.player.slash(world.orders, "campaign show"))
    assert labels(shown) == []
    lead: simcord.MemberActor = world.gm
    card = response(await lead.click(response(await lead.slash(world.orders, "campaign show")), label="Next steps"))
    with nothing_written(world):
        assert "Manage Server" in refused(await lead.click(card, label="Link this channel"))
