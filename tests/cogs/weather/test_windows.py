"""All zones of a week in one window, and all regions of a zone."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.cogs.weather.skywatch import FAIR, ROUGH, WATCHED, put, roll
from tests.support.reading import assert_lacks, assert_says, newest, refused, response, said, text
from tests.support.world import BOOKS, World, entry, entry_texts, nothing_written, rows


def lines_of(window: Any) -> list[str]:  # noqa: ANN401 - a window
    """The lines that a window's box is filled in with."""
    boxes = [part["component"] for part in window.modal["components"] if "component" in part]
    return next(
        box["value"].splitlines() for box in boxes if "\n" in box.get("value", "") or ": " in box.get("value", "")
    )


def week(world: World) -> Any:  # noqa: ANN401 - JSON
    """The zones of week 1 in the state."""
    ((value,),) = rows(world, "select value from state where name = 'week.1'")
    return json.loads(value)["zones"]


async def test_all_zones_are_set_in_one_window_and_one_post(world: World) -> None:
    """The window shows them as they are; only what was changed is entered and posted."""
    await roll(world, *FAIR)
    window = await world.gm.slash(world.orders, "weather set")
    lines = lines_of(window)
    assert [line.rpartition(": ")[2] for line in lines] == ["Good"] * 5
    posts = rows(world, "select count(*) from post where kind = 'results'")[0][0]

    zones = "\n".join([lines[0].replace("Good", "3"), lines[1], lines[2].replace("Good", "2"), lines[3], lines[4]])
    answer = said(await world.gm.submit_modal(window, {"zones": zones, "reason": "The page says so"}))

    changes = ("South Africa: Good → category 3", "South and Southeast Asia: Good → category 2")
    assert_says(answer, "Done: entry #4", "\n".join(["Week 1", *(f"• {change}" for change in changes)]))
    assert f"Week 1, {'; '.join(changes)}" in said(await world.gm.slash(world.orders, "ledger"))
    assert [item["zone"] for item in entry(world)["zones"]] == [
        line.rpartition(":")[0] for line in (lines[0], lines[2])
    ]
    assert rows(world, "select count(*) from post where kind = 'results'")[0][0] == posts + 1
    assert_says(text(newest(world.results)), "Weather set by hand", "Week 1\n", "**South Africa**: Good → category 3\n")


async def test_what_is_typed_is_filled_in(world: World) -> None:
    """A zone alone is one line, with its category and reason."""
    await put(world, "Australia", "2", 5)
    window = await world.gm.slash(world.orders, "weather set", zone="australia", week=5)
    assert lines_of(window) == ["Australia: 2"]
    assert (window.modal or {})["title"] == "Weather of week 5"
    await world.gm.submit_modal(window, {"zones": "Australia: 3", "reason": "It got worse"})
    assert entry(world)["after"] == "category-3"
    assert "zones" not in entry(world)


async def test_a_category_without_a_zone_is_filled_in_for_all(world: World) -> None:
    """Where there is such a category; elsewhere the week stays as it is."""
    await roll(world, *FAIR)
    lines = lines_of(await world.gm.slash(world.orders, "weather set", category="3"))
    assert [line.rpartition(": ")[2] for line in lines] == ["3", "3", "3", "3", "Good"]
    assert lines[4].startswith("Antarctic Sea")
    assert "has no category 'Hail'" in refused(await world.gm.slash(world.orders, "weather set", category="Hail"))


async def test_what_is_not_known_is_not_filled_in(world: World) -> None:
    """Good weather there would be set by whoever changes another line."""
    await put(world, "Australia", "2", 5)
    window = await world.gm.slash(world.orders, "weather set")
    lines = lines_of(window)
    assert lines[3] == "Australia: 2"
    assert {line.rpartition(":")[2].strip() for line in lines} == {"", "2"}
    await world.gm.submit_modal(window, {"zones": "\n".join(lines).replace("2", "3"), "reason": "It got worse"})
    assert entry(world)["zone"] == "Australia"
    shown = said(await world.player.slash(world.orders, "forecast"))
    assert_says(shown, "Australia **3**", "Antarctic Sea **not known**")
    assert_lacks(shown, "No warnings")


