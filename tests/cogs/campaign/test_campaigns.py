"""Campaigns: create, show, edit, link, archive."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest
import simcord
import sqlalchemy as sa

from bot.core.schema import campaign
from tests.rolls.test_told import thread_in
from tests.support.acting import confirmed
from tests.support.reading import assert_says, labels, press, refused, response, said, text
from tests.support.world import (
    World,
    create_campaign,
    entry,
    nothing_written,
    rows,
    running,
    send_raw,
    show_to,
    written,
)


@pytest.fixture
async def bare(database_url: str) -> AsyncIterator[World]:
    """A bot on a server without a campaign."""
    async with running(database_url, campaign=False) as made:
        yield made


async def create(
    world: World,
    /,
    actor: simcord.MemberActor | None = None,
    **options: Any,  # noqa: ANN401 - what an option takes
) -> simcord.InteractionResult:
    """Create a campaign."""
    usual = {"name": "Iron Sea", "results": world.results, "staff": world.staff, "game_master": world.roles["gm"]}
    return await (actor or world.manager).slash(world.orders, "campaign create", **usual | options)


def fresh(world: World) -> dict[str, Any]:
    """Channels that no campaign has."""
    made = len(world.guild.channels)
    return {name: world.guild.create_text_channel(f"{name}-{made}") for name in ("results", "staff")}


async def here(world: World, channel: simcord.ChannelHandle) -> str:
    """What `/update show` answers a game master here."""
    return said(await world.gm.slash(channel, "update show"))


async def test_everybody_plays_where_no_player_role_is_named(bare: World) -> None:
    """Without a player role, everyone may roll."""
    await create(bare)
    assert "everybody" in said(await bare.gm.slash(bare.results, "gm settings"))
    await bare.gm.slash(bare.results, "gm settings", players_may="scouting")
    assert said(await bare.stranger.slash(bare.results, "scout", scouter="J", base="F")).startswith("\n## Scouting")


async def test_channels_and_roles_need_manage_server(world: World) -> None:
    """A game master can't change them, and nothing is written."""
    cases: list[tuple[str, dict[str, str]]] = [
        ("campaign create", {}),
        ("campaign link", {"channel": "orders"}),
        ("campaign archive", {}),
        ("gm settings", {"results": "orders"}),
        ("gm settings", {"game_master": "player"}),
    ]
    show_to(world, "campaign", world.gm)
    for command, options in cases:
        given: dict[str, Any] = {key: world.roles.get(value) or getattr(world, value) for key, value in options.items()}
        with nothing_written(world):
            if command == "campaign create":
                result = await create(world, world.gm, name="Dune Sea")
            else:
                result = await world.gm.slash(world.orders, command, **given)
            assert "Manage Server" in refused(result)
    unlinking = await world.gm.slash(world.orders, "campaign link", channel=world.orders, unlink=True)
    assert "Manage Server" in refused(unlinking)
    number = world.orders.id
    for forged in (f"link:1:{number}:yes", f"link:1:{number}:back", "again:0-0-0-0:*:*:*:Mine"):
        assert "Manage Server" in refused(await send_raw(world.gm, world.orders, forged))


async def test_other_settings_are_the_game_masters(world: World) -> None:
    """Game masters and managers can, players can't."""
    await world.gm.slash(world.orders, "gm settings", name="Iron  Ocean", players_may="patrol, Scouting")
    assert entry(world)["edited"] == {
        "name": {"before": "Iron Sea", "after": "Iron Ocean"},
        "players_may": {"before": [], "after": ["patrol", "scouting"]},
    }
    await world.manager.slash(world.orders, "gm settings", timezone="UTC")
    with nothing_written(world):
        assert "Only game masters" in refused(
            await world.player.slash(world.orders, "gm settings", write_ups="threads on")
        )


async def test_bad_settings_are_refused(bare: World) -> None:
    """On creation and edit, with the nearest match."""
    cases: list[tuple[dict[str, Any], str]] = [
        ({"name": "  "}, "1 to 60 characters"),
        ({"name": "n" * 61}, "not 61"),
        ({"books": "campain"}, "Did you mean campaign?"),
        ({"books": " , "}, "You didn't pick a book"),
        ({"timezone": "Europe/Berln"}, "Did you mean Europe/Berlin?"),
        ({"timezone": "z" * 6000}, "Write it like Europe/Berlin"),
        ({"staff": bare.results}, "different channels"),
    ]
    for options, words in cases:
        assert words in refused(await create(bare, **options)).replace("\\", "")
    assert written(bare) == (0, 0, 0, 0)
    await create(bare)
    with nothing_written(bare):
        for options, words in cases:
            answer = refused(await bare.manager.slash(bare.results, "gm settings", **options))
            assert words in answer.replace("\\", "")


