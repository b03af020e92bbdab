"""An amended roll knows the state before it, with today's corrections."""

from __future__ import annotations

from functools import partial

import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import state, voiding
from bot.core.state import State
from bot.rolls.card import panel
from bot.rolls.card.store import CardSnapshot
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest, TypedAdjustment
from tests.support.backend import House
from tests.support.subjects import number_of

STOPPED = "effect.stop-used"


def _plus(value: int, request: RollRequest, preview: Preview, seen: CardSnapshot) -> RollRequest:
    return panel.adjust(0, TypedAdjustment(value=value, reason="A slip"), request, preview, seen)


def _before(tx: Connection, campaign_id: int, number: int) -> State:
    with voiding.hold_past(tx, campaign_id, voiding.find_state_before(tx, campaign_id, number)):
        return state.get_whole(tx, campaign_id)


async def _has_stopped_before(house: House, number: int) -> bool:
    seen = await house.database.write(_before, house.campaign.id, number)
    return (f"subject:{number_of(seen, 'Kilo')}", STOPPED) in seen


async def _rolls(house: House) -> tuple[int, int, int]:
    first = (await house.patrol("Zaku", faces=(18,))).entry.number
    later = (await house.patrol("Dom", by="Lima", faces=(1,))).entry.number
    assert await _has_stopped_before(house, later)
    amended = (await house.amend(first, partial(_plus, -9))).entry.number
    assert not await _has_stopped_before(house, later)
    return first, later, amended


async def test_the_past_is_read_once_in_a_transaction(house: House) -> None:
    """Window, card and roll each read it once."""
    first = (await house.patrol("Zaku", faces=(18,))).entry.number
    for name in ("Dom", "Gelgoog"):
        await house.patrol(name, by="Lima", faces=(1,))
    walks: list[str] = []

    def read(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        walks.extend([statement] if "entry.number >" in statement else [])

    sa.event.listen(house.database.engine, "before_cursor_execute", read)
    amended = await house.amend(first, partial(_plus, -9))
    assert amended.entry.content()["amends"] == first
    assert len(walks) <= 3 + 3


async def test_the_last_of_several_amendments_counts(house: House) -> None:
    """A later roll sees the second amendment."""
    _, later, amended = await _rolls(house)
    await house.amend(amended, partial(_plus, 9))
    assert await _has_stopped_before(house, later)


@pytest.mark.parametrize("twice", [False, True])
async def test_an_amendment_that_was_taken_back_counts_no_more(house: House, *, twice: bool) -> None:
    """A later roll sees the roll as it is valid now."""
    _, later, amended = await _rolls(house)
    if twice:
        again = (await house.amend(amended, partial(_plus, 9))).entry.number
        await house.take_back(again)
        assert not await _has_stopped_before(house, later)
    await house.take_back(amended)
    assert await _has_stopped_before(house, later)
