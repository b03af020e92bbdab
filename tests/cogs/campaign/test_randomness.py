"""`/campaign randomness`, and rolls that mix random.org's answers in, as people meet them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
import simcord

from bot.core.schema import metadata
from bot.rolls.fairness.checks import check
from bot.rolls.fairness.document import read_document
from bot.rolls.fairness.outside import TIMEOUT
from bot.rolls.fairness.random_org import RandomOrg, Reply
from tests.support.acting import fill_in
from tests.support.random_org import KEY, RandomOrgServer, random_org
from tests.support.reading import assert_says, components, newest, refused, response, said, text
from tests.support.world import World, rows, running, send_raw

SECRETS_KEY = bytes(range(32))
OTHER = "11111111-2222-3333-4444-555555555555"


@asynccontextmanager
async def running_beside(url: str, **more: Any) -> AsyncIterator[tuple[World, RandomOrgServer]]:  # noqa: ANN401 - settings
    """A world whose bot asks a small server in random.org's place."""
    async with random_org() as server, running(url, drawn=True, more={"random_org_url": server.url, **more}) as world:
        yield world, server


@pytest.fixture
async def asked(database_url: str) -> AsyncIterator[tuple[World, RandomOrgServer]]:
    """A world whose host has a key to encrypt with."""
    async with running_beside(database_url, secrets_key=SECRETS_KEY) as pair:
        yield pair


class Slow(RandomOrg):
    """A way to random.org on which two seconds pass without an answer."""

    async def ask(self, key: str, name: str, user_data: Mapping[str, Any]) -> Reply:
        """Wait, and have nothing."""
        assert key, (name, user_data)
        await asyncio.sleep(TIMEOUT)
        return Reply(lacking={"why": "timeout"})


async def panel(world: World, actor: Any = None) -> simcord.InteractionResult:  # noqa: ANN401 - an actor
    """The answer to the command."""
    result: simcord.InteractionResult = await (actor or world.gm).slash(world.orders, "campaign randomness")
    return result


async def give(world: World, key: str = KEY, label: str = "Add key") -> simcord.InteractionResult:
    """Type a key into the window, and return the answer."""
    result: simcord.InteractionResult = await fill_in(world.gm, response(await panel(world)), {"key": key}, label=label)
    return result


async def roll(world: World, **options: Any) -> simcord.InteractionResult:  # noqa: ANN401 - what options take
    """Roll two dice at once."""
    result: simcord.InteractionResult = await world.gm.slash(
        world.orders, "roll", expression="1d20+1d6", roll="now", **options
    )
    return result


async def test_a_key_is_tested_and_its_quota_told(asked: tuple[World, RandomOrgServer]) -> None:
    """What is left today is told; the ledger and the settings say that random.org is asked, and not with which key."""
    world, server = asked
    assert "999 requests, 249,739 bits" in said(await give(world))
    assert [item["method"] for item in server.asked] == ["getUsage"]
    assert "numbers from random.org are mixed in" in said(await world.player.slash(world.orders, "campaign show"))
    assert "random.org turned on" in said(await world.gm.slash(world.orders, "ledger list"))
    assert "random.org is on" in said(await panel(world))


async def test_a_result_says_what_is_mixed_in(asked: tuple[World, RandomOrgServer]) -> None:
    """Details have the number of random.org's answer; where there is none they say why."""
    world, server = asked
    await give(world)
    await roll(world)
    shown = await world.gm.click(newest(world.orders), label="Details")
    assert f"random.org's answer {server.serial} is mixed in" in said(shown)
    server.fault = "http 500"
    await roll(world)
    told = "random.org answered with HTTP 500: drawn from the campaign's seed alone"
    assert told in said(await world.gm.click(newest(world.orders), label="Details"))