@pytest.mark.slow
async def test_a_campaign_names_its_books_and_what_waits_for_one(world: World) -> None:
    """Battles and challenges wait for a book that is off."""
    answer = said(await world.gm.slash(world.orders, "gm settings", books="infinity, battlesystem"))
    books = (
        "**Books:** Campaign rolls (campaign), Infinity CodeOne (infinity), BATTLESYSTEM random events (battlesystem)"
    )
    assert answer.endswith(f"Iron Sea is changed.\n{books}\n")
    for name in ("Ford", "Goblin *Gorge*"):
        await world.gm.slash(world.orders, "gm-events battle", action="start", name=name, sides="A, B")
    await confirmed(world, "gm-events battle", action="end", name="Ford")
    await world.player.slash(world.orders, "infinity versus", mine=9, opponent=world.gm)
    answer = said(await world.gm.slash(world.orders, "gm settings", books="-battlesystem"))
    gorge = "Goblin \\*Gorge\\* is paused until the book battlesystem is switched on again."
    assert answer.endswith(f"**Books:** Campaign rolls (campaign), Infinity CodeOne (infinity)\n{gorge}\n")
    assert "waits" not in said(await world.gm.slash(world.orders, "gm settings", timezone="UTC"))
    await world.gm.slash(world.orders, "gm settings", books="-infinity")
    one = "1 open challenge waits until infinity is switched on again. They can expire before that."
    for actor in (world.gm, world.player):
        assert f"(campaign)\n{gorge}\n{one}\n" in said(await actor.slash(world.orders, "gm settings"))
    assert "wait" not in said(await world.stranger.slash(world.orders, "gm settings"))
    await world.gm.slash(world.orders, "gm settings", books="infinity, battlesystem")
    assert "wait" not in said(await world.gm.slash(world.orders, "gm settings"))


async def test_books_are_completed_by_title_and_by_id(world: World) -> None:
    """A book that is on is removed with a minus."""
    for typed in ("codeone", "infin"):
        offered = await world.manager.autocomplete(world.orders, "campaign create", "books", typed)
        assert [(item["name"], item["value"]) for item in offered] == [("Infinity CodeOne (infinity)", "infinity")]
        offered = await world.gm.autocomplete(world.orders, "gm settings", "books", typed)
        assert [(item["name"], item["value"]) for item in offered] == [("Add Infinity CodeOne (infinity)", "infinity")]
    offered = await world.gm.autocomplete(world.orders, "gm settings", "books", "remove")
    assert [item["value"] for item in offered] == ["-campaign"]


async def test_books_are_added_and_taken_away_by_name(world: World) -> None:
    """The last book can't be removed."""
    for typed, left in (
        ("infinity", ["campaign", "infinity"]),
        ("+battlesystem, -campaign", ["infinity", "battlesystem"]),
        ("\N{MINUS SIGN}battlesystem, campaign", ["infinity", "campaign"]),
    ):
        await world.gm.slash(world.orders, "gm settings", books=typed)
        assert entry(world)["edited"]["books"]["after"] == left
    answer = refused(await world.gm.slash(world.orders, "gm settings", books="-infinity, -campaign"))
    assert "at least one book" in answer


async def test_archiving_asks_first_and_can_be_taken_back_at_once(world: World) -> None:
    """Nothing happens before the press; the answer can undo it."""
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku")
    asked = response(await world.manager.slash(world.orders, "campaign archive"))
    assert "1 open card waits." in text(asked)
    assert "(archived)" not in said(await world.gm.slash(world.orders, "gm settings"))
    await world.manager.click(asked, label="Archive")
    assert "Iron Sea is archived" in text(asked)
    await world.manager.click(asked, label="Restore")
    assert "(archived)" not in said(await world.gm.slash(world.orders, "gm settings"))
    forged = "archive:1:yes:1"
    assert "Manage Server" in refused(await send_raw(world.gm, world.orders, forged))


async def test_an_old_question_archives_nothing_anew(world: World) -> None:
    """Old buttons do nothing after archiving and restoring."""
    asked = [response(await world.manager.slash(world.orders, "campaign archive")) for _ in range(2)]
    await world.manager.click(asked[0], label="Archive")
    back = press(asked[0], "back")
    await world.manager.click(asked[0], custom_id=back)
    with nothing_written(world):
        for answer in (
            refused(await world.manager.click(asked[1], label="Archive")),
            refused(await send_raw(world.manager, world.orders, "archive:1:yes:2")),
        ):
            assert "was archived or restored since you looked (entry #3)" in answer
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        answer = refused(await send_raw(world.manager, world.orders, back))
        assert "was archived or restored since you looked (entry #4)" in answer


