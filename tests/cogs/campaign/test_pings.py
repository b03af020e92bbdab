"""Pings: of players by default, and never too revealing."""

from __future__ import annotations

import json
from typing import Any

import discord
import pytest
import simcord

from bot.core.campaigns import PINGS
from bot.core.profiles import Profile
from bot.outbox.queue import Pings, Post, embeds_of, encode_payload, mention_of
from tests.cogs.campaign.grouping import newest_entry
from tests.cogs.captives.cells import find_pseudonym, save
from tests.outbox.test_posts import forbid, sends
from tests.support.acting import moved, released, roll_command, take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_says, newest, said, text
from tests.support.world import START, World, entry

EVERY = [pings if pings in {"players", "staff"} else pytest.param(pings, marks=pytest.mark.slow) for pings in PINGS]
ON, OFF = ("players", "all"), ("nobody", "staff")
NOBODY: tuple[list[str], list[str]] = ([], [])
WORDS = ("Shadow", "Amuro", "Red", "Fort Anvil", "captive", "captured", "cracked", "dies", "killed", "escape", "freed")


async def choose(world: World, pings: str) -> None:
    """Choose who gets pings."""
    if pings != "players":
        await world.gm.slash(world.orders, "gm settings", pings=pings)


@prepared
async def save_owned(world: World, name: str = "Amuro", **more: Any) -> None:  # noqa: ANN401 - fields of a profile
    """Save a player's character and a base."""
    database = world.bots[0].database
    owner = await find_pseudonym(database, world.player.id)
    await save(database, Profile(name, "pc", owner=owner, **more), Profile("Fort Anvil", "base"))


async def take_captive(world: World, name: str = "Amuro") -> None:
    """Take a captive."""
    await world.gm.slash(world.orders, "capture", captive=name, by="Red", at="Fort Anvil")


async def roll(world: World, command: str, face: int, **options: Any) -> simcord.InteractionResult:  # noqa: ANN401
    """Roll for a character."""
    return await roll_command(world, command, face, **{"captive": "Amuro"} | options, roll="now")


def list_pings(world: World, channel: simcord.ChannelHandle) -> list[tuple[list[str], list[str]]]:
    """Who each message could ping."""
    found = []
    for message in sends(world, channel):
        allowed = message.get("allowed_mentions") or {}
        assert not allowed.get("parse"), message
        users, roles = allowed.get("users") or [], allowed.get("roles") or []
        users, roles = [str(number) for number in users], [str(number) for number in roles]
        mentions = [*(f"<@{number}>" for number in users), *(f"<@&{number}>" for number in roles)]
        assert (message.get("content") or "") == " ".join(mentions)
        found.append((users, roles))
    return found


def the_player(world: World) -> tuple[list[str], list[str]]:
    """A ping of the player."""
    return ([str(world.player.id)], [])


async def test_what_is_rolled_for_nobody_else_pings_nobody(world: World) -> None:
    """A private result pings no one."""
    await save_owned(world)
    await choose(world, "players")
    await take_captive(world)
    before = list_pings(world, world.results)
    await roll(world, "interrogate", 20, interrogators="Red", to="me")
    assert list_pings(world, world.results) == before


@pytest.mark.parametrize("pings", EVERY)
async def test_a_capture_pings_the_owner_and_tells_nothing(world: World, pings: str) -> None:
    """The ping names neither who nor what."""
    await save_owned(world)
    await choose(world, pings)
    await take_captive(world)
    assert list_pings(world, world.results) == ([the_player(world)] if pings in ON else [])
    assert list_pings(world, world.staff) == []
    if pings in ON:
        answer = text(newest(world.results))
        assert not [word for word in WORDS if word in answer]
        assert_says(answer, "About your characters", "Something happened to one of them", "/update show")
        assert "Entry #" not in answer


@pytest.mark.slow
async def test_a_move_pings_nobody_and_a_release_the_owner(world: World) -> None:
    """A release pings the owner, a move doesn't."""
    await save_owned(world)
    await take_captive(world)
    before = list_pings(world, world.results)
    await choose(world, "players")
    await moved(world.gm, world.orders, captive="Amuro", at="Luna")
    assert list_pings(world, world.results) == before
    await released(world.gm, world.orders, captive="Amuro")
    assert list_pings(world, world.results) == [*before, the_player(world)]


@pytest.mark.parametrize(("face", "fate"), [(1, "killed"), (20, "escaped")])
@pytest.mark.parametrize("pings", EVERY)
async def test_a_public_result_pings_the_owner(world: World, pings: str, face: int, fate: str) -> None:
    """The result itself pings; the staff channel doesn't."""
    await save_owned(world)
    await take_captive(world)
    before = list_pings(world, world.results)
    await choose(world, pings)
    await roll(world, "escape", face)
    assert [item["after"]["fate"] for item in entry(world)["changes"] if item["name"] == "fate"] == [fate]
    assert list_pings(world, world.results) == [*before, the_player(world) if pings in ON else NOBODY]
    assert "Amuro" in text(newest(world.results))
    assert list_pings(world, world.staff) == []


