"""A random.org key, and rolls with random.org."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
import simcord

from bot.core.schema import metadata
from bot.rolls.fairness.checks import check, read_document
from bot.rolls.fairness.outside import TIMEOUT
from bot.rolls.fairness.random_org import RandomOrg, Reply
from tests.support.acting import fill_in
from tests.support.random_org import KEY, RandomOrgServer, random_org
from tests.support.reading import assert_says, components, newest, refused, response, said, text
from tests.support.world import World, rows, running, send_raw

SECRETS_KEY = bytes(range(32))
OTHER = "11111111-2222-3333-4444-555555555555"


@asynccontextmanager
async def run_beside(url: str, **more: Any) -> AsyncIterator[tuple[World, RandomOrgServer]]:  # noqa: ANN401 - settings
    """A world with a small server as random.org."""
    async with random_org() as server, running(url, drawn=True, more={"random_org_url": server.url, **more}) as world:
        yield world, server


@pytest.fixture
async def key_world(database_url: str) -> AsyncIterator[tuple[World, RandomOrgServer]]:
    """A world with a key to encrypt with."""
    async with run_beside(database_url, secrets_key=SECRETS_KEY) as pair:
        yield pair


class Slow(RandomOrg):
    """A random.org that doesn't answer for two seconds."""

    async def ask(self, key: str, name: str, user_data: Mapping[str, Any]) -> Reply:
        """Wait, and have nothing."""
        assert key, (name, user_data)
        await asyncio.sleep(TIMEOUT)
        return Reply(lacking={"why": "timeout"})


async def panel(world: World, actor: Any = None) -> simcord.InteractionResult:  # noqa: ANN401 - an actor
    """The answer to the command."""
    return await send_raw(actor or world.gm, world.orders, "campaign:1:randomness")


async def give(world: World, key: str = KEY, label: str = "Add key") -> simcord.InteractionResult:
    """Type a key; return the answer."""
    result: simcord.InteractionResult = await fill_in(world.gm, response(await panel(world)), {"key": key}, label=label)
    return result


async def roll(world: World, **options: Any) -> simcord.InteractionResult:  # noqa: ANN401 - what options take
    """Roll two dice at once."""
    result: simcord.InteractionResult = await world.gm.slash(
        world.orders, "roll", expression="1d20+1d6", roll="now", **options
    )
    return result


async def test_a_key_is_tested_and_its_quota_told(key_world: tuple[World, RandomOrgServer]) -> None:
    """Neither ledger nor settings show the key."""
    world, server = key_world
    assert "999 requests, 249,739 bits" in said(await give(world))
    assert [item["method"] for item in server.asked] == ["getUsage"]
    assert "numbers from random.org are mixed in" in said(await world.player.slash(world.orders, "gm settings"))
    assert "random.org turned on" in said(await world.gm.slash(world.orders, "ledger"))
    assert "random.org is on" in said(await panel(world))


async def test_a_result_says_what_is_mixed_in(key_world: tuple[World, RandomOrgServer]) -> None:
    """Or why there is no answer."""
    world, server = key_world
    await give(world)
    await roll(world)
    shown = await world.gm.click(newest(world.orders), label="Details")
    assert f"random.org's answer {server.serial} is mixed in" in said(shown)
    server.fault = "http 500"
    await roll(world)
    answer = "random.org answered with HTTP 500: drawn from the campaign's seed alone"
    assert answer in said(await world.gm.click(newest(world.orders), label="Details"))


@pytest.mark.slow
async def test_a_slow_answer_is_waited_for_within_discords_time(key_world: tuple[World, RandomOrgServer]) -> None:
    """The command is acknowledged within three seconds."""
    world, server = key_world
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
async def test_a_card_rolls_with_an_answer(key_world: tuple[World, RandomOrgServer]) -> None:
    """The roll is the announced one."""
    world, server = key_world
    await give(world)
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku"))
    await world.gm.click(card, label="Roll")
    posted = newest(world.results if world.results.history() else world.staff)  # as the dice have it
    shown = await world.gm.click(posted, label="Details")
    assert f"random.org's answer {server.serial} is mixed in" in said(shown)


async def test_the_day_is_proved(key_world: tuple[World, RandomOrgServer]) -> None:
    """The answer counts rolls with random.org."""
    world, _ = key_world
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
async def test_lists_have_no_intents(key_world: tuple[World, RandomOrgServer]) -> None:
    """Lists and luck count the roll only."""
    world, _ = key_world
    await give(world)
    await roll(world)
    for actor in (world.player, world.gm):
        listed = said(await actor.slash(world.orders, "ledger"))
        assert "is asked for the roll" not in listed
        assert "#5" in listed
    assert "is asked for the roll" in said(await world.gm.slash(world.orders, "ledger", family="intent"))
    assert "is asked for the roll" not in said(await world.player.slash(world.orders, "ledger", text="random"))
    shown = said(await world.gm.slash(world.orders, "ledger", entry=4))
    assert "random.org is asked for the roll of entry #5" in shown
    assert "no entry #4 that you can see" in refused(await world.player.slash(world.orders, "ledger", entry=4))
    assert "1 roll" in said(await world.gm.slash(world.orders, "luck"))