async def test_the_ledger_of_another_campaign_is_read_by_its_name(world: World) -> None:
    """Even archived, and only for people in it."""
    await confirmed(world, "campaign archive", world.manager)
    elsewhere = world.guild.create_text_channel("elsewhere")
    assert "Ledger of Iron Sea" in said(await world.gm.slash(elsewhere, "ledger", campaign="iron sea"))
    assert "Iron Sea" in said(await world.gm.slash(elsewhere, "ledger", entry=1, campaign="Iron Sea"))
    assert "Only players of Iron Sea" in refused(await world.stranger.slash(elsewhere, "ledger", campaign="Iron Sea"))


async def test_a_name_is_taken_once_on_a_server(world: World) -> None:
    """Case and spaces don't matter; renaming counts too."""
    names = ("Iron Sea", "IRON SEA", " iron   sea ")
    with nothing_written(world):
        for name in names:
            assert "already has a campaign called Iron Sea" in refused(await create(world, name=name))
    await create(world, name="Dune Sea", **fresh(world))
    for name in names:
        renamed = await world.manager.slash(world.orders, "gm settings", campaign="dune sea", name=name)
        assert "already has a campaign called Iron Sea" in refused(renamed)
    assert "IRON SEA is changed" in said(await world.gm.slash(world.orders, "gm settings", name="IRON SEA"))
    await world.gm.slash(world.orders, "gm settings", name="Salt Sea")
    assert "Iron Sea is created" in said(await create(world, **fresh(world)))


async def test_a_slip_in_a_name_is_told_with_the_nearest(world: World) -> None:
    """A campaign's name, and a roll that no book has."""
    answer = refused(await world.gm.slash(world.orders, "gm settings", campaign="Iron See"))
    assert "Did you mean Iron Sea?" in answer
    assert "Did you mean patrol?" in refused(await world.gm.slash(world.orders, "gm settings", players_may="patrl"))


async def test_missing_permissions_are_named(bare: World) -> None:
    """On creation and on edit."""
    closed = discord.PermissionOverwrite(send_messages=False, embed_links=False)
    dumb = bare.guild.create_text_channel("dumb", overwrites={bare.guild.default_role: closed})
    answer = said(await create(bare, results=dumb))
    assert f"I can't post in <#{dumb.id}>. Missing permissions: Send Messages, Embed Links." in answer
    answer = said(await bare.manager.slash(dumb, "gm settings", results=bare.results))
    assert "lack" not in answer
    answer = said(await bare.manager.slash(bare.results, "gm settings", results=dumb))
    assert f"I can't post in <#{dumb.id}>. Missing permissions: Send Messages, Embed Links." in answer


@pytest.mark.parametrize("setting", ["results", "staff"])
async def test_a_new_channel_is_bound_at_once(world: World, setting: str) -> None:
    """A new results or staff channel belongs to the campaign."""
    fresh = world.guild.create_text_channel("fresh")
    assert "isn't linked to a campaign" in refused(await world.gm.slash(fresh, "update show"))
    await world.manager.slash(world.orders, "gm settings", **{setting: fresh})
    assert "Update 1" in await here(world, fresh)


@pytest.mark.slow
async def test_the_nearest_binding_wins(bare: World) -> None:
    """Thread, then channel, then category."""
    category = bare.guild.create_category("games")
    inside = bare.guild.create_text_channel("inside", category=category)
    forum = bare.guild.create_forum_channel("stories")
    spare = [bare.guild.create_text_channel(name) for name in ("r2", "s2", "r3", "s3")]
    await create(bare, name="Outer", timezone="UTC")
    await create(bare, name="Middle", results=spare[0], staff=spare[1])
    await create(bare, name="Inner", results=spare[2], staff=spare[3])
    thread, post = thread_in(bare, inside), thread_in(bare, forum)

    async def campaign_of(channel: simcord.ChannelHandle) -> str | None:
        return response(await bare.gm.slash(channel, "gm settings")).embeds[0].title

    async def link(channel: simcord.ChannelHandle, name: str) -> None:
        await bare.manager.slash(bare.orders, "campaign link", channel=channel, campaign=name)

    assert await campaign_of(thread) == "Campaigns on this server"
    for channel, name in ((category, "Outer"), (inside, "Middle"), (thread, "Inner")):
        await link(channel, name)
        assert await campaign_of(thread) == name
    assert await campaign_of(inside) == "Middle"
    await link(forum, "Outer")
    assert await campaign_of(post) == "Outer"
    await link(post, "Inner")
    assert await campaign_of(post) == "Inner"


