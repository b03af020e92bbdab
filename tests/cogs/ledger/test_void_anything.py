"""Voiding entries restores the state, whatever people did."""

from __future__ import annotations

import asyncio
import random
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.app import KINDS
from bot.core import audit
from bot.core.errors import NotOpen, UserError
from bot.core.schema import entry, state, subject
from bot.core.state import VOIDED, State
from bot.rolls.card import panel
from bot.rolls.card.store import CardSnapshot
from bot.rolls.preview import Preview
from bot.rolls.request import RollRequest, TypedAdjustment
from rules.errors import RulesError
from rules.subjects import NAME
from tests.cogs.ledger.deeds import DEEDS, AnyDice, Table
from tests.support.backend import House, opened
from tests.support.template import migrated_url

TAKE_BACK, ANY, AMEND = "take back the newest", "take back any", "amend any"
steps = st.lists(st.tuples(st.sampled_from((*DEEDS, *DEEDS, TAKE_BACK, ANY, AMEND)), st.integers(0, 999)), max_size=30)
SLOW = [pytest.mark.slow, pytest.mark.no_cover]
ALL = [(name, seed) for seed in (1, 2) for name in DEEDS]
MIXED = [(name, seed) for seed in (3, 4, 5) for name in (*DEEDS, TAKE_BACK, ANY)]
AMENDED = [(step, seed) for seed in (6, 7) for name in DEEDS for step in (name, AMEND)]


@pytest.mark.parametrize(
    "done",
    [
        [*ALL[: len(DEEDS)], (ANY, 0), (AMEND, 0)],
        pytest.param([("take", 0), ("add_character", 193)], marks=pytest.mark.slow),
        pytest.param([("begin_battle", 0), ("join", 0), ("add_unit", 0)], marks=pytest.mark.slow),
        *(pytest.param(done, marks=SLOW) for done in (ALL, MIXED, AMENDED)),
    ],
)
def test_taking_entries_back_leads_to_where_the_campaign_was(database_kind: str, done: list[tuple[str, int]]) -> None:
    """Newest first, down to the first entry."""
    _run(database_kind, done)


@pytest.mark.no_cover
@pytest.mark.slow
def test_taking_entries_back_leads_to_where_the_campaign_was_whatever_was_done(database_kind: str, times: int) -> None:
    """After any run of actions."""
    settings(max_examples=10 * times, deadline=None)(given(done=steps)(_run))(database_kind)


def _run(database_kind: str, done: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder, migrated_url(database_kind, Path(folder)) as url:
        asyncio.run(_play(url, done))


@pytest.mark.slow
async def test_every_deed_is_among_them(house: House) -> None:
    """Each action has written an entry at least once."""
    house.campaign = await house.edit({"books": "campaign, battlesystem"})
    done = set()
    for name, seed in ALL:
        count = await house.count(entry)
        with suppress(UserError, RulesError):
            await DEEDS[name](Table(house, random.Random(seed)))  # noqa: S311 - chance that repeats
        done |= {name} if await house.count(entry) > count else set()
    assert set(DEEDS) - done == set()


async def _play(url: str, done: list[tuple[str, int]]) -> None:
    async with opened(url) as house:
        house.campaign = await house.edit({"books": "campaign, battlesystem"})
        standing: list[tuple[int, State]] = []
        for deed, seed in done:
            if deed == TAKE_BACK:
                await _take_newest_back(house, standing)
            elif deed == ANY:
                await _take_any_back(house, standing, random.Random(seed))  # noqa: S311 - chance that repeats
            elif deed == AMEND:
                await _amend_any(house, standing, random.Random(seed))  # noqa: S311 - chance that repeats
            else:
                before, count = await house.state(), await house.count(entry)
                with suppress(UserError, RulesError):
                    await DEEDS[deed](Table(house, random.Random(seed)))  # noqa: S311 - chance that repeats
                numbers = range(count + 1, await house.count(entry) + 1)
                assert len(numbers) <= 1, deed
                standing += [(number, before) for number in numbers]
        while standing:
            await _take_newest_back(house, standing)
        await _require_rebuilt(house)


async def _take_newest_back(house: House, standing: list[tuple[int, State]]) -> None:
    if not standing:
        return
    number, before = standing.pop()
    done = await house.take_back(number)
    assert [entry.number for entry, _ in done.pairs] == [number]
    after = await house.state()
    assert _compare_state(after, before) == _compare_state(before, before), f"entry {number}"
    await _require_whole(house)


async def _take_any_back(house: House, standing: list[tuple[int, State]], draw: random.Random) -> None:
    if not standing:
        return
    number, _ = draw.choice(standing)
    with suppress(NotOpen):
        await house.take_back(number)
        standing.clear()
    await _require_whole(house)


async def _amend_any(house: House, standing: list[tuple[int, State]], draw: random.Random) -> None:
    if not standing:
        return
    number, _ = draw.choice(standing)
    before, count = await house.state(), await house.count(entry)
    plus = TypedAdjustment(value=draw.choice((-9, -2, 2, 9)), reason="A slip")
    house.dice._script = AnyDice(draw)  # type: ignore[assignment] # faces that nobody wrote down
    with suppress(UserError, RulesError):
        made = await house.amend(number, partial(_edit, draw.choice((None, "Zaku", "Kai", "Luna")), plus))
        standing[:] = [*standing, (made.entry.number, before)] if made.entry.number == count + 1 else []
    await _require_whole(house)


def _edit(
    name: str | None, plus: TypedAdjustment, request: RollRequest, preview: Preview, seen: CardSnapshot
) -> RollRequest:
    request = panel.adjust(0, plus, request, preview, seen)
    return request if name is None else panel.rename(request, 0, {preview.procedure.actor: name})


def _compare_state(now: State, before: State) -> State:
    new = {(who, name) for who, name in now if name == NAME and (who, NAME) not in before}
    return {key: value for key, value in now.items() if key[1] != VOIDED and key not in new}


async def _require_whole(house: House) -> None:
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


async def _require_rebuilt(house: House) -> None:
    kept = await house.state()
    await house.tamper(state.delete())
    await house.tamper(subject.delete())
    await audit.rebuild_states(house.database, KINDS)
    assert await house.state() == kept
