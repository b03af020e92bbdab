"""Weeks without panels: rolled, set, undone."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.cogs.weather import rollover
from bot.cogs.weather.queries import StoredWeek
from bot.cogs.weather.rollover import NextWeek
from bot.core.database import Database
from bot.core.errors import BadInput, NotOpen
from bot.outbox import queue as posts
from bot.rolls.resolver import RollResult
from rules.books.campaign.weather import ZoneForecast
from tests.cogs.weather import seasons
from tests.cogs.weather.skies import FAIR, STORMY
from tests.support.backend import GM, RESULTS, House
from tests.support.world import START


async def test_a_rollover_is_one_entry_and_one_post(house: House) -> None:
    """Its digest is queued."""
    rolled = await seasons.roll(house, *STORMY)
    house.dice.finish()
    body = rolled.entry.content()
    assert (rolled.entry.number, rolled.entry.kind, rolled.entry.audience) == (2, "roll", "results")
    assert [part["steps"][0]["faces"] for part in body["parts"]] == [[face] for face in STORMY]
    assert (body["week"], body["weather"]["week"], body["weather"]["last"]) == (1, 1, None)
    assert {(item.kind, item.channel_id, item.state) for item in rolled.posts} == {("results", RESULTS, "queued")}
    assert [item.page for item in rolled.posts] == list(range(1, len(rolled.posts) + 1))
    assert (await seasons.read_stored(house, 1)).zones["antarctic"] == "category-6-west"
    assert await seasons.read_span(house) == (1, 1)
    assert await seasons.whole(house)


async def test_what_carries_over_stands_in_the_entry_with_its_reason(house: House) -> None:
    """Watches follow the zones."""
    await seasons.roll(house, *STORMY)
    forecast = await seasons.forecast_next(house)
    body = (await seasons.roll(house, *FAIR, *[20] * len(forecast.watches))).entry.content()
    house.dice.finish()
    step = body["parts"][0]["steps"][0]
    (counted,) = [item for item in step["modifiers"] if item["count"]]
    assert (step["sum"], step["total"], counted["line"]) == (-1, 19, 258)
    assert counted["origin"] == {"kind": "weather", "label": "weather, week 1"}
    regions = [part["subjects"].get("region") for part in body["parts"]]
    assert regions == [None] * 5 + [watch.region.label for watch in forecast.watches]
    assert len(forecast.watches) > 5


async def test_a_week_is_rolled_once_and_the_answer_leads_to_it(house: House) -> None:
    """With the entry, and a link once posted."""
    ahead = await seasons.preview(house, 1)
    rolled = await seasons.roll(house, *FAIR)
    before = await seasons.count_written(house)
    with pytest.raises(NotOpen, match="Week 1 is already rolled: entry #2") as refusal:
        await seasons.press(house, ahead.key)
    assert refusal.value.link is None
    for item in rolled.posts:
        await house.database.write(posts.mark_sent, item, 77)
    with pytest.raises(NotOpen, match="already rolled") as refusal:
        await seasons.preview(house, 1)
    assert refusal.value.link == f"https://discord.com/channels/{GM.guild_id}/{RESULTS}/77"
    assert await seasons.count_written(house) == before


async def test_no_week_is_left_out_and_none_before_the_first_is_rolled(house: House) -> None:
    """Earlier and later weeks are refused."""
    with pytest.raises(BadInput) as refusal:
        await seasons.preview(house, 37)
    assert refusal.value.do == "Week 1 comes first. Already running? Use /weather set week:36."
    await seasons.put(house, "australia", "7", 4)
    for number, answer in [(6, "Week 5 comes first"), (3, "before the first known week")]:
        with pytest.raises(BadInput, match=answer):
            await seasons.preview(house, number)
    with pytest.raises(NotOpen, match="Week 4 is already set by hand: entry #2"):
        await seasons.preview(house, 4)
    assert (await seasons.roll(house, *FAIR)).entry.content()["week"] == 5


async def test_what_changed_since_the_preview_is_shown_before_it_is_rolled(house: House) -> None:
    """No die is drawn."""
    await seasons.roll(house, *FAIR)
    ahead = await seasons.preview(house)
    await seasons.put(house, "North Africa", "6")
    before = await seasons.count_written(house)
    anew = await seasons.press(house, ahead.key)
    assert isinstance(anew, NextWeek)
    assert [item.weighed.sum for item in anew.forecast.zones] == [0, 0, -1, 0, 0]
    assert await seasons.count_written(house) == before
    house.dice.script(*FAIR, *[20] * len(anew.forecast.watches))
    assert isinstance(await seasons.press(house, anew.key), RollResult)
    house.dice.finish()


async def test_a_preview_sees_whatever_it_shows(house: House) -> None:
    """Each detail counts."""
    await seasons.roll(house, *FAIR)
    seen = {"fair": (await seasons.preview(house)).key.seen}
    await seasons.put(house, "australia", "7")
    ahead = await seasons.preview(house)
    assert ahead.forecast.watches == ()
    seen["carry-over"] = ahead.key.seen
    zone, *others = ahead.forecast.zones
    odds = {**zone.odds, "good": zone.odds["good"] / 2}
    seen["odds"] = with_zones(ahead, replace(zone, odds=odds), *others).key.seen
    label = replace(zone, zone=replace(zone.zone, label="The Cape"))
    seen["label"] = with_zones(ahead, label, *others).key.seen
    seen["hand"] = replace(ahead, newest=replace(newest(ahead), rolled_at=None)).key.seen
    seen["again"] = replace(ahead, newest=replace(newest(ahead), rolled_at=START)).key.seen
    seen["later"] = replace(ahead, newest=replace(newest(ahead), rolled_at=START + timedelta(hours=1))).key.seen
    await seasons.put(house, "south-asia", "5")
    seen["watches"] = (await seasons.preview(house)).key.seen
    assert seen.pop("again") == seen["carry-over"]
    assert len(set(seen.values())) == len(seen)
    assert (await seasons.preview(house)).key.seen == seen["watches"]


def with_zones(ahead: NextWeek, *zones: ZoneForecast) -> NextWeek:
    """The same week with other forecasts."""
    return replace(ahead, forecast=replace(ahead.forecast, zones=zones))


def newest(ahead: NextWeek) -> StoredWeek:
    """The newest week."""
    assert ahead.newest is not None
    return ahead.newest


async def test_of_presses_at_once_one_rolls(house: House) -> None:
    """The others read which entry it is."""
    ahead = await seasons.preview(house)
    house.dice.script(*FAIR)
    second = Database(house.database.engine.url.render_as_string(hide_password=False))
    try:
        both = [(house.database, house.resolver), (second, seasons.another(second, FAIR))] * 4
        presses = (
            database.write(rollover.roll, resolver, GM, house.campaign.id, ahead.key) for database, resolver in both
        )
        answers = await asyncio.gather(*presses, return_exceptions=True)
    finally:
        await second.close()
    refusals = [str(item) for item in answers if isinstance(item, NotOpen)]
    assert [type(item) for item in answers if not isinstance(item, NotOpen)] == [RollResult]
    assert len(refusals) == 7
    assert all("entry #2" in answer for answer in refusals)
    assert [entry.content().get("week") for entry in await house.entries()] == [None, 1]
    assert [item.entry_number for item in await house.database.read(lambda tx: posts.posts_of_entry(tx, 1, 2))] == [2]
    assert await seasons.whole(house)


@pytest.mark.slow
async def test_the_opening_state_may_be_set_back_week_by_week(house: House) -> None:
    """Week 38 carries over from both."""
    opening = (await seasons.put(house, "Australia", "7", 37)).entry.content()
    await seasons.put(house, "South and Southeast Asia", "category 3", 37)
    await seasons.put(house, "south-asia", "3", 36)
    assert (opening["opening"], opening["before"], opening["after"]) == (True, None, "category-7")
    assert await seasons.read_span(house) == (36, 37)
    forecast = await seasons.forecast_next(house)
    assert (forecast.number, await seasons.sums(house)) == (38, [0, 0, 0, -1, 0])
    watched = ["india", "sri-lanka", "southeast-asia", "malaysia", "philippines", "indonesia"]
    assert [watch.region.id for watch in forecast.watches] == watched
    assert (await seasons.roll(house, *FAIR, 20, 20, 20, 20, 20, 20)).entry.content()["week"] == 38
    house.dice.finish()
    assert (await seasons.read_stored(house, 36)).zones == {"south-asia": "category-3"}
    assert await seasons.whole(house)


UNSETTABLE = [  # what is asked for; what is wrong with it, and what is suggested
    (("Australa", "good", None), "Australa", "Did you mean Australia"),
    (("atlantis", "good", None), "atlantis", ""),
    (("antarctic", "6", None), "has no category '6'", "6 "),
    (("australia", "8", None), "has no category '8'", "7"),
    (("australia", "gud", None), "has no category 'gud'", "Did you mean Good"),
    (("australia", "good", 39), "Week 39 isn't rolled yet", "The newest is week 38"),
    (("australia", "good", 35), "Week 35 can't be set: it would leave a gap", "Set week 36 first"),
    (("australia", "good", 0), "it would leave a gap", "Set week 36 first"),
]


async def test_what_cannot_be_set_is_refused_with_what_can(house: House) -> None:
    """With a suggestion; nothing is written."""
    await seasons.put(house, "australia", "7", 37)
    await seasons.roll(house, *FAIR)
    before = await seasons.count_written(house)
    for asked, what, do in UNSETTABLE:
        with pytest.raises(BadInput, match=what) as refusal:
            await seasons.put(house, *asked)
        assert do.casefold() in refusal.value.do.casefold()
    assert await seasons.count_written(house) == before


@pytest.mark.slow
async def test_a_set_week_is_read_anew_with_its_floods(house: House) -> None:
    """A watch's 15 floods wet weeks only."""
    await seasons.roll(house, *seasons.MONSOON)
    await seasons.roll(house, *FAIR, 15, 1, 20, 20, 20, 20, 20)
    house.dice.finish()
    assert await seasons.list_flooded(house) == ["sri-lanka"]
    await seasons.put(house, "south-asia", "3")
    assert await seasons.list_flooded(house) == list(seasons.WATCHED)
    await seasons.put(house, "south-asia", "good", 2)
    assert await seasons.list_flooded(house) == ["sri-lanka"]
    assert (await seasons.read_stored(house, 2)).watches.keys() == set(seasons.WATCHED)
    assert await seasons.whole(house)


