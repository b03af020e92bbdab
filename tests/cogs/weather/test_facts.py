"""Weather in rolls."""

from __future__ import annotations

from typing import Any

import pytest

from rules.dice import ScriptedDice
from rules.modifiers import KnownFact, Origin
from rules.procedure import Part, Step
from tests.answers.tables import roll_table
from tests.cogs.campaign.grouping import newest_entry
from tests.cogs.weather.skywatch import FAIR, put, roll
from tests.support.acting import more, more_of, take_back, tick
from tests.support.reading import newest, odds, option, press, refused, response, said, text, ticked
from tests.support.world import BOOKS, World, entry, nothing_written, written

WEATHER = {"kind": "weather", "label": "weather, week 1"}
SCOUT = {"scouter": "Jonas", "base": "Fort"}
DETECT = {"detector": "Owl", "hidden": "Ghost"}
CONDITIONS = "tick:conditions:0"
SKIES = [  # zone and category, a region of it, its conditions, and the lines that count: the milder -1, the heavier -2
    ("South Africa", "1", "Zambeze Basin", "Overcast", set()),
    ("South Africa", "2", "Zambeze Basin", "Storms and Overcast", {"weather.hides"}),
    ("South Africa", "3", "Madagascar", "Storms and Fog", {"weather.hides"}),
    ("South Africa", "3", "Lutzow-Holm Bay", "Freezing, Heavy fog and Thick Fog", {"weather.blinds"}),
    ("South Africa", "4", "Zambeze Basin", "Severe Storms and Overcast", {"weather.blinds"}),
    ("South Africa", "4", "South Africa", "Storms, Thick Fog and Overcast", {"weather.hides", "weather.blinds"}),
    ("South Africa", "6", "Madagascar", "Severe Storms and Violent Storms", {"weather.blinds"}),
    ("North Africa", "1", "Arabia", "Fog", {"weather.hides"}),
    ("North Africa", "4", "Saharan Africa", "Dust Storms and Heatwave", {"weather.blinds"}),
    ("South and Southeast Asia", "3", "Papua New Guinea", "Thick Fog and Overcast", {"weather.blinds"}),
]
WORTH = {"weather.hides": 1, "weather.blinds": 2}


async def open_card(world: World, command: str = "scout", **options: Any) -> Any:  # noqa: ANN401
    """A card in Madagascar."""
    whom = {"scout": SCOUT, "detect": DETECT}.get(command, {})
    return response(await world.gm.slash(world.orders, command, **{"region": "Madagascar", **whom, **options}))


def beside(card: Any, line: str) -> str:  # noqa: ANN401
    """A line's origin."""
    return str(option(card, CONDITIONS, line)["description"]).partition(" \N{MIDDLE DOT} ")[0]


async def test_scouting_and_detection_count_the_weather(world: World) -> None:
    """Each line once, with week and reason."""
    for zone, category, region, answer, lines in SKIES:
        await put(world, zone, category, 1)
        worth = sum(WORTH[line] for line in lines)
        for command, sign in (("scout", "−"), ("detect", "+")):  # noqa: RUF001
            card = await open_card(world, command, region=region)
            assert f"in {region}: {answer} (weather, week 1)" in text(card)
            assert ticked(card, "conditions") == lines
            assert all(beside(card, line) == "weather, week 1" for line in lines)
            assert f"1d20 {sign if worth else '+'} {worth}" in text(card)


async def test_the_weather_can_be_unticked_and_ticked_again(world: World) -> None:
    """A reset brings it back."""
    await put(world, "South Africa", "3", 1)
    card = await open_card(world)
    assert "Weather, week 1: −1 Storms or Fog" in text(card)  # noqa: RUF001
    before = odds(card)
    answer = await tick(world.gm, card, "conditions")
    assert "No modifiers yet" in answer
    assert "in Madagascar: Storms and Fog (weather, week 1)" in answer, "the sky stays what it is"
    assert odds(card) != before
    answer = await tick(world.gm, card, "conditions", "weather.hides")
    assert "Weather, week 1: −1 Storms or Fog" in answer  # noqa: RUF001
    assert odds(card) == before
    await tick(world.gm, card, "conditions")
    assert ticked(card, "conditions") == set()
    await world.gm.click(card, custom_id=await more(world.gm, card, "reset"))
    assert ticked(card, "conditions") == {"weather.hides"}
    await tick(world.gm, card, "conditions")
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert entry(world)["parts"][0]["steps"][0]["sum"] == 0


