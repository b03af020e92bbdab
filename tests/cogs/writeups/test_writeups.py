"""`/writeups`: list, claim, finish."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from bot.actions import Done
from bot.app import KINDS
from bot.cogs.writeups import queries
from bot.cogs.writeups.actions import Claim, Finish
from bot.cogs.writeups.queries import CLAIMED, DONE, OPEN, Writeup, fit_page
from bot.core import audit
from bot.core.errors import BadInput, NotAllowed, NotAsItIs
from bot.core.permissions import Person
from tests.cogs.captives.cells import interrogation, sound, take
from tests.support.acting import confirmed, roll_command, use_writeup
from tests.support.backend import GM, PLAYER, STRANGER, House, scouting
from tests.support.reading import assert_says, components, newest, refused, response, said
from tests.support.world import World, entry_texts, nothing_written, rows, send_raw

EVERY = (OPEN, CLAIMED, DONE)
LINK = "https://discord.com/channels/1/2/3"


async def roll_catch(world: World, target: str = "Zaku column") -> None:
    """A patrol with a battle."""
    await roll_command(world, "patrol", 20, patrol="Kilo", target=target, note="again", roll="now")


async def roll_attack(world: World) -> None:
    """A scouting with a staff battle."""
    await roll_command(world, "scout", 4, scouter="Jonas", base="Fort Anvil", roll="now")


async def read_list(world: World, actor: Any = None, **more: str) -> str:  # noqa: ANN401 - a member
    """What `/writeups` says."""
    return said(await (actor or world.gm).slash(world.orders, "writeups", **more))


async def use_command(world: World, actor: Any, deed: str, number: str, **more: str) -> Any:  # noqa: ANN401 - a member
    """Claim or finish a write-up."""
    return await use_writeup(actor, world.orders, deed, number, **more)


async def numbers(house: House, who: Any = GM, wanted: Any = EVERY) -> list[tuple[str, str]]:  # noqa: ANN401
    """Listed write-ups, as number and state."""
    listed = await house.database.read(queries.list_page, who, house.campaign, wanted)
    return [(item.number, item.state) for item in listed]


async def claim(house: House, number: str, who: Person = GM) -> Done:
    """Claim a write-up."""
    return await house.act(Claim(number=number), who)


@pytest.mark.slow
async def test_a_forgotten_link_is_added(world: World) -> None:
    """By its author, once."""
    await roll_catch(world)
    await use_command(world, world.player, "done", "3")
    assert "is already done" in refused(await use_command(world, world.player, "done", "3"))
    other = world.guild.add_member(world.env.create_user("player2"), roles=[world.roles["player"]])
    assert "is already done" in refused(await use_command(world, other, "done", "3", link=LINK))
    assert f"done by <@{world.player.id}>" in said(await use_command(world, world.player, "done", "3", link=LINK))
    answer = await read_list(world, state="done")
    assert_says(answer, f"<{LINK}>", f"done by <@{world.player.id}>")
    assert "is already done (entry #5)" in refused(await use_command(world, world.player, "done", "3", link=LINK))
    assert [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]


async def test_it_is_an_entry_with_pseudonyms_and_the_link_beside_it(world: World) -> None:
    """The link can be erased."""
    await roll_catch(world)
    await use_command(world, world.player, "claim", "3")
    await use_command(world, world.player, "done", "3", link=LINK)
    for (body,) in rows(world, "select body from entry where kind = 'writeup'"):
        assert str(world.player.id) not in body
        assert "discord.com" not in body
    assert entry_texts(world, 5) == {"link": LINK}
    ledger = await world.gm.slash(world.orders, "ledger")
    assert_says(said(ledger), "Write-up #3 claimed", "Write-up #3 done")
    shown = said(await world.gm.slash(world.orders, "ledger", entry=5))
    assert f"<{LINK}>" in shown
    assert "no entry #5 that you can see" in refused(await world.player.slash(world.orders, "ledger", entry=5))
    assert [item.faults for item in await audit.check_ledgers(world.bots[-1].database, KINDS)] == [()]


async def test_what_only_the_staff_knows_does_not_leak(world: World) -> None:
    """Until it's published."""
    await roll_attack(world)
    assert "Jonas failed to scout Fort Anvil" in await read_list(world)
    assert "No write-ups that you can see" in await read_list(world, world.player, state="all")
    with nothing_written(world):
        for deed in ("claim", "done"):
            assert "I can't find a write-up 3 for you" in refused(await use_command(world, world.player, deed, "3"))
            assert "I can't find a write-up 99 for you" in refused(await use_command(world, world.player, deed, "99"))
            assert await world.player.autocomplete(world.orders, "writeups", "number", "") == []

    await send_raw(world.gm, world.staff, "publish:1:3:now")
    answer = await read_list(world, world.player)
    assert "Jonas failed to scout Fort Anvil" in answer
    assert str(newest(world.results).id) in answer
    assert str(world.staff.id) not in answer