async def test_a_channel_of_several_campaigns_asks_which(world: World) -> None:
    """Until one campaign is unlinked."""
    await confirmed(world, "campaign archive", world.manager)
    await create_campaign(world, "Dune Sea")
    assert "Update 1" in await here(world, world.orders)
    reopen = sa.update(campaign).values(archived_at=None)
    await world.bots[-1].database.write(lambda tx: tx.execute(reopen))
    with nothing_written(world):
        answer = refused(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
        assert_says(answer, "several campaigns: Dune Sea and Iron Sea", "/campaign link unlink:True")
    named = {"channel": world.orders, "campaign": "Dune Sea"}
    unbound = await world.manager.slash(world.orders, "campaign link", **named, unlink=True)
    assert "no longer linked" in said(unbound)
    assert "Update 1" in await here(world, world.orders)


@pytest.mark.parametrize("command", ["create", "gm settings", "campaign link"])
async def test_a_channel_has_one_campaign(world: World, command: str) -> None:
    """Another campaign's channel is refused, with ways out."""
    if command == "create":
        answer = await create(world, name="Dune Sea")
    else:
        await create(world, name="Dune Sea", **fresh(world))
        options = {"results" if command == "gm settings" else "channel": world.results}
        answer = await world.manager.slash(world.orders, command, campaign="Dune Sea", **options)
    words = refused(answer)
    assert f"<#{world.results.id}> already belongs to Iron Sea" in words
    assert (
        "/campaign link unlink:True channel:… campaign:Iron Sea, or archive that game: /campaign archive campaign:Iron Sea"
        in words
    )
    assert str(world.results.id) not in str(rows(world, "select body from entry where campaign_id = 2"))


async def test_several_campaigns_are_asked_for_by_name(world: World) -> None:
    """With several campaigns, nothing is guessed."""
    await create(world, name="Dune Sea", **fresh(world))
    lobby = world.guild.create_text_channel("lobby")
    for unlink in (False, True):
        answer = refused(await world.manager.slash(world.orders, "campaign link", channel=lobby, unlink=unlink))
        assert_says(
            answer, "Several campaigns are here: Dune Sea, Iron Sea.", "Pick one, for example campaign:Dune Sea."
        )
    answer = said(await world.manager.slash(world.orders, "campaign link", channel=lobby, campaign="Dune Sea"))
    assert f"Dune Sea is now linked to <#{lobby.id}>" in answer


async def test_binding_twice_and_unbinding_twice_are_told(world: World) -> None:
    """The second time makes no entry."""
    with nothing_written(world):
        again = await world.manager.slash(world.orders, "campaign link", channel=world.orders)
        assert "already linked" in said(again)
    for words in ("no longer linked", "not linked"):
        named = {"channel": world.orders, "campaign": "Iron Sea", "unlink": True}
        assert words in said(await world.manager.slash(world.orders, "campaign link", **named))
    assert entry(world)["unbound"] == str(world.orders.id)
    assert len(rows(world, "select 1 from entry")) == 3
    assert "isn't linked to a campaign" in refused(await world.gm.slash(world.orders, "update show"))


async def test_an_archived_campaign_can_be_read_and_taken_back(world: World) -> None:
    """Its ledger stays readable, and nothing changes."""
    assert "is archived" in said(await confirmed(world, "campaign archive", world.manager))
    assert entry(world)["archived"] is True
    with nothing_written(world):
        assert "archived" in refused(await world.manager.slash(world.orders, "gm settings", name="New"))
        assert "archived" in refused(await world.gm.slash(world.orders, "gm close"))
        named = {"channel": world.orders, "campaign": "Iron Sea"}
        assert "archived" in refused(await world.manager.slash(world.orders, "campaign link", **named))
        again = response(await world.manager.slash(world.orders, "campaign archive"))
        assert labels(again) == ["Restore", "Delete"]
        assert "Campaign archived" in said(await world.gm.slash(world.orders, "ledger"))
        assert "Iron Sea (archived)" in said(await world.gm.slash(world.orders, "gm settings"))
    back = await world.manager.slash(world.orders, "campaign archive", restore=True)
    assert "is restored" in said(back)
    assert "already open" in refused(await world.manager.slash(world.orders, "campaign archive", restore=True))


async def test_a_channel_without_a_campaign_lists_them(world: World) -> None:
    """`/gm settings` lists them, with escaped names."""
    await create(world, name="*Dune*", **fresh(world))
    answer = said(await world.gm.slash(world.guild.create_text_channel("lobby"), "gm settings"))
    assert_says(answer, "\\*Dune\\*", "Iron Sea")