@pytest.mark.slow
async def test_a_slow_answer_is_waited_for_within_discords_time(asked: tuple[World, RandomOrgServer]) -> None:
    """The command is acknowledged before its three seconds are over, and answered when the roll has fallen."""
    world, server = asked
    await give(world)
    outside = world.bots[-1].outside
    assert outside is not None
    await outside.random_org.close()
    outside.random_org = Slow(server.url)
    since = len(world.env.http_requests)
    result = await roll(world)
    calls = [call.json for call in world.env.http_requests[since:] if call.path.endswith("/callback")]
    assert [call["type"] for call in calls if isinstance(call, dict)] == [5]
    await world.env.advance_time(2)
    assert "didn't answer within 2 s" in said(await world.gm.click(newest(world.orders), label="Details"))
    assert "entry #5" in said(result)


@pytest.mark.slow
async def test_a_card_rolls_with_an_answer(asked: tuple[World, RandomOrgServer]) -> None:
    """A roll card, and what it tells, are as ever; the roll is the one that was announced."""
    world, server = asked
    await give(world)
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    await world.gm.click(card, label="Roll")
    shown = await world.gm.click(newest(world.staff), label="Details")
    assert f"random.org's answer {server.serial} is mixed in" in said(shown)


async def test_the_day_is_proved(asked: tuple[World, RandomOrgServer]) -> None:
    """When the epoch is closed, file and thread hold, and the answer counts the rolls with random.org's."""
    world, _ = asked
    await give(world)
    await roll(world)
    world.clock.advance(days=1)
    await world.env.advance_time(21)
    proved = await world.player.slash(world.orders, "verify", entry=5)
    assert "This is valid, and the dice proof thread confirms it." in said(proved)
    assert "Rolls with random.org's answer mixed in: 1." in said(proved)
    (file,) = response(proved).attachments
    assert not check(read_document(await file.read())).faults


@pytest.mark.slow
async def test_lists_have_no_intents(asked: tuple[World, RandomOrgServer]) -> None:
    """What is announced is the staff's, and found by a search; a list has the roll alone, and luck counts no more than that."""
    world, _ = asked
    await give(world)
    await roll(world)
    for actor in (world.player, world.gm):
        listed = said(await actor.slash(world.orders, "ledger list"))
        assert "is asked for the roll" not in listed
        assert "#5" in listed
    assert "is asked for the roll" in said(await world.gm.slash(world.orders, "ledger search", family="intent"))
    assert "is asked for the roll" not in said(await world.player.slash(world.orders, "ledger search", text="random"))
    shown = said(await world.gm.slash(world.orders, "ledger show", number=4))
    assert "random.org is asked for the roll of entry #5" in shown
    assert "no entry #4 that you can see" in refused(await world.player.slash(world.orders, "ledger show", number=4))
    assert "1 roll" in said(await world.gm.slash(world.orders, "luck"))


@pytest.mark.slow
async def test_an_intent_is_not_taken_back(asked: tuple[World, RandomOrgServer]) -> None:
    """Later checks rest on it; a roll with an answer is taken back as any other."""
    world, _ = asked
    await give(world)
    await roll(world)
    assert "Later checks need it" in refused(await world.gm.slash(world.orders, "void", entry=4, reason="No"))
    window = await world.gm.slash(world.orders, "void", entry=5)
    assert window.modal is not None


@pytest.mark.slow
async def test_a_key_that_cannot_be_tested_is_not_kept(asked: tuple[World, RandomOrgServer]) -> None:
    """The answer says why, and what was given before stays."""
    cases: list[tuple[str, str]] = [
        ("unknown key", "random.org doesn't accept that key"),
        ("paused key", "this key is stopped or paused"),
        ("http 500", "random.org answered with HTTP 500"),
        ("garbage", "something that isn't an answer"),
    ]
    world, server = asked
    for fault, told in cases:
        server.fault = fault
        assert told in refused(await give(world, OTHER if fault == "unknown key" else KEY))
        assert "random.org is off" in said(await panel(world))