@pytest.mark.parametrize("at_once", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_the_entry_keeps_where_the_weather_was_learnt(world: World, *, at_once: bool) -> None:
    """By card and at once."""
    await put(world, "South Africa", "3", 1)
    world.dice.script(10)
    if at_once:
        await open_card(world, region="madagascar", roll="now")
    else:
        card = await open_card(world, region="madagascar")
        await world.gm.click(card, custom_id=press(card, "roll"))
    body = entry(world)
    (part,) = body["parts"]
    assert body["region"] == "Madagascar"
    assert part["facts"]["weather.storms"] == {"count": 1, "origin": WEATHER}
    assert part["facts"]["weather.fog"] == {"count": 1, "origin": WEATHER}
    (counted,) = [item for item in part["steps"][0]["modifiers"] if item["count"]]
    assert (counted["id"], counted["value"], counted["line"]) == ("weather.hides", -1, 119)
    answer = text(newest(world.staff))
    assert "-# Madagascar\n" in answer
    assert "−1 Storms or Fog (weather, week 1)" in answer  # noqa: RUF001


@pytest.mark.slow
async def test_every_part_of_a_roll_has_the_same_sky(world: World) -> None:
    """One can lose it."""
    await put(world, "South Africa", "4", 1)
    card = await open_card(world, scouter="Jonas, Priya", region="South Africa")
    await tick(world.gm, card, "conditions", "weather.blinds")
    world.dice.script(10, 10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert [part["steps"][0]["sum"] for part in entry(world)["parts"]] == [-2, -3]


async def test_an_earlier_week_can_be_named(world: World) -> None:
    """Card and ledger name it."""
    await put(world, "South Africa", "3", 1)
    await roll(world, *FAIR)
    assert "Good weather (weather, week 2)" in text(await open_card(world))
    card = await open_card(world, week=1)
    assert "Storms and Fog (weather, week 1)" in text(card)
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert entry(world)["week"] == 1
    assert entry(world)["parts"][0]["facts"]["weather.fog"]["origin"] == WEATHER


@pytest.mark.parametrize("roll", ["card", pytest.param("now", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"week": 2}, ["I don't know the weather of week 2", "Pick a week from 1 to 1"]),
        ({"week": 0}, ["I don't know the weather of week 0"]),
        ({"week": 1, "region": None}, ["A week needs a region", "Name the region too"]),
    ],
)
async def test_a_week_that_cannot_be_is_refused(
    world: World, roll: str, options: dict[str, Any], words: list[str]
) -> None:
    """Nothing is rolled."""
    await put(world, "South Africa", "3", 1)
    with nothing_written(world):
        given = {"region": "Madagascar"} | SCOUT | options | {"roll": roll}
        given = {name: value for name, value in given.items() if value is not None}
        answer = refused(await world.gm.slash(world.orders, "scout", **given))
        assert [word for word in words if word not in answer] == []


@pytest.mark.parametrize(
    ("region", "told"),
    [
        ("Side 7", "in Side 7 (no weather)"),
        pytest.param("Madagascr", "in Madagascr (no weather; did you mean Madagascar?)", marks=pytest.mark.slow),
        pytest.param("Lunar Orbit", "in Lunar Orbit (no weather)", marks=pytest.mark.slow),
        pytest.param("Arabia", "in Arabia (no weather yet)", marks=pytest.mark.slow),
        pytest.param(None, "no region", marks=pytest.mark.slow),
    ],
)
async def test_where_there_is_no_weather_the_card_says_so(world: World, region: str | None, told: str) -> None:
    """The card rolls."""
    await put(world, "South Africa", "3", 1)
    given = dict(SCOUT) if region is None else {**SCOUT, "region": region}
    card = response(await world.gm.slash(world.orders, "scout", **given))
    assert told in text(card)
    assert ticked(card, "conditions") == set()
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert not [fact for fact in entry(world)["parts"][0]["facts"] if fact.startswith("weather.")]


async def test_before_any_week_there_is_no_weather(world: World) -> None:
    """Naming a week is refused."""
    assert "in Madagascar (no weather yet)" in text(await open_card(world))
    given = {**SCOUT, "region": "Madagascar", "week": 1}
    assert "Roll one with /weather rollover" in refused(await world.gm.slash(world.orders, "scout", **given))


@pytest.mark.parametrize(
    "change", ["set", pytest.param("undo", marks=pytest.mark.slow), pytest.param("rollover", marks=pytest.mark.slow)]
)
async def test_weather_that_changes_under_a_card_is_shown_before_it_counts(world: World, change: str) -> None:
    """The card shows as it is now."""
    await put(world, "South Africa", "3", 1)
    await roll(world, 5, 20, 20, 15, 10)
    card = await open_card(world)
    assert ticked(card, "conditions") == {"weather.blinds"}
    if change == "set":
        await put(world, "South Africa", "good", 2)
    elif change == "undo":
        await take_back(world, "gm undo", entry=newest_entry(world), reason="so")
    else:
        await roll(world, *FAIR, 20, 20, 20)
    before = written(world)
    result = await world.gm.click(card, custom_id=press(card, "roll"))
    assert "The card has changed since you saw it" in said(result)
    now = {"set": "Good weather (weather, week 2)", "undo": "Storms and Fog (weather, week 1)"}
    assert f"in Madagascar: {now.get(change, 'Good weather (weather, week 3)')}" in said(result)
    assert ticked(response(result), "conditions") == ({"weather.hides"} if change == "undo" else set())
    assert written(world)[0] == before[0]
    world.dice.script(10)
    assert "Rolled" in said(await world.gm.click(card, custom_id=press(card, "roll")))


@pytest.mark.slow
async def test_another_sky_that_counts_the_same_is_shown_too(world: World) -> None:
    """Even if the same lines count."""
    await put(world, "South Africa", "3", 1)
    card = await open_card(world)
    await roll(world, 8, 20, 20, 15, 10)
    result = await world.gm.click(card, custom_id=press(card, "roll"))
    assert "The card has changed since you saw it" in said(result)
    assert "in Madagascar: Storms and Fog (weather, week 2)" in said(result)
    world.dice.script(10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert entry(world)["parts"][0]["facts"]["weather.fog"]["origin"] == {"kind": "weather", "label": "weather, week 2"}


@pytest.mark.slow
async def test_a_named_week_that_is_undone_stops_the_roll(world: World) -> None:
    """Nothing is rolled."""
    await put(world, "South Africa", "3", 1)
    await roll(world, *FAIR)
    card = await open_card(world, week=2)
    await take_back(world, "gm undo", entry=newest_entry(world), reason="so")
    with nothing_written(world):
        result = await world.gm.click(card, custom_id=press(card, "roll"))
        assert "I don't know the weather of week 2" in refused(result)


async def test_players_see_the_weather_too(world: World) -> None:
    """The same for game masters."""
    await world.gm.slash(world.orders, "gm settings", players_may="scouting")
    await put(world, "South Africa", "3", 1)
    card = response(await world.player.slash(world.orders, "scout", **SCOUT, region="Madagascar"))
    assert "in Madagascar: Storms and Fog (weather, week 1)" in text(card)
    assert ticked(card, "conditions") == {"weather.hides"}


async def test_a_region_typed_with_marks_takes_no_effect(world: World) -> None:
    """Escaped."""
    card = await open_card(world, region="**Luna** @everyone")
    assert "**Luna**" not in text(card)
    assert "@everyone" not in text(card)


PATROL = {"patrol": "Kilo", "target": "Zaku"}


@pytest.mark.parametrize(
    ("category", "region", "where", "lines"),
    [
        ("2", "Zambeze Basin", ["target.all-ground"], {"weather.hides-ground"}),
        pytest.param("3", "Madagascar", ["target.all-ground"], {"weather.hides-ground"}, marks=pytest.mark.slow),
        pytest.param("4", "Zambeze Basin", ["target.all-ground"], {"weather.blinds-ground"}, marks=pytest.mark.slow),
        pytest.param(
            "4",
            "South Africa",
            ["target.all-ground"],
            {"weather.hides-ground", "weather.blinds-ground"},
            marks=pytest.mark.slow,
        ),
        pytest.param("4", "South Africa", ["target.ground"], set(), marks=pytest.mark.slow),
        pytest.param("4", "South Africa", [], set(), marks=pytest.mark.slow),
        pytest.param("1", "Zambeze Basin", ["target.all-airborne"], {"weather.hides-ground"}, marks=pytest.mark.slow),
        pytest.param("1", "Zambeze Basin", ["target.all-ground"], set(), marks=pytest.mark.slow),
        pytest.param("3", "Madagascar", ["target.all-airborne"], set(), marks=pytest.mark.slow),
    ],
)
async def test_a_patrol_counts_the_weather_by_where_its_target_is(
    world: World, category: str, region: str, where: list[str], lines: set[str]
) -> None:
    """With the week."""
    await put(world, "South Africa", category, 1)
    card = await more_of(world.gm, await open_card(world, "patrol", **PATROL, region=region))
    assert ticked(card, "conditions") == set()
    if where:
        await tick(world.gm, card, "also true", *where)
    assert ticked(card, "conditions") == lines | {*where}
    assert all(beside(card, line) == "weather, week 1" for line in lines)
    world.dice.script(1)
    await world.gm.click(card, custom_id=press(card, "roll"))
    steps = entry(world)["parts"][0]["steps"]
    assert {item["id"] for item in steps[0]["modifiers"] if item["count"]} >= lines
    answer = text(newest(world.staff))
    assert answer.count("weather, week 1") == len(lines)


@pytest.mark.slow
async def test_mud_hinders_a_target_on_the_ground(world: World) -> None:
    """With roll:now too."""
    await put(world, "South Africa", "4", 1)
    await roll(world, 20, 20, 20, 15, 10, *[10] * 3)
    for number, where in enumerate(("target.ground", "target.all-ground")):
        world.dice.script(1)
        given = {"patrol": f"Kilo {number}", "target": "Zaku", "region": "Madagascar", "modifiers": where}
        await world.gm.slash(world.orders, "patrol", **given, roll="now")
        (step,) = entry(world)["parts"][0]["steps"]
        (counted,) = [item for item in step["modifiers"] if item["count"]]
        assert (counted["id"], counted["value"], step["sum"]) == ("weather.mud-hinders", 1, 1)
    card = await open_card(world, "patrol", **PATROL)
    assert "in Madagascar: Mud/Flood (weather, week 2)" in text(card)


UNDECIDED = "Set *More* to count the weather where the target is."


@pytest.mark.slow
async def test_a_patrol_card_asks_where_its_target_is(world: World) -> None:
    """Not in fair weather."""
    cases: list[tuple[str, str, list[str], bool]] = [
        ("patrol", "3", [], True),
        ("patrol", "1", [], True),
        ("patrol", "good", [], False),
        ("patrol", "3", ["target.all-ground"], False),
        ("patrol", "3", ["target.ground"], False),
        ("patrol", "3", ["target.all-airborne"], False),
        ("patrol", "3", ["target.ambushed-today"], True),
        ("scout", "3", [], False),
    ]
    for command, category, where, asks in cases:
        await put(world, "South Africa", category, 1)
        given = PATROL if command == "patrol" else {}
        card = await open_card(world, command, **given, region="Zambeze Basin")
        answer = await tick(world.gm, card, "also true", *where) if where else text(card)
        assert (UNDECIDED in answer) == asks


def weigh_facts(table: str, *facts: str) -> Step:
    """A roll of 10 with these facts."""
    known = {fact: KnownFact(1, Origin("weather", "weather, week 1")) for fact in facts}
    return roll_table(BOOKS["campaign"].table(f"campaign.{table}"), Part("x", {}, known), ScriptedDice.of([10]))


GROUND, FLYERS = "target.all-ground", "target.all-airborne"


@pytest.mark.parametrize(
    ("table", "facts", "total"),
    [
        ("patrol.catch", ["storms"], 10),
        ("patrol.catch", ["fog", "target.ground"], 10),
        ("patrol.catch", ["storms", FLYERS], 9),  # line 50 counts for flyers in any weather
        ("patrol.catch", ["severe-storms"], 10),
        ("patrol.catch", ["storms", "thick-fog", GROUND], 7),
        ("patrol.catch", ["violent-storms", GROUND], 10),
        ("patrol.catch", ["mud-flood"], 10),
        ("patrol.catch", ["mud-flood", "storms", GROUND], 10),
        ("complications", ["storms", "thick-fog"], 9),
        ("complications", ["heavy-fog"], 10),
        ("complications", ["severe-storms", "violent-storms"], 8),
        ("complications", ["thick-fog", "severe-storms"], 7),
        ("complications", ["heatwave", "freezing"], 10),
        ("escape", ["heavy-fog", "thick-fog", "sandstorm", "snowstorm", "rainstorm", "dust-storms"], 11),
        ("escape", ["storms", "severe-storms"], 11),
        ("escape", ["overcast"], 10),
        ("escape", ["heatwave", "freezing"], 9),
        ("escape", ["extreme-heat", "extreme-cold"], 10),
        ("escape", ["snowstorm", "freezing"], 10),
    ],
)
def test_each_roll_reads_the_weather_by_its_own_words(table: str, facts: list[str], total: int) -> None:
    """Patrol 33, 55, 56; complications 274-278; escape 337, 350."""
    named = [fact if "." in fact else f"weather.{fact}" for fact in facts]
    assert weigh_facts(table, *named).total == total