@pytest.mark.slow
async def test_an_intent_is_not_taken_back(key_world: tuple[World, RandomOrgServer]) -> None:
    """A roll with an answer can be undone."""
    world, _ = key_world
    await give(world)
    await roll(world)
    assert "Later checks need it" in refused(await world.gm.slash(world.orders, "gm undo", entry=4, reason="No"))
    window = await world.gm.slash(world.orders, "gm undo", entry=5)
    assert window.modal is not None


@pytest.mark.slow
async def test_a_key_that_cannot_be_tested_is_not_kept(key_world: tuple[World, RandomOrgServer]) -> None:
    """The old key stays."""
    cases: list[tuple[str, str]] = [
        ("unknown key", "random.org doesn't accept that key"),
        ("paused key", "this key is stopped or paused"),
        ("http 500", "random.org answered with HTTP 500"),
        ("garbage", "something that isn't an answer"),
    ]
    world, server = key_world
    for fault, answer in cases:
        server.fault = fault
        assert answer in refused(await give(world, OTHER if fault == "unknown key" else KEY))
        assert "random.org is off" in said(await panel(world))


@pytest.mark.parametrize(
    "typed", ["short", *(pytest.param(typed, marks=pytest.mark.slow) for typed in ("no key at all!", "ключключключ"))]
)
async def test_what_is_no_key_is_not_sent(key_world: tuple[World, RandomOrgServer], typed: str) -> None:
    """Other pasted text isn't sent or repeated."""
    world, server = key_world
    answer = refused(await give(world, typed))
    assert "That isn't a random.org API key" in answer
    assert typed not in answer
    assert server.asked == []


@pytest.mark.slow
async def test_a_key_is_removed(key_world: tuple[World, RandomOrgServer]) -> None:
    """Rolls work as before."""
    world, server = key_world
    await give(world)
    await world.gm.click(response(await panel(world)), label="Remove key")
    await roll(world)
    assert [item["method"] for item in server.asked] == ["getUsage"]
    assert rows(world, "select outside_key from campaign") == [(None,)]
    assert "random.org turned off" in said(await world.gm.slash(world.orders, "ledger"))


async def test_only_game_masters_give_keys(key_world: tuple[World, RandomOrgServer]) -> None:
    """Neither command, button nor window works for others."""
    world, server = key_world
    assert "game master" in refused(await panel(world, world.player))
    card = response(await panel(world))
    keys = [item["custom_id"] for item in components(card) if item["type"] == 2]
    for key in (*keys, keys[0].replace("give", "remove")):
        assert "game master" in refused(await send_raw(world.player, world.orders, key))
    assert "game master" in refused(await send_raw(world.player, world.orders, "outside-key:1", modal=True))
    assert server.asked == []


async def test_the_host_has_to_set_a_key_first(database_url: str) -> None:
    """The answer says what the host must do."""
    async with run_beside(database_url) as (world, _):
        answer = refused(await panel(world))
        assert_says(answer, "SECRETS\\_KEY", "openssl rand -base64 32")


async def test_the_key_is_nowhere(key_world: tuple[World, RandomOrgServer], caplog: pytest.LogCaptureFixture) -> None:
    """No table, post, log, answer or export has it."""
    world, server = key_world
    answers = [said(await give(world))]
    for fault in (None, "other error", "requests spent"):
        server.fault = fault
        await roll(world)
    server.fault = None
    answers.append(refused(await give(world, OTHER, "Change key")))
    files: list[bytes] = []
    for key in ("privacy:export", "ledger:1:jsonl:"):
        result = await send_raw(world.gm, world.orders, key)
        files += [await item.read() for item in response(result).attachments]
    assert len(files) == 2
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
    """The whole database, by table."""
    for table in metadata.sorted_tables:
        yield repr(rows(world, f"select * from {table.name}"))  # noqa: S608 - the bot's own tables


@pytest.mark.slow
async def test_a_bot_that_starts_anew_goes_on_asking(key_world: tuple[World, RandomOrgServer]) -> None:
    """With another host key, rolls say it can't be read."""
    world, server = key_world
    await give(world)
    await world.restart()
    await roll(world)
    shown = await world.gm.click(newest(world.orders), label="Details")
    assert f"random.org's answer {server.serial} is mixed in" in said(shown)
    world.more = {**world.more, "secrets_key": bytes(32)}
    await world.restart()
    await roll(world)
    assert "can't be decrypted" in said(await world.gm.click(newest(world.orders), label="Details"))