@pytest.mark.parametrize(
    "typed", ["short", *(pytest.param(typed, marks=pytest.mark.slow) for typed in ("no key at all!", "ключключключ"))]
)
async def test_what_is_no_key_is_not_sent(asked: tuple[World, RandomOrgServer], typed: str) -> None:
    """Something else that was pasted goes nowhere, and is not repeated."""
    world, server = asked
    answer = refused(await give(world, typed))
    assert "That isn't a random.org API key" in answer
    assert typed not in answer
    assert server.asked == []


@pytest.mark.slow
async def test_a_key_is_removed(asked: tuple[World, RandomOrgServer]) -> None:
    """Rolls are as before then, and nothing of the key is kept."""
    world, server = asked
    await give(world)
    await world.gm.click(response(await panel(world)), label="Remove key")
    await roll(world)
    assert [item["method"] for item in server.asked] == ["getUsage"]
    assert rows(world, "select outside_key from campaign") == [(None,)]
    assert "random.org turned off" in said(await world.gm.slash(world.orders, "ledger list"))


async def test_only_game_masters_give_keys(asked: tuple[World, RandomOrgServer]) -> None:
    """Neither the command nor its buttons and window are for others."""
    world, server = asked
    assert "game master" in refused(await panel(world, world.player))
    card = response(await panel(world))
    keys = [item["custom_id"] for item in components(card) if item["type"] == 2]
    for key in (*keys, keys[0].replace("give", "remove")):
        assert "game master" in refused(await send_raw(world.player, world.orders, key))
    assert "game master" in refused(await send_raw(world.player, world.orders, "outside-key:1", modal=True))
    assert server.asked == []


async def test_the_host_has_to_set_a_key_first(database_url: str) -> None:
    """Without one to encrypt with no key is taken, and the answer says what the host has to do."""
    async with running_beside(database_url) as (world, _):
        told = refused(await panel(world))
        assert_says(told, "SECRETS\\_KEY", "openssl rand -base64 32")


async def test_the_key_is_nowhere(asked: tuple[World, RandomOrgServer], caplog: pytest.LogCaptureFixture) -> None:
    """Neither a table, a post, an answer, a log line, an export nor what is sent to Discord has it, whatever random.org repeats."""
    world, server = asked
    answers = [said(await give(world))]
    for fault in (None, "other error", "requests spent"):
        server.fault = fault
        await roll(world)
    server.fault = None
    answers.append(refused(await give(world, OTHER, "Change key")))
    files: list[bytes] = []
    for command in ("privacy export", "ledger export"):
        result = await world.gm.slash(world.orders, command)
        files += [await item.read() for item in response(result).attachments]
    assert files
    answers += [text(post) for channel in (world.orders, world.results, world.staff) for post in channel.history()]
    sent = json.dumps([str(request) for request in world.env.backend.http_requests])
    for secret in (KEY, OTHER):
        assert not any(secret in answer for answer in answers)
        assert not any(secret.encode() in file for file in files)
        assert secret not in sent
        assert secret not in "".join(_tables(world))
        assert secret not in caplog.text
        assert not any(secret in str(record.__dict__) for record in caplog.records)


def _tables(world: World) -> Iterator[str]:
    """All that is kept, table by table."""
    for table in metadata.sorted_tables:
        yield repr(rows(world, f"select * from {table.name}"))  # noqa: S608 - the bot's own tables


@pytest.mark.slow
async def test_a_bot_that_starts_anew_goes_on_asking(asked: tuple[World, RandomOrgServer]) -> None:
    """The key is kept over a restart; under another key of the host's it cannot be read, and rolls say so."""
    world, server = asked
    await give(world)
    await world.restart()
    await roll(world)
    shown = await world.gm.click(newest(world.orders), label="Details")
    assert f"random.org's answer {server.serial} is mixed in" in said(shown)
    world.more = {**world.more, "secrets_key": bytes(32)}
    await world.restart()
    await roll(world)
    assert "can't be decrypted" in said(await world.gm.click(newest(world.orders), label="Details"))
