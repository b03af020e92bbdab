"""A scene through the kernel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from bot.core import audit, state
from bot.core.errors import BadInput, NotOpen
from bot.core.scenes import SeenTurn
from tests.support.backend import opened
from tests.support.template import migrated_url
from tests.support.toyscene import FEATURE, Table


@pytest_asyncio.fixture
async def table(database_kind: str, tmp_path: Path) -> AsyncIterator[Table]:
    """A house with scenes."""
    with migrated_url(database_kind, tmp_path) as url:
        async with opened(url, more=[FEATURE]) as house:
            yield Table(house)


async def whole(table: Table) -> None:
    """Require a whole ledger, before and after a rebuild."""
    for act in (audit.check_ledgers, audit.rebuild_states):
        assert [item.faults for item in await act(table.house.database, table.house.kernel.kinds)] == [()]


@pytest.mark.slow
async def test_a_scene_is_played_to_its_end(table: Table) -> None:
    """Turns, joining and leaving are entered."""
    await table.begin("Ann", "Bob", "Cid")
    await table.next()
    await table.join("Dan", after=2)
    seen = []
    for _ in range(3):
        scene = await table.scene()
        seen.append(next(item.name for item in scene.roster if item.id == scene.now))
        await table.next()
    assert seen == ["Bob", "Dan", "Cid"]
    await table.leave("Ann")
    scene = await table.scene()
    assert (scene.header.turn, scene.now, [item.name for item in scene.roster]) == (2, 2, ["Bob", "Dan", "Cid"])
    await whole(table)
    await table.over()
    kept = await table.house.state()
    assert [name for key, name in kept if key == "scene:the docks"] == ["scene"]
    await whole(table)


async def test_the_header_tells_since_when_a_turn_lasts(table: Table) -> None:
    """By the turn's first entry."""
    begun = await table.begin("Ann", "Bob")
    assert (await table.scene()).header.since == begun.number
    joined = await table.join("Cid")
    assert (await table.scene()).header.since == begun.number
    ended = await table.next()
    assert (await table.scene()).header.since == ended.number == joined.number + 1


async def test_a_scene_is_found_in_every_way(table: Table) -> None:
    """Name, entry, channel, or the only one."""
    begun = await table.begin("Ann", channel="77")
    for which in ("the DOCKS", begun.number, None):
        assert (await table.scene(which)).header.entry == begun.number
    other = await table.begin("Bob", name="The roof")
    assert (await table.scene(None, 77, 5)).header.entry == begun.number
    assert (await table.scene(other.number)).name == "The roof"
    with pytest.raises(BadInput, match="Several scenes are being played: The roof and The docks"):
        await table.scene()
    thread = await table.begin("Cid", name="The cellar", channel="770")
    assert (await table.scene(None, 770, 77)).header.entry == thread.number


@pytest.mark.parametrize(("typed", "told"), [("The duck", "Did you mean The docks"), ("Mars", "Begin one")])
async def test_an_unknown_name_is_refused_with_the_nearest(table: Table, typed: str, told: str) -> None:
    """Or with how to begin one."""
    await table.begin("Ann")
    with pytest.raises(BadInput, match=told):
        await table.scene(typed)


async def test_what_is_over_is_told_as_over(table: Table) -> None:
    """Its name can be used again."""
    begun = await table.begin("Ann")
    await table.over()
    with pytest.raises(NotOpen, match="The docks is over: it ended in turn 1"):
        await table.scene("The docks")
    again = await table.begin("Ann")
    assert (await table.scene("The docks")).header.entry == again.number
    with pytest.raises(NotOpen, match="That scene is over"):
        await table.scene(begun.number)


async def test_a_turn_that_was_seen_is_ended_once(table: Table) -> None:
    """The second press is refused."""
    begun = await table.begin("Ann", "Bob")
    seen = SeenTurn(begun.number, 1, (await table.scene()).now)
    await table.next(seen)
    with pytest.raises(NotOpen, match="That turn of The docks is already over"):
        await table.next(seen)


@pytest.mark.parametrize(
    ("name", "told"), [("Ann", "Ann is already in The docks"), ("The docks", "is already being played")]
)
async def test_nobody_stands_in_two_scenes(table: Table, name: str, told: str) -> None:
    """Neither subject nor name."""
    await table.begin("Ann")
    with pytest.raises(BadInput, match=told):
        await table.begin(name if name == "Ann" else "Bob", name="The roof" if name == "Ann" else name)


@pytest.mark.slow
async def test_a_beginning_is_taken_back_with_all_that_hangs_on_it(table: Table) -> None:
    """Joins and turns too."""
    begun = await table.begin("Ann", "Bob")
    await table.join("Cid")
    await table.next()
    await table.house.take_back(begun.number)
    assert not [key for key in await table.house.state() if key[0].startswith("scene:")]
    await whole(table)


async def test_scenes_of_one_campaign_are_no_business_of_another(table: Table) -> None:
    """Numbers aren't shared."""
    await table.begin("Ann")
    values = await table.house.database.read(state.find_values_named, table.house.campaign.id + 1, ["unit.1"])
    assert values == {}


@pytest.mark.slow
async def test_an_end_is_not_taken_back_under_who_stands_elsewhere_by_now(table: Table) -> None:
    """Only after leaving the newer scene."""
    await table.begin("Ann", "Bob")
    over = await table.over()
    roof = await table.begin("Bob", name="The roof")
    with pytest.raises(NotOpen, match="Bob is in The roof now"):
        await table.house.take_back(over.number)
    await table.house.take_back(roof.number)
    await table.house.take_back(over.number)
    assert [item.name for item in (await table.scene()).roster] == ["Ann", "Bob"]
    await whole(table)