async def test_a_set_week_leaves_later_weeks_as_they_were_rolled(house: House) -> None:
    """With its old value."""
    for _ in range(3):
        await seasons.roll(house, *FAIR)
    later = await seasons.read_stored(house, 3), await seasons.sums(house)
    body = (await seasons.put(house, "north-africa", "category-6", 2)).entry.content()
    assert (body["before"], body["after"], body["week"], body["opening"]) == ("good", "category-6", 2, False)
    assert (await seasons.read_stored(house, 3), await seasons.sums(house)) == later
    assert (await seasons.week(house, 2))["congo"] == ["severe-storms", "thick-fog", "overcast"]
    assert (await seasons.week(house, 3))["congo"] == ["good"]


async def test_a_week_keeps_which_entry_set_it(house: House) -> None:
    """The first stays beside it."""
    await seasons.put(house, "australia", "7", 9)
    await seasons.roll(house, *FAIR)
    made = [(await seasons.report(house, number)).stored for number in (9, 10)]
    assert [(kept.entry, kept.changed) for kept in made] == [(2, None), (3, None)]
    for number, category in ((10, "7"), (10, "6"), (9, "7")):
        await seasons.put(house, "north-africa", category, number)
    made = [(await seasons.report(house, number)).stored for number in (9, 10)]
    assert [(kept.entry, kept.changed) for kept in made] == [(2, 6), (3, 5)]
    assert await seasons.whole(house)