async def test_a_reason_typed_for_the_first_week_is_kept(world: World) -> None:
    """The window of a new campaign asks for none, but doesn't drop it."""
    window = await world.gm.slash(world.orders, "weather set", reason="As the page has it", week=7)
    sent = {"week": "7", "zones": "Australia: 3", "reason": "As the page has it"}
    assert "As the page has it" in str(window.modal)
    await world.gm.submit_modal(window, sent)
    assert entry_texts(world, 3) == {"reason": "As the page has it"}


async def test_a_first_week_that_was_rolled_meanwhile_is_not_set(world: World) -> None:
    """The window says "Weather at the start", which would be no reason for changing a rolled week."""
    window = await world.gm.slash(world.orders, "weather set")
    await roll(world, *FAIR)
    with nothing_written(world):
        answer = refused(await world.gm.submit_modal(window, {"week": "1", "zones": "Australia: 3"}))
    assert_says(answer, "Meanwhile, week 1 was rolled or set", "/weather set")


async def test_lines_that_a_window_cannot_take_are_left_out_whole(world: World) -> None:
    """Half a line would read as another category: 6 of 6 West."""
    book, extra = BOOKS["campaign"], {}
    for number in range(60):
        base = book.zones["south-asia"]
        regions = tuple(
            replace(region, id=f"{region.id}-{number}", label=f"{region.label} {number}") for region in base.regions
        )
        climate = {
            key: {f"{region}-{number}": kept for region, kept in cells.items()} for key, cells in base.climate.items()
        }
        label = f"{number}{'*' * (54 + number % 7)}"
        extra[f"z-{number}"] = replace(base, id=f"z-{number}", label=label, regions=regions, climate=climate)
    await world.restart({**BOOKS, "campaign": replace(book, zones={**book.zones, **extra})})
    window = await world.gm.slash(world.orders, "weather set", week=7)
    lines = lines_of(window)
    assert 60 <= len(lines) < 65
    assert all(line.endswith(": Good") for line in lines)


async def test_the_post_names_floods_of_zones_that_are_set_to_good_weather(world: World) -> None:
    """Mud/Flood stays when the category changes."""
    await roll(world, *ROUGH)
    await roll(world, *FAIR, *[1] * WATCHED)
    window = await world.gm.slash(world.orders, "weather set")
    storms = "\n".join(line.replace("Good", "3 East" if "Antarctic" in line else "3") for line in lines_of(window))
    await world.gm.submit_modal(window, {"zones": storms, "reason": "Storm season"})
    again = {"zones": "\n".join(f"{line.partition(':')[0]}: Good" for line in storms.splitlines()), "reason": "Over"}
    await world.gm.submit_modal(await world.gm.slash(world.orders, "weather set"), again)
    posted = text(newest(world.results))
    assert_says(posted, "**South and Southeast Asia**: category 3 → Good\nMud/Flood: ", "**Antarctic Sea**: ")
    assert_lacks(posted, "Good weather")


async def test_a_week_set_in_a_window_is_undone_whole(world: World) -> None:
    """One undo takes back all zones."""
    await roll(world, *FAIR)
    before = week(world)
    window = await world.gm.slash(world.orders, "weather set")
    zones = "\n".join(line.replace("Good", "3") for line in lines_of(window)[:4])
    done = await world.gm.submit_modal(window, {"zones": zones, "reason": "Storm season"})
    assert week(world) != before
    undo = await world.gm.click(response(done) if not done.followups else done.followups[-1], label="Undo")
    await world.gm.submit_modal(undo, {"reason": "Wrong week"})
    assert week(world) == before


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"zones": "Australia: 3", "reason": " "}, "This needs a reason"),
        ({"zones": "Australia:", "reason": "so"}, "Each zone needs one category"),
        ({"zones": "South Africa: Good\nAustralia: good", "reason": "so"}, "It's already like that"),
        ({"zones": "Australia: 3\nIndia: 2", "reason": "so"}, "I don't know the weather zone 'India'"),
    ],
)
async def test_a_window_that_cannot_be_read_sets_nothing(world: World, sent: dict[str, str], says: str) -> None:
    """One bad line keeps back the good ones, too."""
    await roll(world, *FAIR)
    window = await world.gm.slash(world.orders, "weather set")
    with nothing_written(world):
        assert says in refused(await world.gm.submit_modal(window, sent))


