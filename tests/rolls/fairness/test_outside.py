from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from functools import partial

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import audit, draws
from bot.core.errors import NotOpen
from bot.core.ledger import EntryDraft, find_link_and_epoch
from bot.core.permissions import find_readable
from bot.core.proofs import check_intents
from bot.core.records import Entry, Link, encode_canonical
from bot.core.schema import campaign as campaign_row
from bot.core.schema import epoch, metadata
from bot.core.seeds import DRAWN_FROM, OUTSIDE, SLOTS
from bot.rolls.fairness.outside import TIMEOUT
from bot.rolls.fairness.random_org import RandomOrg
from bot.rolls.request import DiceByHand
from bot.rolls.resolver import RollOrder, RollResult
from rules.errors import RollError
from tests.rolls.fairness.asked import draw_of, fall, find_lacking, open_asking_house
from tests.support.backend import GM, House, patrol
from tests.support.random_org import KEY, Naps, RandomOrgServer

Pair = tuple[House, RandomOrgServer]

FAULTS = {
    "http 500": "http",
    "elsewhere": "http",
    "garbage": "garbage",
    "endless": "garbage",
    "truncated": "unreachable",
    "wrong id": "other",
    "unknown key": "key",
    "stopped key": "key",
    "unsigned key": "key",
    "old key": "key",
    "requests spent": "quota",
    "bits spent": "quota",
    "other error": "error",
    "unread": "error",
    "other numbers": "other",
    "numbers beyond": "other",
    "too few numbers": "other",
    "other method": "other",
    "other user data": "other",
    "no user data": "other",
    "no serial": "other",
    "no data": "garbage",
}


@pytest.fixture
async def asked(database_url: str) -> AsyncIterator[Pair]:
    """Open a campaign that asks random.org."""
    async with open_asking_house(database_url) as pair:
        yield pair


async def test_a_roll_is_announced_asked_for_and_mixed(asked: Pair) -> None:
    """random.org signs the intent's hash."""
    house, server = asked
    rolled = (await house.roll_as_they_fall(patrol("Zaku", "Dom"))).entry

    first, intent, roll = await house.entries()
    assert [first.kind, intent.kind, intent.audience, roll.number] == ["campaign", "intent", "staff", rolled.number]
    draw, body = draw_of(roll), intent.content()
    assert (body["entry"], body["situation"]) == (roll.number, draw["situation"])
    (sent,) = server.asked
    assert sent["params"]["userData"] == {
        "campaign": house.campaign.uuid,
        "entry": roll.number,
        "intent": intent.hash,
        "situation": draw["situation"],
    }
    outside = draw[OUTSIDE]
    assert outside["intent"]["header"] == intent.header
    assert json.loads(outside["random"])["serialNumber"] == server.serial
    mixed = {"intent": intent.hash, OUTSIDE: hashlib.sha256(outside["random"].encode()).hexdigest()}
    description = {name: draw[name] for name in DRAWN_FROM} | mixed
    _, under_way = await house.database.read(find_link_and_epoch, house.campaign.id, house.campaign.uuid)
    assert under_way is not None
    assert fall(roll, under_way.seed(roll.number), description)


async def test_the_random_object_is_kept_byte_for_byte(asked: Pair) -> None:
    """In random.org's own order and form."""
    house, server = asked
    signed: list[bytes] = []
    server.sign = partial(_noting, signed)
    roll = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    assert draw_of(roll)[OUTSIDE]["random"].encode() == signed[0]
    assert roll.content()[OUTSIDE] == {"serial": server.serial}


@pytest.mark.parametrize("fault", FAULTS)
async def test_whatever_comes_back_the_roll_falls_and_says_why(asked: Pair, fault: str) -> None:
    """Without a fitting answer the seed decides, and the entry says why."""
    house, server = asked
    server.fault = fault
    roll = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    assert find_lacking(roll) == FAULTS[fault]
    assert draw_of(roll)[OUTSIDE]["intent"]["number"] == roll.number - 1
    await _falls_from_the_seed_alone(house, roll.number)


async def _falls_from_the_seed_alone(house: House, number: int) -> None:
    roll = (await house.entries())[number - 1]
    draw = draw_of(roll)
    _, under_way = await house.database.read(find_link_and_epoch, house.campaign.id, house.campaign.uuid)
    assert under_way is not None
    description = {name: draw[name] for name in DRAWN_FROM}
    assert fall(roll, under_way.seed(number), description)


async def test_an_answer_that_takes_too_long_is_not_waited_for(database_url: str) -> None:
    """After two seconds the roll goes on."""
    assert TIMEOUT == 2
    async with open_asking_house(database_url, way={"timeout": 0.05}) as (house, server):
        server.fault = "slow"
        assert find_lacking((await house.roll_as_they_fall(patrol("Zaku"))).entry) == "timeout"