async def test_what_is_set_names_the_newer_weeks_that_stay_as_rolled(house: House) -> None:
    """Set ones don't count."""
    answer = [(await seasons.put(house, "australia", "7", number)).entry.content()["newer"] for number in (3, 2)]
    await seasons.roll(house, *FAIR)
    answer += [(await seasons.put(house, "australia", "6", number)).entry.content()["newer"] for number in (2, 4)]
    await seasons.roll(house, *FAIR, *[20] * 4)
    answer += [(await seasons.put(house, "australia", "5", number)).entry.content()["newer"] for number in (1, 4)]
    assert answer == [None, None, [4, 4], None, [4, 5], [5, 5]]


async def test_what_is_so_already_is_not_set(house: House) -> None:
    """Unless its meaning changed."""
    await seasons.roll(house, *FAIR)
    await seasons.put(house, "north-africa", "7")
    before = await seasons.count_written(house)
    with pytest.raises(BadInput, match="It's already like that"):
        await seasons.put(house, "north-africa", "category-7")
    assert await seasons.count_written(house) == before
    await seasons.edit(house, "7", "congo", "fog")
    await seasons.put(house, "north-africa", "7")
    assert (await seasons.week(house))["congo"] == ["fog"]


async def test_what_is_set_carries_over(house: House) -> None:
    """However it was made."""
    await seasons.roll(house, *FAIR)
    await seasons.put(house, "antarctic", "7 East")
    assert await seasons.sums(house) == [0, 0, 0, 0, -1]
    assert (await seasons.roll(house, *FAIR)).entry.content()["parts"][4]["steps"][0]["total"] == 9


