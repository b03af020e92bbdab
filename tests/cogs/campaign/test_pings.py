"""Pings: nobody until the campaign chooses; then those whom something concerns, and in no message that tells too much."""

from __future__ import annotations

import json
from typing import Any

import discord
import pytest
import simcord

from bot.core.campaigns import PINGS
from bot.core.profiles import Profile
from bot.outbox.queue import Pings, embeds_of, encode_payload, mention_of
from bot.outbox.store import Post
from tests.cogs.campaign.grouping import newest_entry
from tests.cogs.captives.cells import known_as, save
from tests.outbox.test_posts import forbid, sends
from tests.support.acting import roll_command, take_back
from tests.support.prepared import prepared
from tests.support.reading import assert_says, newest, said, text
from tests.support.world import START, World, entry

EVERY = [pings if pings in {"players", "staff"} else pytest.param(pings, marks=pytest.mark.slow) for pings in PINGS]
ON, OFF = ("players", "all"), ("nobody", "staff")
NOBODY: tuple[list[str], list[str]] = ([], [])
WORDS = ("Shadow", "Amuro", "Red", "Fort Anvil", "captive", "captured", "cracked", "dies", "killed", "escape", "freed")


async def choose(world: World, pings: str) -> None:
    """Let the game master choose whom to ping, unless that is so already."""
    if pings != "nobody":
        await world.gm.slash(world.orders, "campaign edit", pings=pings)


@prepared
async def owned(world: World, name: str = "Amuro", **more: Any) -> None:  # noqa: ANN401 - fields of a profile
    """Save a character of the player's, and a base."""
    database = world.bots[0].database
    owner = await known_as(database, world.player.id)
    await save(database, Profile(name, "pc", owner=owner, **more), Profile("Fort Anvil", "base"))


async def held(world: World, name: str = "Amuro") -> None:
    """Take somebody captive."""
    await world.gm.slash(world.orders, "captive take", captive=name, by="Red", at="Fort Anvil")


async def roll(world: World, command: str, face: int, **options: Any) -> simcord.InteractionResult:  # noqa: ANN401
    """Roll for Amuro, or somebody else, at once."""
    return await roll_command(world, command, face, **{"captive": "Amuro"} | options, roll="now")


def pinged(world: World, channel: simcord.ChannelHandle) -> list[tuple[list[str], list[str]]]:
    """Whom each message sent to a channel was allowed to ping: people and roles; each stands in its text, and nobody else."""
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
    """A ping of the player alone."""
    return ([str(world.player.id)], [])


async def test_what_is_rolled_for_nobody_else_pings_nobody(world: World) -> None:
    """A private roll that concerns a player's character stays private: no news of it."""
    await owned(world)
    await choose(world, "players")
    await held(world)
    before = pinged(world, world.results)
    await roll(world, "interrogate", 20, interrogators="Red", to="me")
    assert pinged(world, world.results) == before


@pytest.mark.parametrize("pings", EVERY)
async def test_a_capture_pings_the_owner_and_tells_nothing(world: World, pings: str) -> None:
    """In the results channel, whatever was entered for the staff alone: neither who nor what, only where to look."""
    await owned(world)
    await choose(world, pings)
    await held(world)
    assert pinged(world, world.results) == ([the_player(world)] if pings in ON else [])
    assert pinged(world, world.staff) == []
    if pings in ON:
        told = text(newest(world.results))
        assert not [word for word in WORDS if word in told]
        assert_says(told, "About your characters", "Something happened to one of them", "/update show")
        assert "Entry #" not in told


@pytest.mark.slow
async def test_a_move_pings_nobody_and_a_release_the_owner(world: World) -> None:
    """A captive who is only moved is in no other case than before; one who is let go is free."""
    await owned(world)
    await held(world)
    await choose(world, "players")
    await world.gm.slash(world.orders, "captive move", captive="Amuro", at="Luna")
    assert pinged(world, world.results) == []
    await world.gm.slash(world.orders, "captive release", captive="Amuro")
    assert pinged(world, world.results) == [the_player(world)]


@pytest.mark.parametrize(("face", "fate"), [(1, "killed"), (20, "escaped")])
@pytest.mark.parametrize("pings", EVERY)
async def test_a_public_result_pings_the_owner(world: World, pings: str, face: int, fate: str) -> None:
    """Who reads of it in the results channel is pinged there by the result itself; the staff's channel stays quiet."""
    await owned(world)
    await held(world)
    await choose(world, pings)
    await roll(world, "escape", face)
    assert [item["after"]["fate"] for item in entry(world)["changes"] if item["name"] == "fate"] == [fate]
    assert pinged(world, world.results) == [the_player(world) if pings in ON else NOBODY]
    assert "Amuro" in text(newest(world.results))
    assert pinged(world, world.staff) == []


@pytest.mark.parametrize("pings", EVERY)
async def test_a_result_of_the_staff_pings_apart_from_it(world: World, pings: str) -> None:
    """Who has cracked is told to the staff, and pings nobody there; the results channel has neither the name nor the deed."""
    await owned(world)
    await held(world)
    await choose(world, pings)
    await roll(world, "interrogate", 14, interrogators="Stahl")
    assert "effect.cracked" in {item["name"] for item in entry(world)["changes"]}
    assert pinged(world, world.results) == ([the_player(world)] if pings in ON else [])
    assert pinged(world, world.staff) == [NOBODY]
    if pings in ON:
        assert not [word for word in WORDS if word in text(newest(world.results))]