async def test_nothing_of_the_bot_stands_still_until_the_answer(asked: Pair) -> None:
    """Others read and write meanwhile."""
    house, server = asked
    server.fault, reached = "slow", asyncio.Event()

    async def note() -> None:
        reached.set()

    server.before = note
    rolling = asyncio.create_task(house.roll_as_they_fall(patrol("Zaku")))
    await reached.wait()
    edited = (await house.edit({"name": "Sea of Iron"})).name
    assert (edited, rolling.done()) == ("Sea of Iron", False)
    server.stalled.set()
    assert (await rolling).entry.number == len(await house.entries())


async def test_where_nobody_listens_the_roll_falls(asked: Pair) -> None:
    """The entry says the server is unreachable."""
    house, _ = asked
    assert house.resolver.outside is not None
    house.resolver.outside.random_org = RandomOrg("http://127.0.0.1:9/")
    try:
        assert find_lacking((await house.roll_as_they_fall(patrol("Zaku"))).entry) == "unreachable"
    finally:
        await house.resolver.outside.random_org.close()


async def test_another_entry_in_between_is_told_and_nothing_is_asked_again(asked: Pair) -> None:
    """Another number means another roll."""
    house, server = asked

    async def enter() -> None:
        await house.edit({"name": "Sea of Iron"})

    server.before = enter
    roll = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    assert find_lacking(roll) == "overtaken"
    assert len(server.asked) == 1
    await _falls_from_the_seed_alone(house, roll.number)


