"""Weeks of weather below the panels: rolled once, set by hand, taken back; and a climate that a game master changes."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from msgspec.structs import replace

from bot.cogs.weather import rollover
from bot.cogs.weather.queries import StoredWeek
from bot.cogs.weather.rollover import NextWeek
from bot.core.database import Database
from bot.errors import BadInput, NotOpen
from bot.outbox import store as posts
from bot.rolls.resolver import Rolled
from rules.books.campaign.weather import ZoneForecast
from tests.cogs.weather.seasons import (
    MONSOON,
    WATCHED,
    another,
    coming,
    edit,
    flooded,
    history,
    kept,
    known,
    press,
    preview,
    put,
    report,
    roll,
    sums,
    undo,
    week,
    whole,
    written,
)
from tests.cogs.weather.skies import FAIR, STORMY
from tests.support.backend import GM, RESULTS, House
from tests.support.world import START


async def test_a_rollover_is_one_entry_and_one_post(house: House) -> None:
    """Five dice, one entry for all, with the week in it and in the state, and its digest queued for the results channel."""
    rolled = await roll(house, *STORMY)
    house.dice.finish()
    body = rolled.entry.content()
    assert (rolled.entry.number, rolled.entry.kind, rolled.entry.audience) == (2, "roll", "results")
    assert [part["steps"][0]["faces"] for part in body["parts"]] == [[face] for face in STORMY]
    assert (body["week"], body["weather"]["week"], body["weather"]["last"]) == (1, 1, None)
    assert {(item.kind, item.channel_id, item.state) for item in rolled.posts} == {("results", RESULTS, "queued")}
    assert [item.page for item in rolled.posts] == list(range(1, len(rolled.posts) + 1))
    assert (await kept(house, 1)).zones["antarctic"] == "category-6-west"
    assert await known(house) == (1, 1)
    assert await whole(house)


async def test_what_carries_over_stands_in_the_entry_with_its_reason(house: House) -> None:
    """South Africa's die takes -1 for the Antarctic's week before, and the watches that were due stand behind the zones."""
    await roll(house, *STORMY)
    forecast = await coming(house)
    body = (await roll(house, *FAIR, *[20] * len(forecast.watches))).entry.content()
    house.dice.finish()
    step = body["parts"][0]["steps"][0]
    (counted,) = [item for item in step["modifiers"] if item["count"]]
    assert (step["sum"], step["total"], counted["line"]) == (-1, 19, 258)
    assert counted["origin"] == {"kind": "weather", "label": "weather, week 1"}
    regions = [part["subjects"].get("region") for part in body["parts"]]
    assert regions == [None] * 5 + [watch.region.label for watch in forecast.watches]
    assert len(forecast.watches) > 5


async def test_a_week_is_rolled_once_and_the_answer_leads_to_it(house: House) -> None:
    """RollCommand for again it is refused with the entry's number, and with a link once its digest stands in the channel."""
    ahead = await preview(house, 1)
    rolled = await roll(house, *FAIR)
    before = await written(house)
    with pytest.raises(NotOpen, match="Week 1 is already rolled: entry #2") as refusal:
        await press(house, ahead.key)
    assert refusal.value.link is None
    for item in rolled.posts:
        await house.database.write(posts.mark_sent, item, 77)
    with pytest.raises(NotOpen, match="already rolled") as refusal:
        await preview(house, 1)
    assert refusal.value.link == f"https://discord.com/channels/{GM.guild_id}/{RESULTS}/77"
    assert await written(house) == before


async def test_no_week_is_left_out_and_none_before_the_first_is_rolled(house: House) -> None:
    """A week beyond the next one waits for those between; one before the first known week is gone; a set one is set."""
    with pytest.raises(BadInput) as refusal:
        await preview(house, 37)
    assert refusal.value.do == "Week 1 comes first. Already running? Use /weather set week:36."
    await put(house, "australia", "7", 4)
    for number, told in [(6, "Week 5 comes first"), (3, "before the first known week")]:
        with pytest.raises(BadInput, match=told):
            await preview(house, number)
    with pytest.raises(NotOpen, match="Week 4 is already set by hand: entry #2"):
        await preview(house, 4)
    assert (await roll(house, *FAIR)).entry.content()["week"] == 5


