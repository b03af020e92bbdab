"""Changed climate, permissions, and no weather."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest
from msgspec.structs import replace

from bot.cogs.weather import queries
from bot.cogs.weather.panel import _cell_modal
from bot.cogs.weather.rollover import PreviewKey, RegionCategory
from bot.core import entries
from bot.core.errors import BadInput, NotAllowed, NotOpen
from bot.core.permissions import Person
from rules.book import Condition
from rules.climate import Climate
from rules.ruleset import take_fingerprint
from tests.cogs.weather import seasons
from tests.cogs.weather.skies import FAIR
from tests.support.backend import GM, GM_ROLE, PLAYER, STRANGER, House, opened, patrol
from tests.support.world import BOOKS

BOOK = BOOKS["campaign"]
FOREIGNER = Person(GM.user_id, GM.guild_id + 99, frozenset({GM_ROLE}), manages_server=True)


async def climate(house: House) -> Climate:
    """What the campaign has changed."""
    meant = await house.database.read(queries.read_meanings, house.resolver.library, house.campaign)
    return meant.climate


async def test_an_edited_cell_counts_from_the_next_rollover_on(house: House) -> None:
    """The rolled week stays."""
    await seasons.roll(house, *FAIR)
    entry = await seasons.edit(house, "good", "India", "storms", "severe-storms")
    assert (entry.content()["before"], entry.content()["after"]) == (["Good weather"], ["Storms", "Severe Storms"])
    assert (await seasons.week(house))["india"] == ["good"]
    await seasons.roll(house, *FAIR)
    assert (await seasons.week(house))["india"] == ["storms", "severe-storms"]
    await seasons.roll(house, *FAIR, 20)
    house.dice.finish()
    assert await seasons.list_flooded(house) == ["india"]
    assert await seasons.whole(house)


async def test_set_and_forecast_read_the_edited_cell(house: House) -> None:
    """As the campaign has it."""
    await seasons.roll(house, *FAIR)
    await seasons.edit(house, "category 1", "congo", "violent-storms")
    await seasons.put(house, "north-africa", "1")
    assert (await seasons.week(house))["congo"] == ["violent-storms"]
    forecast = await seasons.forecast_next(house)
    (congo,) = [item for item in forecast.regions if item.region.id == "congo"]
    assert congo.odds["violent-storms"] * 20 == 3 + 1


@pytest.mark.slow
async def test_a_cell_changed_back_is_no_change(house: House) -> None:
    """In any order of conditions."""
    for category, region in [("2", "madagascar"), ("7 West", "davis-sea"), ("7", "arabia"), ("good", "india")]:
        cell = await seasons.cell_of(house, category, region)
        land = cell.region.land
        await seasons.edit(house, category, region, "heatwave", land=not land)
        assert (await climate(house)).cells == {(cell.outcome, cell.region.id): ("heatwave",)}
        assert (await climate(house)).land == {cell.region.id: not land}
        await seasons.edit(house, category, region, *reversed(cell.conditions), land=land)
        assert await climate(house) == Climate()
    assert await seasons.whole(house)


async def test_land_made_sea_has_no_watch_and_the_other_way_round(house: House) -> None:
    """From the next rollover."""
    await seasons.roll(house, *seasons.MONSOON)
    await seasons.edit(house, "good", "india", "good", land=False)
    await seasons.edit(house, "6", "arabian-sea", "severe-storms", "violent-storms", "overcast")
    forecast = await seasons.forecast_next(house)
    assert [watch.region.id for watch in forecast.watches] == ["arabian-sea", *seasons.WATCHED[1:]]
    changed = await climate(house)
    assert (changed.cells, changed.land) == ({}, {"india": False, "arabian-sea": True})


UNTHINKABLE = [  # a cell, the picked conditions, and the answer
    (("good", "india"), ("mud-flood",), "Only the Flood Watch brings Mud/Flood"),
    (("good", "india"), ("hail",), "the condition 'hail'"),
    (("good", "india"), (), "at least one condition"),
    (("good", "india"), ("good", "fog"), "Good weather can't be combined"),
    (("good", "india"), ("good",), "already like that"),
    (("3", "atlantis"), ("fog",), "the region 'atlantis'"),
    (("good", "Indai"), ("fog",), "Did you mean India"),
    (("9", "india"), ("fog",), "has no category '9'"),
]


async def test_what_no_region_can_have_is_refused(house: House) -> None:
    """Nothing is written."""
    before = await seasons.count_written(house)
    for cell, conditions, answer in UNTHINKABLE:
        with pytest.raises(BadInput, match=answer):
            await seasons.edit(house, *cell, *conditions)
    assert await seasons.count_written(house) == before


async def test_the_longest_ids_fit_the_cell_modal(house: House) -> None:
    """With 25 conditions."""
    cell = await seasons.cell_of(house, "good", "india")
    known = {f"w{number}": Condition(f"w{number}", "W" * 100, 1, "W") for number in range(25)}
    book = replace(cell.book, conditions={**known, "mud-flood": cell.book.conditions["mud-flood"]})
    zone = replace(cell.zone, climate={"o" * 40: {"r" * 40: ("w1",)}})
    region = replace(cell.region, id="r" * 40, label="R" * 90)
    window = _cell_modal(replace(house.campaign, id=99_999), RegionCategory(zone, region, "o" * 40, book)).to_dict()
    assert len(window["custom_id"]) == 100
    assert len(window["title"]) <= 45
    (options,) = [
        item["component"]["options"] for item in window["components"] if len(item["component"]["options"]) > 2
    ]
    assert [len(item["label"]) for item in options] == [100] * 25


async def test_the_book_of_each_week_is_kept(house: House) -> None:
    """Changed back, it has the first."""
    first = (await seasons.roll(house, *FAIR)).entry
    await seasons.edit(house, "good", "india", "fog", land=False)
    second = (await seasons.roll(house, *FAIR)).entry
    await seasons.edit(house, "good", "india", "good")
    third = (await seasons.roll(house, *FAIR)).entry
    assert first.book == third.book == BOOK.fingerprint != second.book
    kept = await house.database.read(lambda tx: list(entries.list_kept_books(tx, house.campaign.id)))
    meant = {}
    for version, _, content in kept:
        zone = json.loads(content)["zones"]["south-asia"]
        (land,) = [region["land"] for region in zone["regions"] if region["id"] == "india"]
        meant[version] = zone["climate"]["good"]["india"], land
    assert meant == {first.book: (["good"], True), second.book: (["fog"], False)}


Deed = Callable[[House, Person], Awaitable[object]]


DEEDS: dict[str, Deed] = {
    "preview": lambda house, who: seasons.preview(house, who=who),
    "roll": lambda house, who: seasons.press(house, PreviewKey(2, "0000"), who),
    "set": lambda house, who: seasons.put(house, "australia", "6", who=who),
    "cell": lambda house, who: seasons.cell_of(house, "good", "india", who=who),
    "edit": lambda house, who: seasons.edit(house, "good", "india", "fog", who=who),
}


@pytest.mark.parametrize("deed", DEEDS)
async def test_only_game_masters_of_an_open_campaign_touch_the_weather(house: House, deed: str) -> None:
    """Archived campaigns too."""
    await seasons.roll(house, *FAIR)
    before = await seasons.count_written(house)
    for who in (PLAYER, STRANGER, FOREIGNER):
        with pytest.raises(NotAllowed, match="Only game masters of Iron Sea"):
            await DEEDS[deed](house, who)
    assert await seasons.count_written(house) == before
    await DEEDS[deed](house, GM)
    house.campaign = await house.archive(archived=True)
    before = await seasons.count_written(house)
    with pytest.raises(NotOpen, match="Iron Sea is archived"):
        await DEEDS[deed](house, GM)
    assert await seasons.count_written(house) == before


async def test_a_campaign_without_such_a_book_has_no_weather(database_url: str) -> None:
    """Other rolls go on."""
    without = replace(BOOK, zones={})
    dry = {"campaign": replace(without, fingerprint=take_fingerprint(without))}
    async with opened(database_url, books=dry) as house:
        before = await seasons.count_written(house)
        for deed in DEEDS.values():
            with pytest.raises(BadInput, match="None of the books of Iron Sea has weather"):
                await deed(house, GM)
        for look in (seasons.forecast_next, climate):
            with pytest.raises(BadInput, match="None of the books of Iron Sea has weather"):
                await look(house)
        assert await seasons.count_written(house) == before
        rolled = await house.roll(replace(patrol("Zaku"), region="India"), 18)
        assert rolled.entry.content()["parts"][0]["outcome"]["id"] == "battle"