async def test_of_a_partly_public_roll_players_know_the_public_parts(house: House) -> None:
    """By part numbers."""
    await house.patrol("Ghost", "Zaku", faces=(1, 20))
    assert await numbers(house, PLAYER) == await numbers(house) == [("2.2", OPEN)]
    await house.roll(scouting("Anvil", "Owl", "Kai"), 4, 4)
    assert await numbers(house) == [("3.2", OPEN), ("3.1", OPEN), ("2.2", OPEN)]
    assert await numbers(house, PLAYER) == [("2.2", OPEN)]
    await house.roll(scouting("Basalt", "Owl", to="me"), 4)
    assert await numbers(house) == [("4", OPEN), ("3.2", OPEN), ("3.1", OPEN), ("2.2", OPEN)]
    with pytest.raises(NotAllowed):
        await numbers(house, STRANGER)


async def test_a_number_names_one_write_up(house: House) -> None:
    """Parts are named if there are several."""
    await house.roll(scouting("Anvil", "Owl", "Kai"), 4, 4)
    with pytest.raises(BadInput, match=r"has 2 write-ups, 2\.1 to 2\.2"):
        await claim(house, "2")
    await claim(house, " 2.2 ")
    await house.patrol("Ghost", "Zaku", faces=(1, 20))
    await claim(house, "#4")
    assert await numbers(house) == [("4.2", CLAIMED), ("2.2", CLAIMED), ("2.1", OPEN)]
    assert await sound(house)


async def test_only_what_calls_for_it_is_to_be_written(house: House) -> None:
    """A death is, cracking isn't."""
    await take(house, "Amuro", "Kai")
    await house.roll(interrogation("Amuro"), 14)
    assert await numbers(house) == []
    await house.roll(interrogation("Kai"), 17)
    assert await numbers(house) == [("5", OPEN)]


async def test_what_somebody_has_claimed_is_theirs_or_a_game_masters(world: World) -> None:
    """Claiming twice isn't needed."""
    other = world.guild.add_member(world.env.create_user("other"), roles=[world.roles["player"]])
    await roll_catch(world)
    await use_command(world, world.player, "claim", "3")
    with nothing_written(world):
        for deed in ("claim", "done"):
            answer = refused(await use_command(world, other, deed, "3"))
            assert "Another player is writing write-up #3" in answer
            assert str(world.player.id) not in answer
        assert "is already yours" in refused(await use_command(world, world.player, "claim", "3"))

    assert f"claimed by <@{world.gm.id}>" in said(await use_command(world, world.gm, "claim", "3"))
    assert "Another player" in refused(await use_command(world, world.player, "done", "3"))
    assert f"done by <@{world.gm.id}>" in said(await use_command(world, world.gm2, "done", "3"))
    for deed in ("claim", "done"):
        assert "is already done (entry #6)" in refused(await use_command(world, world.gm, deed, "3"))


async def test_what_nobody_claimed_can_be_done_at_once(house: House) -> None:
    """The finisher is its author."""
    await house.patrol("Zaku", faces=(20,))
    await house.act(Finish(number="2"), PLAYER)
    writeup = await house.database.read(queries.find_writeup, PLAYER, house.campaign, "2")
    assert (writeup.by, writeup.link) == (PLAYER.user_id, None)
    assert (await house.entries())[-1].texts == {}
    assert await sound(house)


async def test_two_claims_at_once_are_one(house: House) -> None:
    """One entry says so."""
    await house.patrol("Zaku", faces=(20,))
    other = replace(PLAYER, user_id=PLAYER.user_id + 100)
    claims = (claim(house, "2", who) for who in (PLAYER, other))
    first, second = await asyncio.gather(*claims, return_exceptions=True)
    assert {type(first), type(second)} == {Done, NotAsItIs}
    assert await numbers(house) == [("2", CLAIMED)]
    assert [item.kind for item in await house.entries()].count("writeup") == 1
    assert await sound(house)