async def test_what_changed_since_the_preview_is_shown_before_it_is_rolled(house: House) -> None:
    """A press on a preview that is out of date draws no die and gives the preview as it is now, which rolls."""
    await roll(house, *FAIR)
    ahead = await preview(house)
    await put(house, "North Africa", "6")
    before = await written(house)
    anew = await press(house, ahead.key)
    assert isinstance(anew, NextWeek)
    assert [item.weighed.sum for item in anew.forecast.zones] == [0, 0, -1, 0, 0]
    assert await written(house) == before
    house.dice.script(*FAIR, *[20] * len(anew.forecast.watches))
    assert isinstance(await press(house, anew.key), Rolled)
    house.dice.finish()


async def test_a_preview_sees_whatever_it_shows(house: House) -> None:
    """A carry-over alone, the odds, a reason, a watch and how the newest week came about each make another preview of it."""
    await roll(house, *FAIR)
    seen = {"fair": (await preview(house)).key.seen}
    await put(house, "australia", "7")
    ahead = await preview(house)
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
    await put(house, "south-asia", "5")
    seen["watches"] = (await preview(house)).key.seen
    assert seen.pop("again") == seen["carry-over"]
    assert len(set(seen.values())) == len(seen)
    assert (await preview(house)).key.seen == seen["watches"]


def with_zones(ahead: NextWeek, *zones: ZoneForecast) -> NextWeek:
    """The same week with other forecasts of its zones."""
    return replace(ahead, forecast=replace(ahead.forecast, zones=zones))


def newest(ahead: NextWeek) -> StoredWeek:
    """The newest week, which there must be."""
    assert ahead.newest is not None
    return ahead.newest


async def test_of_presses_at_once_one_rolls(house: House) -> None:
    """Eight presses on one preview, by two processes at once, make one entry; all others hear which one it is."""
    ahead = await preview(house)
    house.dice.script(*FAIR)
    second = Database(house.database.engine.url.render_as_string(hide_password=False))
    try:
        both = [(house.database, house.resolver), (second, another(second, FAIR))] * 4
        presses = (
            database.write(rollover.roll, resolver, GM, house.campaign.id, ahead.key) for database, resolver in both
        )
        answers = await asyncio.gather(*presses, return_exceptions=True)
    finally:
        await second.close()
    refusals = [str(item) for item in answers if isinstance(item, NotOpen)]
    assert [type(item) for item in answers if not isinstance(item, NotOpen)] == [Rolled]
    assert len(refusals) == 7
    assert all("entry #2" in told for told in refusals)
    assert [entry.content().get("week") for entry in await house.entries()] == [None, 1]
    assert [item.entry_number for item in await house.database.read(lambda tx: posts.posts_of_entry(tx, 1, 2))] == [2]
    assert await whole(house)


@pytest.mark.slow
async def test_the_opening_state_may_be_set_back_week_by_week(house: House) -> None:
    """A game in its 37th week begins there, then tells of week 36; week 38 has carry-over and watches of both."""
    opening = (await put(house, "Australia", "7", 37)).entry.content()
    await put(house, "South and Southeast Asia", "category 3", 37)
    await put(house, "south-asia", "3", 36)
    assert (opening["opening"], opening["before"], opening["after"]) == (True, None, "category-7")
    assert await known(house) == (36, 37)
    forecast = await coming(house)
    assert (forecast.number, await sums(house)) == (38, [0, 0, 0, -1, 0])
    watched = ["india", "sri-lanka", "southeast-asia", "malaysia", "philippines", "indonesia"]
    assert [watch.region.id for watch in forecast.watches] == watched
    assert (await roll(house, *FAIR, 20, 20, 20, 20, 20, 20)).entry.content()["week"] == 38
    house.dice.finish()
    assert (await kept(house, 36)).zones == {"south-asia": "category-3"}
    assert await whole(house)


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
    """Gaps, weeks to come and names that nobody knows are refused, with a suggestion, and write nothing."""
    await put(house, "australia", "7", 37)
    await roll(house, *FAIR)
    before = await written(house)
    for asked, what, do in UNSETTABLE:
        with pytest.raises(BadInput, match=what) as refusal:
            await put(house, *asked)
        assert do.casefold() in refusal.value.do.casefold()
    assert await written(house) == before