@pytest.mark.slow
async def test_what_befalls_nobody_pings_nobody(world: World) -> None:
    """An escape that fails and an interrogation that comes to nothing are no news."""
    await owned(world)
    await held(world)
    await choose(world, "all")
    await roll(world, "escape", 10)
    await roll(world, "interrogate", 12, interrogators="Stahl")
    assert pinged(world, world.results) == [NOBODY]


async def test_a_secret_character_is_not_named(world: World) -> None:
    """Of who is secret the result goes to the staff, though the rules make it public: the ping stands apart from it."""
    await owned(world, "Shadow", secret=True)
    await held(world, "Shadow")
    await choose(world, "all")
    await roll(world, "escape", 20, captive="Shadow")
    assert "Shadow" in text(newest(world.staff))
    assert pinged(world, world.results) == [the_player(world)]
    assert not [word for word in WORDS if word in text(newest(world.results))]
    assert pinged(world, world.staff) == [NOBODY]


@pytest.mark.slow
async def test_of_several_owners_each_is_pinged_once(world: World) -> None:
    """Two captives of one player and one of another try together: both players stand in the text, once each."""
    rival = world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])
    database = world.bots[0].database
    await owned(world)
    owner, other = await known_as(database, world.player.id), await known_as(database, rival.id)
    await save(
        database, Profile("Kai", "pc", owner=owner), Profile("Hayato", "pc", owner=other), Profile("Bright", "npc")
    )
    for name in ("Amuro", "Kai", "Hayato", "Bright"):
        await held(world, name)
    await choose(world, "players")
    await roll_command(world, "escape", 20, 20, 20, 20, captive="Amuro, Kai, Hayato, Bright", roll="now")
    everybody = [str(number) for number in sorted((world.player.id, rival.id))]
    assert pinged(world, world.results) == [(everybody, [])]


@pytest.mark.parametrize("pings", EVERY)
async def test_an_ordered_escape_pings_nobody(world: World, pings: str) -> None:
    """An order is sealed: the staff finds it on its board and desk, and nothing is posted."""
    await owned(world)
    await held(world)
    await choose(world, pings)
    before = pinged(world, world.results)
    await world.player.slash(world.orders, "escape", captive="Amuro")
    assert (pinged(world, world.staff), pinged(world, world.results)) == ([], before)


async def test_the_choice_is_shown_kept_and_entered(world: World) -> None:
    """`/campaign show` and the ledger tell it; the choice outlives a restart; nobody but a game master makes it."""
    assert "**Pings:** no one" in said(await world.gm.slash(world.orders, "campaign show"))
    await choose(world, "players")
    await world.restart()
    assert "**Pings:** players who are challenged" in said(await world.gm.slash(world.orders, "campaign show"))
    assert entry(world)["edited"] == {"pings": {"before": "nobody", "after": "players"}}
    assert "Only game masters" in said(await world.player.slash(world.orders, "campaign edit", pings="nobody"))


async def test_a_role_that_cannot_be_pinged_is_told(world: World) -> None:
    """Discord pings a role that nobody may mention for those alone who may mention everyone: the choice says what is missing."""
    forbid(world, world.staff, mention_everyone=True)
    told = said(await world.gm.slash(world.orders, "campaign edit", pings="staff"))
    role = world.roles["gm"].id
    assert_says(told, f"I cannot ping <@&{role}>", f"give me Mention Everyone in <#{world.staff.id}>")
    assert "I cannot ping" not in said(await world.gm.slash(world.orders, "campaign edit", pings="players"))


async def test_taking_back_a_capture_pings_again_and_tells_nothing_else(world: World) -> None:
    """Whom the capture pinged hears that something was taken back; no public message names whom or what."""
    await owned(world)
    await choose(world, "players")
    await held(world)
    before = [text(message) for message in world.results.history()]
    await take_back(world, "void", entry=newest_entry(world), reason="A slip")
    now = [text(message) for message in world.results.history()]
    assert (now[:-1], len(now)) == (before, len(before) + 1)
    assert newest(world.results).content == f"<@{world.player.id}>"
    assert "undone" in now[-1]
    assert "Amuro" not in now[-1]
    assert "undone" in text(newest(world.staff))


def test_posts_of_older_versions_ping_as_they_were_queued() -> None:
    """A payload that names one person pings that one; one that names none, nobody; the embeds stay."""
    embed = discord.Embed(title="A challenge")
    plain = json.dumps([embed.to_dict()])
    for kept, users in (
        (plain, []),
        (f'{{"embeds": {plain}, "ping": 7}}', [7]),
        (encode_payload([embed], Pings((7, 8))), [7, 8]),
    ):
        item = Post(
            1, 1, None, "pending", 1, 1, kept, "n", "queued", 0, unconfirmed=False, queued_at=START, due_at=START
        )
        allowed = mention_of(item).get("allowed_mentions")
        assert ([user.id for user in allowed.users] if allowed else []) == users
        assert embeds_of(item)[0].title == "A challenge"