async def test_a_player_opens_no_window(world: World) -> None:
    """Setting the weather is for game masters."""
    with nothing_written(world):
        assert "set the weather" in refused(await world.player.slash(world.orders, "weather set"))
        answer = refused(await world.player.slash(world.orders, "weather edit", place="North Africa", category="3"))
        assert "change what the weather means" in answer


async def test_a_category_is_changed_for_all_regions_of_a_zone(world: World) -> None:
    """In one window and one entry, which has only what changed."""
    window = await world.gm.slash(world.orders, "weather edit", place="North Africa", category="3")
    lines = lines_of(window)
    assert [line.partition(":")[0] for line in lines][1] == "Arabia"
    changed = ["Arabia: storms, Fog", "Congo: Good weather"]
    kept = [line for line in lines if line.partition(":")[0] not in {"Arabia", "Congo"}]
    answer = said(await world.gm.submit_modal(window, {"conditions": "\n".join([*changed, *kept])}))

    assert_says(answer, "Meaning of category 3 changed for Arabia, Congo", "Arabia: Storms, Heatwave → Fog, Storms")
    assert_says(said(await world.player.slash(world.orders, "ledger")), "Arabia, Congo · <@")
    assert [cell["region"] for cell in entry(world)["cells"]] == ["Arabia", "Congo"]
    again = await world.gm.slash(world.orders, "weather edit", place="North Africa", category="3")
    assert lines_of(again)[1] == "Arabia: Fog, Storms"


async def test_a_page_of_the_ledger_takes_ten_changes_of_all_zones(world: World) -> None:
    """Each with who made it."""
    lines = lines_of(await world.gm.slash(world.orders, "weather set", week=7))
    for number in range(1, 6):
        zones = "\n".join(
            line.replace("Good", f"{number} West" if "Antarctic" in line else f"{number}") for line in lines
        )
        reason = {"week": "7"} if number == 1 else {"reason": "The page says so"}
        window = await world.gm.slash(world.orders, "weather set", week=7)
        await world.gm.submit_modal(window, {"zones": zones, **reason})
        window = await world.gm.slash(world.orders, "weather edit", place="Australia", category=str(number))
        typed = "\n".join(f"{line.partition(':')[0]}: Snowstorm, Fog, Heatwave" for line in lines_of(window))
        await world.gm.submit_modal(window, {"conditions": typed})
    listed = said(await world.player.slash(world.orders, "ledger")).splitlines()
    shown = [line for line in listed if line.startswith("**#")]
    assert len(shown) == 10
    assert all(line.endswith(f"<@{world.gm.id}>") for line in shown)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("Congo: Hail", "I don't know the condition 'Hail'"),
        ("Congo: Mud/Flood", "Only the Flood Watch brings Mud/Flood"),
        ("Congo: Good weather, Fog", "Good weather can't be combined"),
        ("Congo Fog", "I can't read 'Congo Fog'"),
        ("Kongo: Fog", "I don't know the region 'Kongo'"),
        ("Congo:", "It's already like that"),
        ("Congo: Fog\ncongo: Storms", "Congo is there twice"),
    ],
)
async def test_a_category_that_cannot_be_read_changes_nothing(world: World, typed: str, says: str) -> None:
    """The refusal quotes the word."""
    window = await world.gm.slash(world.orders, "weather edit", place="North Africa", category="3")
    with nothing_written(world):
        assert says in refused(await world.gm.submit_modal(window, {"conditions": typed}))