@pytest.mark.slow
async def test_a_set_week_is_read_anew_with_its_floods(house: House) -> None:
    """A watch's 15 floods once the week is wet and no more when it is dry again; its 1 floods all along."""
    await roll(house, *MONSOON)
    await roll(house, *FAIR, 15, 1, 20, 20, 20, 20, 20)
    house.dice.finish()
    assert await flooded(house) == ["sri-lanka"]
    await put(house, "south-asia", "3")
    assert await flooded(house) == list(WATCHED)
    await put(house, "south-asia", "good", 2)
    assert await flooded(house) == ["sri-lanka"]
    assert (await kept(house, 2)).watches.keys() == set(WATCHED)
    assert await whole(house)


async def test_a_set_week_leaves_later_weeks_as_they_were_rolled(house: House) -> None:
    """What is set for an earlier week changes that week alone, and is told with what it was."""
    for _ in range(3):
        await roll(house, *FAIR)
    later = await kept(house, 3), await sums(house)
    body = (await put(house, "north-africa", "category-6", 2)).entry.content()
    assert (body["before"], body["after"], body["week"], body["opening"]) == ("good", "category-6", 2, False)
    assert (await kept(house, 3), await sums(house)) == later
    assert (await week(house, 2))["congo"] == ["severe-storms", "thick-fog", "overcast"]
    assert (await week(house, 3))["congo"] == ["good"]


async def test_a_week_keeps_which_entry_set_it(house: House) -> None:
    """The entry that made it stays beside the one that set something in it last; a week that begins a game has the first alone."""
    await put(house, "australia", "7", 9)
    await roll(house, *FAIR)
    made = [(await report(house, number)).stored for number in (9, 10)]
    assert [(kept.entry, kept.changed) for kept in made] == [(2, None), (3, None)]
    for number, category in ((10, "7"), (10, "6"), (9, "7")):
        await put(house, "north-africa", category, number)
    made = [(await report(house, number)).stored for number in (9, 10)]
    assert [(kept.entry, kept.changed) for kept in made] == [(2, 6), (3, 5)]
    assert await whole(house)


async def test_what_is_set_names_the_newer_weeks_that_stay_as_rolled(house: House) -> None:
    """The first and the last of them; none after the newest week, and none that was set by hand."""
    told = [(await put(house, "australia", "7", number)).entry.content()["newer"] for number in (3, 2)]
    await roll(house, *FAIR)
    told += [(await put(house, "australia", "6", number)).entry.content()["newer"] for number in (2, 4)]
    await roll(house, *FAIR, *[20] * 4)
    told += [(await put(house, "australia", "5", number)).entry.content()["newer"] for number in (1, 4)]
    assert told == [None, None, [4, 4], None, [4, 5], [5, 5]]


async def test_what_is_so_already_is_not_set(house: House) -> None:
    """The same category again is refused and not written, unless it has come to mean something else since."""
    await roll(house, *FAIR)
    await put(house, "north-africa", "7")
    before = await written(house)
    with pytest.raises(BadInput, match="It's already like that"):
        await put(house, "north-africa", "category-7")
    assert await written(house) == before
    await edit(house, "7", "congo", "fog")
    await put(house, "north-africa", "7")
    assert (await week(house))["congo"] == ["fog"]


async def test_what_is_set_carries_over(house: House) -> None:
    """The newest week's category counts for the next rollover, however it came about."""
    await roll(house, *FAIR)
    await put(house, "antarctic", "7 East")
    assert await sums(house) == [0, 0, 0, 0, -1]
    assert (await roll(house, *FAIR)).entry.content()["parts"][4]["steps"][0]["total"] == 9


async def test_the_reason_lies_beside_the_entry(house: House) -> None:
    """Why a week was set or taken back is kept with the entry, outside its body; without a reason nothing is done."""
    await roll(house, *FAIR)
    before = await written(house)
    for reason in ("   ", "x" * 501):
        with pytest.raises(BadInput):
            await put(house, "australia", "6", reason=reason)
        with pytest.raises(BadInput):
            await undo(house, reason)
    assert await written(house) == before
    by_hand = (await put(house, "australia", "6")).entry
    for entry in (by_hand, *(by for _, by in (await undo(house, "as agreed")).pairs)):
        assert entry.text("reason") == "as agreed"
        assert "as agreed" not in entry.body