@pytest.mark.parametrize("pings", EVERY)
async def test_a_result_of_the_staff_pings_apart_from_it(world: World, pings: str) -> None:
    """Cracking pings apart from the staff's result."""
    await save_owned(world)
    await take_captive(world)
    before = list_pings(world, world.results)
    await choose(world, pings)
    await roll(world, "interrogate", 14, interrogators="Stahl")
    assert "effect.cracked" in {item["name"] for item in entry(world)["changes"]}
    assert list_pings(world, world.results) == [*before, *([the_player(world)] if pings in ON else [])]
    assert list_pings(world, world.staff) == [NOBODY]
    if pings in ON:
        assert not [word for word in WORDS if word in text(newest(world.results))]


@pytest.mark.slow
async def test_failed_attempts_ping_nobody(world: World) -> None:
    """Failed attempts ping no one."""
    await save_owned(world)
    await take_captive(world)
    before = list_pings(world, world.results)
    await choose(world, "all")
    await roll(world, "escape", 10)
    await roll(world, "interrogate", 12, interrogators="Stahl")
    assert list_pings(world, world.results) == [*before, NOBODY]


async def test_the_owner_of_a_secret_character_is_not_pinged(world: World) -> None:
    """A ping would reveal who plays one; the owner's desk says it."""
    await save_owned(world, "Shadow", secret=True)
    await take_captive(world, "Shadow")
    await choose(world, "all")
    await roll(world, "escape", 20, captive="Shadow")
    assert "Shadow" in text(newest(world.staff))
    assert list_pings(world, world.results) == []
    assert list_pings(world, world.staff) == [NOBODY]


@pytest.mark.slow
async def test_of_several_owners_each_is_pinged_once(world: World) -> None:
    """Each owner is pinged once."""
    rival = world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])
    database = world.bots[0].database
    await save_owned(world)
    owner, other = await find_pseudonym(database, world.player.id), await find_pseudonym(database, rival.id)
    await save(
        database, Profile("Kai", "pc", owner=owner), Profile("Hayato", "pc", owner=other), Profile("Bright", "npc")
    )
    for name in ("Amuro", "Kai", "Hayato", "Bright"):
        await take_captive(world, name)
    before = list_pings(world, world.results)
    await choose(world, "players")
    await roll_command(world, "escape", 20, 20, 20, 20, captive="Amuro, Kai, Hayato, Bright", roll="now")
    everybody = [str(number) for number in sorted((world.player.id, rival.id))]
    assert list_pings(world, world.results) == [*before, (everybody, [])]


@pytest.mark.parametrize("pings", EVERY)
async def test_an_ordered_escape_pings_nobody(world: World, pings: str) -> None:
    """An order is sealed, so no one is pinged."""
    await save_owned(world)
    await take_captive(world)
    await choose(world, pings)
    before = list_pings(world, world.results)
    await world.player.slash(world.orders, "escape", captive="Amuro")
    assert (list_pings(world, world.staff), list_pings(world, world.results)) == ([], before)


async def test_the_choice_is_shown_kept_and_entered(world: World) -> None:
    """The choice survives a restart; only game masters make it."""
    assert "**Pings:** players when they have to act" in said(await world.gm.slash(world.orders, "gm settings"))
    await choose(world, "nobody")
    await world.restart()
    assert "**Pings:** no one" in said(await world.gm.slash(world.orders, "gm settings"))
    assert entry(world)["edited"] == {"pings": {"before": "players", "after": "nobody"}}
    assert "Only game masters" in said(await world.player.slash(world.orders, "gm settings", pings="players"))


async def test_a_role_that_cannot_be_pinged_is_told(world: World) -> None:
    """Mention Everyone is missing."""
    forbid(world, world.staff, mention_everyone=True)
    answer = said(await world.gm.slash(world.orders, "gm settings", pings="staff"))
    role = world.roles["gm"].id
    assert_says(answer, f"I cannot ping <@&{role}>", f"give me Mention Everyone in <#{world.staff.id}>")
    assert "I cannot ping" not in said(await world.gm.slash(world.orders, "gm settings", pings="players"))


async def test_taking_back_a_capture_pings_again_and_tells_nothing_else(world: World) -> None:
    """An undo pings who the capture pinged."""
    await save_owned(world)
    await choose(world, "players")
    await take_captive(world)
    before = [text(message) for message in world.results.history()]
    await take_back(world, "gm undo", entry=newest_entry(world), reason="A slip")
    now = [text(message) for message in world.results.history()]
    assert (now[:-1], len(now)) == (before, len(before) + 1)
    assert newest(world.results).content == f"<@{world.player.id}>"
    assert "undone" in now[-1]
    assert "Amuro" not in now[-1]
    assert "undone" in text(newest(world.staff))


def test_posts_ping_as_they_were_queued_up_to_what_discord_takes() -> None:
    """Old payloads ping one person or none; of many, as many as fit."""
    embed = discord.Embed(title="A challenge")
    plain = json.dumps([embed.to_dict()])
    for kept, users in (
        (plain, []),
        (f'{{"embeds": {plain}, "ping": 7}}', [7]),
        (encode_payload([embed], Pings((7, 8))), [7, 8]),
        (encode_payload([embed], Pings(tuple(range(2**63, 2**63 + 100)), (2**63,))), [*range(2**63, 2**63 + 80)]),
    ):
        item = Post(
            1, 1, None, "pending", 1, 1, kept, "n", "queued", 0, unconfirmed=False, queued_at=START, due_at=START
        )
        allowed, content = (mention_of(item).get(name) for name in ("allowed_mentions", "content"))
        assert len(content or "") <= 2000
        assert ([user.id for user in allowed.users] if allowed else []) == users
        assert embeds_of(item)[0].title == "A challenge"
