"""The digest shows the public weather map."""

from __future__ import annotations

import pytest

from bot.core import entries
from tests.cogs.weather.skywatch import FAIR, roll
from tests.cogs.weather.test_posts import images, require_map
from tests.orders.ordering import order, populate
from tests.orders.test_resolving import resolved
from tests.support.acting import close_update, take_back, use_desk
from tests.support.reading import newest, said, text
from tests.support.world import World, entry, rows


async def assaulted(world: World) -> None:
    """Resolve a public assault."""
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    await resolved(world, 10, 10)


async def test_the_public_digest_has_the_newest_weeks_map_and_words(world: World) -> None:
    """The staff's copy has results only."""
    await populate(world)
    await roll(world, *FAIR)
    await assaulted(world)
    shown = newest(world.results)
    require_map(shown)
    assert "Results: Update 1" in (shown.embeds[0].title or "")
    assert "assaults Fort Anvil" in text(shown).replace("*", "")
    assert shown.embeds[-1].title == "Weather of week 1"
    assert "No warnings, no Mud/Flood." in text(shown)
    whole = newest(world.staff)
    assert "Results: Update" in text(whole)
    assert not whole.attachments
    assert not images(whole)
    number = rows(world, "select number from entry where kind = 'digest'")[0][0]
    assert entry(world, number)["weather"]["week"] == 1
    assert "Weather of week 1" in said(await world.player.slash(world.orders, "ledger", entry=number))


@pytest.mark.slow
async def test_the_week_that_counts_stays_until_another_is_rolled(world: World) -> None:
    """Also in the next update."""
    await populate(world)
    await roll(world, *FAIR)
    await close_update(world)
    await assaulted(world)
    assert newest(world.results).embeds[-1].title == "Weather of week 1"


async def test_the_map_is_shown_again_only_once_it_has_changed(world: World) -> None:
    """Not in the next update's digest, but after another week; and again if that digest is undone."""
    await populate(world)
    await roll(world, *FAIR)
    await assaulted(world)
    assert newest(world.results).attachments
    await close_update(world)
    await assaulted(world)
    assert "Weather" not in text(newest(world.results))
    assert not newest(world.results).attachments
    await close_update(world)
    await roll(world, *FAIR)
    await assaulted(world)
    assert newest(world.results).embeds[-1].title == "Weather of week 2"
    number = rows(world, "select max(number) from entry where kind = 'digest'")[0][0]
    await take_back(world, "gm undo", entry=number, reason="A slip")
    await use_desk(world.gm, world.orders, "Digest")
    assert newest(world.results).embeds[-1].title == "Weather of week 2"


@pytest.mark.slow
async def test_a_digest_without_weather_is_words_alone(world: World) -> None:
    """Unknown, off, or partly staff only."""
    await populate(world)
    await assaulted(world)
    assert "Weather" not in text(newest(world.results))
    assert not newest(world.results).attachments
    await roll(world, *FAIR)
    hidden = rows(world, "select max(number) from entry")[0][0]
    await world.bots[-1].database.write(entries.set_audience, 1, hidden, "mixed")
    await close_update(world)
    await assaulted(world)
    assert "Weather" not in text(newest(world.results))
    assert not newest(world.results).attachments