async def test_undo_takes_back_the_newest_rollover_alone(house: House) -> None:
    """Twice in a row it goes back two weeks, and what carries over is what it was; each entry stays, marked by whom."""
    await roll(house, *STORMY)
    before = await sums(house), await house.state()
    for faces in (FAIR, MONSOON):
        forecast = await coming(house)
        await roll(house, *faces, *[20] * len(forecast.watches))
    undone = [(await undo(house, "a slip")).pairs for _ in range(2)]
    assert [[entry.content()["week"] for entry, _ in pairs] for pairs in undone] == [[3], [2]]
    assert await known(house) == (1, 1)
    state = await house.state()
    marks = {key: state.pop(key) for key in [("entry:3", "voided"), ("entry:4", "voided")]}
    assert marks == {("entry:3", "voided"): {"by": 6}, ("entry:4", "voided"): {"by": 5}}
    assert (await sums(house), state) == before
    assert [entry.kind for entry in await house.entries()] == ["campaign", "roll", "roll", "roll", "void", "void"]
    assert await whole(house)


async def test_an_undone_week_is_rolled_again(house: House) -> None:
    """The same week is the next one once more, and may be taken back once more; the void entry is not."""
    await roll(house, *STORMY)
    await undo(house, "a slip")
    assert await known(house) is None
    again = await roll(house, *FAIR)
    assert (again.entry.number, again.entry.content()["week"]) == (4, 1)
    assert (await kept(house, 1)).zones["australia"] == "good"
    await undo(house, "another")
    assert await known(house) is None
    assert await whole(house)


@pytest.mark.slow
async def test_undo_after_a_set_takes_the_rolled_week_with_what_was_set(house: House) -> None:
    """A rolled week is voided with what was set in it by hand since, but not elsewhere; the opening state is taken back by its number."""
    await put(house, "australia", "7", 9)
    await roll(house, *FAIR)
    await put(house, "north-africa", "7")
    await put(house, "antarctic", "good", 9)
    assert [entry.number for entry, _ in (await undo(house, "a slip")).pairs] == [4, 3]
    assert (await known(house), await sums(house)) == ((9, 9), [0, 0, 0, -1, 0])
    await house.take_back(2, "the opening")
    assert await known(house) is None
    await put(house, "australia", "good", 8)
    assert await known(house) == (8, 8)
    assert await whole(house)


@pytest.mark.slow
async def test_the_queries_tell_what_is_known(house: House) -> None:
    """The newest week and history come newest first; unknown weeks are refused with those that are known."""
    with pytest.raises(BadInput, match="has no weather yet"):
        await report(house)
    with pytest.raises(BadInput, match="has no weather yet"):
        await history(house, 5)
    await put(house, "australia", "7", 3)
    for _ in range(2):
        await roll(house, *FAIR)
    assert [item.number for item in (await history(house, 5)).weeks] == [5, 4, 3]
    assert [item.number for item in (await history(house, 2)).weeks] == [5, 4]
    told = (await report(house, 3)).account
    assert [zone["outcome"] for zone in told["zones"]] == [None, None, None, "category-7", None]
    with pytest.raises(BadInput, match=r"I don't know the weather of week 6\. Pick a week from 3 to 5"):
        await report(house, 6)


async def test_the_digest_tells_what_changed(house: House) -> None:
    """A region with other weather than the week before is told with what it had, Mud/Flood too; the same weather is not."""
    await roll(house, *MONSOON)
    await roll(house, *FAIR, 1, *[20] * 6)
    for zone in (await report(house, 2)).account["zones"]:
        for place in zone["regions"]:
            assert (place["was"] is None) == (zone["id"] != "south-asia")
    await roll(house, *FAIR)
    changed = {place["id"]: place["was"] for zone in (await report(house, 3)).account["zones"]
               for place in zone["regions"] if place["was"]}  # fmt: skip
    assert changed == {"india": ["Good weather", "Mud/Flood"]}