async def test_the_reason_lies_beside_the_entry(house: House) -> None:
    """Without one, nothing happens."""
    await seasons.roll(house, *FAIR)
    before = await seasons.count_written(house)
    for reason in ("   ", "x" * 501):
        with pytest.raises(BadInput):
            await seasons.put(house, "australia", "6", reason=reason)
        with pytest.raises(BadInput):
            await seasons.undo(house, reason)
    assert await seasons.count_written(house) == before
    by_hand = (await seasons.put(house, "australia", "6")).entry
    for entry in (by_hand, *(by for _, by in (await seasons.undo(house, "as agreed")).pairs)):
        assert entry.text("reason") == "as agreed"
        assert "as agreed" not in entry.body


async def test_undo_takes_back_the_newest_rollover_alone(house: House) -> None:
    """Carry-over follows."""
    await seasons.roll(house, *STORMY)
    before = await seasons.sums(house), await house.state()
    for faces in (FAIR, seasons.MONSOON):
        forecast = await seasons.forecast_next(house)
        await seasons.roll(house, *faces, *[20] * len(forecast.watches))
    undone = [(await seasons.undo(house, "a slip")).pairs for _ in range(2)]
    assert [[entry.content()["week"] for entry, _ in pairs] for pairs in undone] == [[3], [2]]
    assert await seasons.read_span(house) == (1, 1)
    state = await house.state()
    marks = {key: state.pop(key) for key in [("entry:3", "voided"), ("entry:4", "voided")]}
    assert marks == {("entry:3", "voided"): {"by": 6}, ("entry:4", "voided"): {"by": 5}}
    assert (await seasons.sums(house), state) == before
    assert [entry.kind for entry in await house.entries()] == ["campaign", "roll", "roll", "roll", "void", "void"]
    assert await seasons.whole(house)


async def test_an_undone_week_is_rolled_again(house: House) -> None:
    """And undone again."""
    await seasons.roll(house, *STORMY)
    await seasons.undo(house, "a slip")
    assert await seasons.read_span(house) is None
    again = await seasons.roll(house, *FAIR)
    assert (again.entry.number, again.entry.content()["week"]) == (4, 1)
    assert (await seasons.read_stored(house, 1)).zones["australia"] == "good"
    await seasons.undo(house, "another")
    assert await seasons.read_span(house) is None
    assert await seasons.whole(house)


@pytest.mark.slow
async def test_undo_after_a_set_takes_the_rolled_week_with_what_was_set(house: House) -> None:
    """Not what was set elsewhere."""
    await seasons.put(house, "australia", "7", 9)
    await seasons.roll(house, *FAIR)
    await seasons.put(house, "north-africa", "7")
    await seasons.put(house, "antarctic", "good", 9)
    assert [entry.number for entry, _ in (await seasons.undo(house, "a slip")).pairs] == [4, 3]
    assert (await seasons.read_span(house), await seasons.sums(house)) == ((9, 9), [0, 0, 0, -1, 0])
    await house.take_back(2, "the opening")
    assert await seasons.read_span(house) is None
    await seasons.put(house, "australia", "good", 8)
    assert await seasons.read_span(house) == (8, 8)
    assert await seasons.whole(house)


@pytest.mark.slow
async def test_the_queries_tell_what_is_known(house: House) -> None:
    """Newest first."""
    with pytest.raises(BadInput, match="has no weather yet"):
        await seasons.report(house)
    with pytest.raises(BadInput, match="has no weather yet"):
        await seasons.history(house, 5)
    await seasons.put(house, "australia", "7", 3)
    for _ in range(2):
        await seasons.roll(house, *FAIR)
    assert [item.number for item in (await seasons.history(house, 5)).weeks] == [5, 4, 3]
    assert [item.number for item in (await seasons.history(house, 2)).weeks] == [5, 4]
    answer = (await seasons.report(house, 3)).account
    assert [zone["outcome"] for zone in answer["zones"]] == [None, None, None, "category-7", None]
    with pytest.raises(BadInput, match=r"I don't know the weather of week 6\. Pick a week from 3 to 5"):
        await seasons.report(house, 6)


async def test_the_digest_tells_what_changed(house: House) -> None:
    """With the old weather."""
    await seasons.roll(house, *seasons.MONSOON)
    await seasons.roll(house, *FAIR, 1, *[20] * 6)
    for zone in (await seasons.report(house, 2)).account["zones"]:
        for place in zone["regions"]:
            assert (place["was"] is None) == (zone["id"] != "south-asia")
    await seasons.roll(house, *FAIR)
    changed = {place["id"]: place["was"] for zone in (await seasons.report(house, 3)).account["zones"]
               for place in zone["regions"] if place["was"]}  # fmt: skip
    assert changed == {"india": ["Good weather", "Mud/Flood"]}