async def test_another_situation_is_told_and_nothing_is_asked_again(asked: Pair) -> None:
    """Another situation means another roll."""
    house, server = asked
    stance = iter(["hostile", "neutral"])

    def roll(tx: Connection) -> RollResult:
        return house.resolver.roll(tx, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku", stance=next(stance))))

    entry = (await house.database.write(roll)).entry
    assert find_lacking(entry) == "changed"
    assert len(server.asked) == 1
    await _falls_from_the_seed_alone(house, entry.number)


async def test_a_roll_that_is_refused_by_then_leaves_its_intent(asked: Pair) -> None:
    """No roll follows it."""
    house, server = asked

    async def archive() -> None:
        await house.archive()

    server.before = archive
    with pytest.raises(NotOpen):
        await house.roll_as_they_fall(patrol("Zaku"))
    assert [item.kind for item in await house.entries()] == ["campaign", "intent", "campaign"]


async def test_what_draws_no_die_asks_nobody(asked: Pair) -> None:
    """Refusals come first, and typed faces need no answer."""
    house, server = asked
    with pytest.raises(RollError):
        await house.roll_as_they_fall(patrol("Zaku", stance="shy"))
    assert (server.asked, len(await house.entries())) == ([], 1)
    request = replace(patrol("Zaku"), staff=True)
    order = RollOrder(house.campaign.id, GM.user_id, request, dice=DiceByHand({20: (7,)}))
    roll = (await house.database.write(house.resolver.roll, order)).entry
    assert server.asked == []
    assert OUTSIDE not in draw_of(roll)


async def test_without_a_key_nobody_is_asked(asked: Pair) -> None:
    """After its key was removed."""
    house, server = asked
    await house.tamper(campaign_row.update().values(outside_key=None))
    roll = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    assert (server.asked, roll.number) == ([], 2)
    assert OUTSIDE not in draw_of(roll)


async def test_the_intent_of_a_private_roll_is_for_its_maker_alone(asked: Pair) -> None:
    """Other game masters see neither maker nor number."""
    house, _ = asked
    await house.roll_as_they_fall(replace(patrol("Zaku"), to="me"))
    other = replace(GM, user_id=GM.user_id + 1)
    _, intent, roll = await house.entries()
    assert [(item.kind, item.audience) for item in (intent, roll)] == [("intent", "person"), ("roll", "person")]
    for number in (intent.number, roll.number):
        assert await house.database.read(find_readable, GM, house.campaign, number) is not None
        assert await house.database.read(find_readable, other, house.campaign, number) is None
    (found,) = await audit.check_ledgers(house.database, house.kernel.kinds)
    assert found.faults == ()


async def test_a_key_that_cannot_be_decrypted_is_told(asked: Pair) -> None:
    """The host has another key; nothing is announced."""
    house, server = asked
    await house.tamper(campaign_row.update().values(outside_key="1:AAAA"))
    roll = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    assert (find_lacking(roll), server.asked, roll.number) == ("locked", [], 2)


async def test_rolls_that_are_made_together_ask_once(asked: Pair) -> None:
    """The next one says that another roll asked."""
    house, server = asked

    def both(tx: Connection) -> list[Entry]:
        orders = [RollOrder(house.campaign.id, GM.user_id, patrol("Zaku", by=by)) for by in ("Kilo", "Lima")]
        return [house.resolver.roll(tx, order).entry for order in orders]

    first, second = await house.database.write(both)
    assert [find_lacking(first), find_lacking(second), len(server.asked)] == ["", "several", 1]


async def test_what_is_entered_ahead_of_a_roll_is_counted(asked: Pair) -> None:
    """The intent names the final number."""
    house, _ = asked

    def enter_and_roll(tx: Connection) -> Entry:
        house.resolver.ledger.enter(tx, house.campaign, GM.user_id, _setting())
        return house.resolver.roll(tx, RollOrder(house.campaign.id, GM.user_id, patrol("Zaku"))).entry

    roll = await house.database.write(enter_and_roll)
    assert (roll.number, find_lacking(roll)) == (4, "")


async def test_an_epoch_that_ends_between_intent_and_roll_takes_none_away(asked: Pair) -> None:
    """The roll belongs to the next one, as announced."""
    house, _ = asked
    await house.tamper(epoch.update().where(epoch.c.number == 1).values(first=3 - SLOTS))
    roll = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    assert (draw_of(roll)["epoch"], find_lacking(roll)) == (2, "")


async def test_a_pause_that_random_org_asks_for_is_kept(database_url: str) -> None:
    """Short ones are waited for; long ones skip the request."""
    naps = Naps()
    async with open_asking_house(database_url, way={"now": naps.now, "sleep": naps.sleep}) as (house, server):
        server.delay = 300
        await house.roll_as_they_fall(patrol("Zaku"))
        server.delay = 60_000
        assert find_lacking((await house.roll_as_they_fall(patrol("Dom", by="Lima"))).entry) == ""
        assert naps.taken == [0.3]
        last = (await house.roll_as_they_fall(patrol("Gouf", by="Mike"))).entry
        assert (find_lacking(last), len(server.asked)) == ("delay", 2)
        assert "intent" not in draw_of(last)[OUTSIDE]


async def test_a_spent_quota_is_not_asked_again_at_once(asked: Pair) -> None:
    """Rolls say that it's spent."""
    house, server = asked
    server.fault = "requests spent"
    kinds = [find_lacking((await house.roll_as_they_fall(patrol("Zaku", by=by))).entry) for by in ("Kilo", "Lima")]
    assert (kinds, len(server.asked)) == (["quota", "quota"], 1)


async def test_the_key_is_nowhere_in_what_is_kept(asked: Pair, caplog: pytest.LogCaptureFixture) -> None:
    """Tables, logs and entries are free of it."""
    house, server = asked
    for fault in (None, "other error", "http 500"):
        server.fault = fault
        await house.roll_as_they_fall(patrol("Zaku", by=f"Kilo {fault}"))
    kept = await house.database.read(_everything)
    assert house.campaign.uuid.encode() in kept
    assert KEY.encode() not in kept
    assert KEY not in caplog.text
    assert all(KEY not in str(record.__dict__) for record in caplog.records)


async def test_a_check_of_the_ledger_accepts_intents(asked: Pair) -> None:
    """With answers and reasons."""
    house, server = asked
    for fault in (None, "http 500"):
        server.fault = fault
        await house.roll_as_they_fall(patrol("Zaku", by=f"Kilo {fault}"))
    (found,) = await audit.check_ledgers(house.database, house.kernel.kinds)
    assert (found.entries, found.faults) == (5, ())


async def test_a_check_of_the_ledger_names_a_roll_with_another_intent(asked: Pair) -> None:
    """Even if the chain is whole."""
    house, _ = asked
    await house.roll_as_they_fall(patrol("Zaku"))
    entries = await house.entries()
    link, draw = Link(house.campaign.uuid), draw_of(entries[2])
    assert [*check_intents(link, entries)] == []
    draw[OUTSIDE]["intent"]["header"] = "{}"
    of_all = json.dumps(draw, separators=(",", ":"))
    forged = [*entries[:2], replace(entries[2], draw=draws.format_record(of_all, ()))]
    assert [*check_intents(link, forged)] == ["Entry 3: the intent that it names is not entry 2."]
    assert [*check_intents(link, [replace(entries[2], draw='{"intent":7}')])] == []


def _everything(tx: Connection) -> bytes:
    rows = [tx.execute(table.select()).all() for table in metadata.sorted_tables]
    return repr(rows).encode()


def _noting(signed: list[bytes], text: bytes) -> bytes:
    signed.append(text)
    return b"a signature"


def _setting() -> EntryDraft:
    return EntryDraft("campaign", "staff", {"archived": False})


def test_what_is_asked_is_hashed_whole() -> None:
    """An intent covers the whole description."""
    description = dict.fromkeys(DRAWN_FROM, "x")
    assert len({encode_canonical({**description, name: "y"}) for name in DRAWN_FROM}) == len(DRAWN_FROM)