async def test_bad_input_is_refused(world: World) -> None:
    """Privately, and nothing is written."""
    cases: list[tuple[str, dict[str, str], list[str]]] = [
        ("claim", {"number": "three"}, ["'three' isn't the number of a write-up", "12.2"]),
        ("claim", {"number": "3."}, ["isn't the number"]),
        ("claim", {"number": "٣"}, ["isn't the number"]),
        ("claim", {"number": "9" * 6000}, ["isn't the number"]),
        ("claim", {"number": "3.2"}, ["I can't find a write-up 3.2 for you"]),
        ("claim", {"number": "3.0"}, ["I can't find a write-up 3.0 for you"]),
        ("claim", {"number": "2"}, ["I can't find a write-up 2 for you"]),
        ("done", {"number": "3", "link": "the tale"}, ["That isn't a link", "https://"]),
        ("done", {"number": "3", "link": "javascript:alert(1)"}, ["That isn't a link"]),
        ("done", {"number": "3", "link": "https://x.example/> @everyone"}, ["That isn't a link"]),
    ]
    await roll_catch(world)
    for deed, options, words in cases:
        with nothing_written(world):
            answer = refused(await use_writeup(world.gm, world.orders, deed, **options)).replace("\\", "")
            assert [word for word in words if word not in answer] == []
    with pytest.raises(BadInput, match="at most 200"):
        queries.check_link("https://x.example/" + "a" * 200)


async def test_strangers_and_archived_campaigns(world: World) -> None:
    """Archived ones are listed."""
    await roll_catch(world)
    with nothing_written(world):
        assert "don't play" in refused(await world.stranger.slash(world.orders, "writeups"))
        for deed in ("claim", "done"):
            assert "don't play" in refused(await use_command(world, world.stranger, deed, "3"))
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        assert "**#3**" in await read_list(world)
        for deed in ("claim", "done"):
            assert "is archived" in refused(await use_command(world, world.gm, deed, "3"))


@pytest.mark.slow
async def test_numbers_are_offered_with_what_they_are_about(world: World) -> None:
    """At most 25."""
    for place in range(27):
        await roll_catch(world, f"{'Zaku' * 14}{place}")
    found = await world.player.autocomplete(world.orders, "writeups", "number", "")
    assert len(found) == 25
    assert all(len(choice["name"]) <= 100 for choice in found)
    found = await world.player.autocomplete(world.orders, "writeups", "number", "zaku26")
    assert [choice["value"] for choice in found] == ["29"]
    lobby = world.guild.create_text_channel("lobby")
    assert await world.player.autocomplete(lobby, "writeups", "number", "") == []


@pytest.mark.slow
async def test_the_list_goes_on_page_by_page(world: World) -> None:
    """Once each, newest first."""
    for place in range(23):
        await roll_catch(world, f"{'*' * 57}{place}")
    shown = response(await world.gm.slash(world.orders, "writeups"))
    found: list[str] = []
    pages: list[list[str]] = []
    while True:
        text = "\n".join(item["content"] for item in components(shown) if item["type"] == 10)
        assert len(text) <= 4000
        found += [line[2:].partition("**")[0] for line in text.splitlines() if line.startswith("**")]
        labels = [item["label"] for item in components(shown) if item["type"] == 2]
        assert ("Newest" in labels) is (len(pages) > 0)
        pages.append(labels)
        if "Older" not in labels:
            break
        shown = response(await world.gm.click(shown, label="Older"))
    assert found == [f"#{number}" for number in range(25, 2, -1)]
    again = response(await world.gm.click(shown, label="Newest"))
    assert "**#25**" in str(list(components(again)))


def test_a_page_takes_what_it_has_room_for() -> None:
    """At least one."""
    item = Writeup("1", 1, 0, "g" * 300, "done", 1, 2**60, "r" * 90, "t" * 90, f"https://{'l' * 192}")
    lines = fit_page([item] * 10)
    assert 1 < len(lines) < 10
    assert sum(map(len, lines)) + len(lines) <= 3600
    assert len(fit_page([Writeup("1", 1, 0, "g" * 5000, "open", 1)])) == 1


async def test_a_forged_button_is_refused(world: World) -> None:
    """Privately."""
    for key in ("writeups:1", "writeups:1:none:0.0", "writeups:1:all:x", "writeups:9:all:0.0"):
        refused(await send_raw(world.gm, world.orders, key))
