"""A ledger forged and hashed again, without the audit thread."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
import sqlalchemy as sa

from bot.core import draws
from bot.core.draws import hash_salted
from bot.core.records import encode_canonical
from bot.core.schema import campaign, entry, entry_text, epoch
from bot.core.tally import BATCH
from tests.core.test_audit import faults
from tests.core.test_audit_dice import house as house  # noqa: PLC0414 - the fixture
from tests.core.test_audit_work import enter
from tests.support.backend import House, patrol, scouting

Forging = Callable[[dict[str, Any]], object]


async def forge(
    house: House,
    body: Forging = lambda _: None,
    record: Forging = lambda _: None,
    part: Forging = lambda _: None,
    *,
    drop: bool = False,
) -> None:
    """Change the newest entry and hash again."""
    newest = (await house.entries())[-1]
    said, header, drawn = json.loads(newest.body), json.loads(newest.header), draws.read_record(newest.draw or "")
    of_all, read = json.loads(drawn.of_all), json.loads(drawn.parts[0].text)
    body(said["parts"][0]["steps"][0])
    record(of_all)
    part(read)
    text = encode_canonical(said)
    draw = (
        None
        if drop
        else draws.format_record(encode_canonical(of_all), [drawn.parts[0]._replace(text=encode_canonical(read))])
    )
    header["body"] = hash_salted(newest.salt, text)
    if draw is None:
        del header["texts"]["draw"]
    else:
        header["texts"]["draw"] = draws.hash_record(newest.draw_salt or "", draw)
    sealed = encode_canonical(header)
    values = {"body": text, "draw": draw, "header": sealed, "hash": sha256(sealed.encode()).hexdigest()}
    values |= {"draw_salt": None} if drop else {}
    await house.tamper(entry.update().where(entry.c.number == newest.number).values(**values))


def step(change: Forging) -> Forging:
    """Change a part's first step."""
    return lambda part: change(part["steps"][0])


def add(name: str, more: int) -> Forging:
    """Increase a step's number."""
    return lambda step: step.update({name: step[name] + more})


@pytest.mark.parametrize(
    ("forged", "told"),
    [
        ({"body": lambda step: step["faces"].__setitem__(0, 1)}, "its body says something else about the dice"),
        ({"body": add("total", 3)}, "its body says something else about the dice"),
        ({"body": add("total", 3), "part": step(add("total", 3))}, "the total is "),
        ({"body": add("sum", 3), "part": step(add("sum", 3))}, "what counted adds up to "),
        (
            {
                "body": lambda step: step["adjustments"].append({"value": 5}),
                "part": step(lambda step: step["adjustments"].append(5)),
            },
            "what counted adds up to ",
        ),
        (
            {
                "body": lambda step: step["row"].update(outcome="battle"),
                "part": step(lambda step: step.update(outcome="battle")),
            },
            " gives ",
        ),
        ({"drop": True}, "the record of its dice is missing"),
        ({"part": lambda part: part.update(dice=[])}, "the dice that were read aren't those that were drawn"),
        (
            {"record": lambda record: record.update(epoch=9)},
            "Dice set 9, in which the dice of entry 2 were drawn, isn't kept",
        ),
        ({"record": lambda record: record.update(slot=7)}, "its dice were drawn in slot 7 of dice set 1"),
        ({"record": lambda record: record.update(book="f" * 64)}, "its dice were drawn for another book"),
    ],
    ids=["face", "total", "totals", "sum", "adjustment", "outcome", "record", "dice", "epoch", "slot", "book"],
)
async def test_a_forged_roll_is_named(house: House, forged: dict[str, Any], told: str) -> None:
    """Body, dice, seed and tables must fit."""
    await house.roll_as_they_fall(patrol("Zaku"))
    assert await faults(house.database) == []
    await forge(house, **forged)
    found = await faults(house.database)
    assert any(told in fault for fault in found), found


async def test_an_epoch_that_is_gone_is_named(house: House) -> None:
    """Its dice couldn't be proven."""
    await house.roll_as_they_fall(patrol("Zaku"))
    await house.tamper(epoch.delete())
    assert await faults(house.database) == ["Dice set 1, in which the dice of entry 2 were drawn, isn't kept."]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"game_master_role_id": 77}, "Its setting game_master_role_id is '77'"),
        ({"player_role_id": 77}, "Its setting player_role_id is '77'"),
        ({"players_may": ["patrol"]}, "Its setting players_may is ['patrol']"),
        ({"books": ["campaign", "roe"]}, "Its setting books is ['campaign', 'roe']"),
        ({"archived_at": sa.func.now()}, "It is archived, and the entries say open."),
    ],
    ids=["game masters", "players", "rights", "books", "archived"],
)
async def test_settings_that_no_entry_has_made_are_named(house: House, values: dict[str, Any], told: str) -> None:
    """Settings follow from entries."""
    await house.tamper(campaign.update().values(**values))
    found = await faults(house.database)
    assert len(found) == 1
    assert told in found[0]


async def test_a_note_that_is_gone_without_an_erasure_is_named(house: House) -> None:
    """Erasures count their texts."""
    await house.roll_as_they_fall(scouting("Fort Anvil", "Jonas", note="An informer told"))
    await house.tamper(entry_text.update().values(salt=None, text=None))
    assert await faults(house.database) == ["1 texts are gone, and the entries of erasures account for 0."]


@pytest.mark.parametrize("between", [0, pytest.param(BATCH, marks=pytest.mark.slow)])
async def test_a_kept_face_that_the_amended_roll_has_not_is_named(house: House, between: int) -> None:
    """An amendment keeps its roll's dice."""
    first = (await house.roll_as_they_fall(patrol("Zaku"))).entry
    await enter(house, between)
    await house.amend(first.number)
    assert await faults(house.database) == []
    face = first.content()["parts"][0]["steps"][0]["faces"][0]
    other = face % 20 + 1

    def shift(step: dict[str, Any]) -> None:
        step.update(total=step["total"] + other - face)

    def forged_body(step: dict[str, Any]) -> None:
        step["faces"][0] = other
        shift(step)

    def forged_record(step: dict[str, Any]) -> None:
        step["dice"][0]["faces"][0] = other
        shift(step)

    await forge(house, body=forged_body, part=step(forged_record))
    found = await faults(house.database)
    assert any(f"it keeps faces that entry {first.number} doesn't have" in fault for fault in found), found
