"""House rules as people use them: looked at, switched on, rolled, shown, sent again, taken out and handed out."""

from __future__ import annotations

import pytest

from tests.cogs.house_rules.homebrew import (
    DRONES,
    OVERLAY,
    ROWS,
    SALVAGE,
    modifier,
    patrols,
    rolled,
    sent,
    shown,
    switched_on,
    table,
)
from tests.support.acting import roll_command
from tests.support.reading import (
    assert_says,
    components,
    newest,
    offers,
    option,
    press,
    refused,
    response,
    said,
    text,
    ticked,
)
from tests.support.soundness import require_whole
from tests.support.world import World, entry, nothing_written, rows, written


async def test_a_table_that_is_a_check_is_shown_with_the_odds_of_its_value(world: World) -> None:
    """Its rows say by how much the die is above the value, so the value stands there, and the odds are those that are rolled by."""
    check = 'against = { reads = "reach", value = 15, line = 1 }\n' + ROWS.replace("max = 3", "max = -1").replace(
        "min = 4", "min = 0"
    )
    told = said(await sent(world, table(die="20", rest=check), "loot"))
    assert "`loot` \N{MIDDLE DOT} 1d20 against 15 \N{MIDDLE DOT} 0 modifiers" in told
    assert "**30%** (3/10) \N{MIDDLE DOT} 0 or more: Much" in told


@pytest.mark.slow
async def test_the_worked_example_of_the_page_is_rolled_as_it_says(world: World) -> None:
    """Saved traits, the weather of a region and what is typed count; the row's deed is kept, and no reason is asked twice."""
    await switched_on(world, SALVAGE, "salvage")
    await world.gm.slash(world.orders, "unit add", name="White Base", kind="ship", side="EF")
    card = response(await world.gm.slash(world.orders, "table roll", name="Salvage", who="White Base", about="Wreck"))
    assert "## Salvage\n**White Base** rolls for **Wreck**" in text(card)
    assert ticked(card, "crew") == set()
    await world.gm.select(card, ["roller.engineers"], custom_id=press(card, "tick:crew:0"))
    told = await rolled(
        world, "salvage", 10, sides=20, who="White Base", about="Wreck", modifiers="engineers, roller.hours*2, +1 luck"
    )
    assert "A mobile suit that can be mended" in told
    result = text(newest(world.results))
    assert "White Base rolls on Salvage for Wreck" in result
    assert "1d20: **10** + 6 = **16**" in result
    assert_says(
        said(await world.gm.click(newest(world.results), label="Details")),
        "Our house rules, Salvage, line 5",
        "House rules: salvage v1",
    )
    assert "It blows up" in await rolled(world, "salvage", 5, sides=20, who="White Base", about="Wreck")
    assert "**What follows:** White Base is injured (level 1)" in text(newest(world.results))
    assert "injured" in said(await world.gm.slash(world.orders, "effect list", who="White Base")).casefold()
    await require_whole(world)


@pytest.mark.slow
async def test_a_table_of_ones_own_takes_the_weather_into_account(world: World) -> None:
    """A region that the weather knows is called as the weather calls it, and its storms tick what stands on them."""
    await switched_on(world, SALVAGE, "salvage")
    zone = "South and Southeast Asia"
    await world.gm.slash(world.orders, "weather set", zone=zone, category="Category 5", reason="start", week=1)
    card = response(await world.gm.slash(world.orders, "table roll", name="salvage", region="india"))
    assert "in India: Severe Storms, Heatwave and Overcast (weather, week 1)" in text(card)
    assert ticked(card, "wreck") == {"salvage.weather"}


@pytest.mark.slow
async def test_the_audience_of_a_table_is_kept(world: World) -> None:
    """A table for the staff posts there; its result is not public unless somebody says so."""
    await switched_on(world, SALVAGE, "salvage")
    before = text(newest(world.results)) if world.results.last_message else ""
    assert "All of it is lies" in await rolled(world, "rumours", 2, 3, sides=6)
    assert "All of it is lies" in text(newest(world.staff))
    assert (text(newest(world.results)) if world.results.last_message else "") == before


async def test_the_preview_tells_what_rows_do_and_what_modifiers_there_are(world: World) -> None:
    """A game master reads deeds and modifiers of a new table before it is on; players who may roll on it read neither."""
    inside = (
        "-# 5 or less: It blows up \N{MIDDLE DOT} roller is injured (level 1)",
        "-# +3 Engineers",
        "-# \N{MINUS SIGN}6 Booby-trapped",
    )
    looked = text(response(await sent(world, SALVAGE, "wrecks")))
    assert [words for words in inside if words not in looked] == []
    await switched_on(world, SALVAGE, "wrecks")
    await world.gm.slash(world.orders, "campaign edit", players_may="salvage")
    told = text(response(await world.player.slash(world.orders, "table show", name="salvage")))
    assert "5 or less: It blows up" in told
    assert ("Engineers" in told, "Booby" in told, "injured" in told) == (False, False, False)


@pytest.mark.slow
async def test_a_row_that_does_something_else_is_told_so(world: World) -> None:
    """Where an overlay leaves the words of a row and changes what it does, the preview says both."""
    deed = 'then = [{ do = "kill", to = "target" }]'
    changed = f'rows = [{{ min = 18, outcome = "caught", text = "The target is caught", line = 2, {deed} }}]'
    told = said(await sent(world, patrols(changed), "deadly"))
    caught = "18 or more: The target is caught"
    assert f"{caught} \N{RIGHTWARDS ARROW} {caught} \N{MIDDLE DOT} target dies" in told


async def test_each_cell_of_a_climate_that_changes_is_told(world: World) -> None:
    """The preview names outcome and region of every cell that changes, old and new, and what becomes land or sea; no other."""
    cells = '[[climate]]\nzone = "south-asia"\nland = { india = false }\n'
    cells += 'rows = [{ outcome = "category-1", regions = { india = ["storms", "overcast"] } }]\n'
    told = said(await sent(world, OVERLAY + cells, "skies"))
    assert "India: land \N{RIGHTWARDS ARROW} sea" in told
    assert "category 1, India: Overcast \N{RIGHTWARDS ARROW} Storms and Overcast" in told
    assert told.count("\N{RIGHTWARDS ARROW}") == 2


async def test_a_changed_row_is_told_as_before_and_after(world: World) -> None:
    """A row that an overlay changes stands in the preview with its old and its new range."""
    changed = patrols(
        'rows = [\n  { max = 16, outcome = "no-catch", text = "Nothing is caught", line = 1 },\n'
        '  { min = 17, outcome = "caught", text = "The target is caught", line = 2 },\n]'
    )
    told = said(await sent(world, changed, "easier"))
    assert "row `caught` changed: 18 or more: The target is caught \N{RIGHTWARDS ARROW} 17 or more" in told
    assert "**20%** (1/5) \N{MIDDLE DOT} 17 or more: The target is caught" in told


@pytest.mark.slow
async def test_an_old_roll_tells_the_version_of_its_day(world: World) -> None:
    """A roll before and one after an edit name each its own version, tables and fingerprint, and both stay provable."""
    await switched_on(world, table())
    assert "Little" in await rolled(world, "loot", 3)
    looked = response(await sent(world, table(rest=ROWS_LOWER), do="edit"))
    assert "## loot v2" in text(looked)
    assert "entry #5" in said(await world.gm.click(looked, custom_id=press(looked, "on:")))
    assert "Much" in await rolled(world, "loot", 3)
    assert "House rules: loot v1" in await shown(world, 4)
    assert "House rules: loot v2" in await shown(world, 6)
    books = dict(rows(world, "select number, book from entry where kind = 'roll'"))
    kept = dict(rows(world, "select fingerprint, content from book_version"))
    assert '"min":4' in kept[books[4]]
    assert '"min":2' in kept[books[6]]
    assert entry(world, 5)["replaced"] == entry(world, 3)["fingerprint"]
    await require_whole(world)


ROWS_LOWER = (
    'rows = [\n  { max = 1, outcome = "low", text = "Little", line = 1 },\n'
    '  { min = 2, outcome = "high", text = "Much", line = 2 },\n]\n'
)


@pytest.mark.slow
async def test_an_open_card_asks_again_after_a_switch(world: World) -> None:
    """A card that was shown under other house rules is redrawn under the new ones before it rolls; then it rolls."""
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost"))
    await switched_on(world, modifier("patrol.newtype", 7), "newtypes")
    before = written(world)
    again = response(await world.gm.click(card, custom_id=press(card, "roll")))
    assert "The card has changed since you saw it." in text(again)
    assert "+7 A rule of ours" in option(again, "tick:patrol:0", "patrol.newtype")["label"]
    assert written(world)[0] == before[0]
    world.dice.script(2)
    assert "Rolled: entry #4" in said(await world.gm.click(again, custom_id=press(again, "roll")))


async def test_a_card_of_a_table_that_is_gone_says_so(world: World) -> None:
    """Once its table is switched off, an open card is not rolled any more, and says what is missing."""
    await switched_on(world, table())
    card = response(await world.gm.slash(world.orders, "table roll", name="loot"))
    await world.gm.slash(world.orders, "table remove", name="loot")
    with nothing_written(world):
        assert "the roll family 'loot'" in refused(await world.gm.click(card, custom_id=press(card, "roll")))


async def test_a_file_is_taken_out_and_comes_back_as_the_next_version(world: World) -> None:
    """Switched off, its tables are gone and its versions are kept; sent again under its name it counts on."""
    await switched_on(world, table())
    told = said(await world.gm.slash(world.orders, "table remove", name="LOOT"))
    assert "### loot v1 is off: entry #4" in told
    assert "loot v1 is off" in refused(await world.gm.slash(world.orders, "table roll", name="loot"))
    assert "*Switched off: loot v1*" in said(await world.gm.slash(world.orders, "table list"))
    assert "### loot v2 is on" in await switched_on(world, table(title="More loot"))
    answer = response(await world.gm.slash(world.orders, "table export", name="loot", version=1))
    (file,) = answer.attachments
    assert (answer.ephemeral, file.filename, (await file.read()).decode()) == (True, "loot-v1.toml", table())
    newest_one = response(await world.gm.slash(world.orders, "table export", name="loot")).attachments[0]
    assert (await newest_one.read()).decode() == table(title="More loot")
    assert "has no version 3" in refused(await world.gm.slash(world.orders, "table export", name="loot", version=3))
    await require_whole(world)


@pytest.mark.slow
async def test_a_file_that_another_builds_on_stays(world: World) -> None:
    """A table that an overlay of one file brings and another changes cannot be taken away from under that one."""
    await switched_on(world, DRONES, "drones")
    assert "All come back" in await rolled(world, "drone-failures", 2, sides=6, who="Kilo")
    other = DRONES.partition("facts = [")[0] + '[[change]]\ntable = "drone-failures"\nremove-rows = ["lost"]\n'
    other += 'rows = [{ outcome = "fine", text = "All come back", line = 1 }]\n'
    await switched_on(world, other, "sturdy")
    with nothing_written(world):
        told = refused(await world.gm.slash(world.orders, "table remove", name="drones"))
        assert_says(told, "sturdy needs drones", "unknown table drone-failures")
    await world.gm.slash(world.orders, "table remove", name="sturdy")
    assert "drones v1 is off" in said(await world.gm.slash(world.orders, "table remove", name="drones"))
    await require_whole(world)


@pytest.mark.slow
async def test_files_lie_over_each_other_in_their_order(world: World) -> None:
    """The file that was switched on later has its way; the next version of the earlier one keeps its place."""
    await switched_on(world, modifier("patrol.newtype", 3), "first")
    await switched_on(world, modifier("patrol.newtype", 5), "second")
    await switched_on(world, modifier("patrol.newtype", 9), "first", do="edit")
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost"))
    assert "+5 A rule of ours" in option(card, "tick:patrol:0", "patrol.newtype")["label"]
    listed = said(await world.gm.slash(world.orders, "table list"))
    assert listed.index("first v2") < listed.index("second v1")


@pytest.mark.slow
async def test_a_list_of_a_card_holds_25_and_the_next_the_rest(world: World) -> None:
    """Of 26 modifiers of one group the last stands in a list of its own, and counts when ticked there."""
    lines = ",\n".join(
        f'  {{ id = "m{place}", value = {place}, label = "M", group = "g", line = 1, when = [["roller.luck"]] }}'
        for place in range(26)
    )
    fact = 'facts = [{ trait = "luck", label = "Luck", roles = ["roller"] }]\n'
    await switched_on(world, fact + table(rest=f"{ROWS_LOWER}modifiers = [\n{lines}\n]\n"))
    card = response(await world.gm.slash(world.orders, "table roll", name="loot", who="Kilo"))
    sizes = [len(item["options"]) for item in components(card) if ":tick:" in item.get("custom_id", "")]
    assert sizes == [25, 1]
    told = text(response(await world.gm.select(card, ["m25"], custom_id=press(card, "tick:g:1"))))
    assert "+25 M" in told


async def test_a_file_that_changes_nothing_says_so(world: World) -> None:
    """An overlay without changes is shown as such; it can be switched on all the same."""
    looked = response(await sent(world, OVERLAY, "empty"))
    assert "It changes nothing." in text(looked)
    assert "empty v1 is on" in said(await world.gm.click(looked, custom_id=press(looked, "on:")))


@pytest.mark.slow
async def test_pages_of_a_long_file_are_turned(world: World) -> None:
    """What has no room on one page stands on the next, in the preview and once it is on; nothing is left out."""
    many = "".join(table(f"t{number}", f"Table {number}".ljust(70, "*")) for number in range(20))
    told, view = "", response(await sent(world, many, "many"))
    while True:
        told += text(view)
        if not any(part.get("label") == "More" for part in components(view)):
            break
        more = next(part["custom_id"] for part in components(view) if part.get("label") == "More")
        view = response(await world.gm.click(view, custom_id=more))
    assert all(f"### Table {number}\\*" in told for number in range(20))
    assert "page 2 of" in told
    assert offers(view, "on:")
    await world.gm.click(view, custom_id=press(view, "on:"))
    first = response(await world.gm.slash(world.orders, "table show", name="many"))
    assert "on since entry #3" in text(first)
    assert not offers(first, "on:")
    back = response(await world.gm.click(first, custom_id=press(first, "look:1")))
    assert "page 2 of" in text(back)


async def test_a_table_of_the_campaign_is_followed_up_like_a_printed_one(world: World) -> None:
    """Its ambush cancels the battle of a patrol that has caught the target before, and its passwords are for the staff to pass on."""
    then = 'then = [{{ do = "{}", to = "target" }}]'
    rows = ROWS.replace("line = 1", f"line = 1, {then.format('ambush')}")
    rows = rows.replace("line = 2", f"line = 2, {then.format('reveal-passwords')}")
    await switched_on(world, table(rest=rows))
    await roll_command(world, "patrol", 20, patrol="Kilo", target="Ghost", to="staff", roll="now")
    await rolled(world, "loot", 1, about="Ghost")
    await rolled(world, "loot", 6, about="Ghost")
    told = "\n".join(map(text, world.staff.history()))
    assert_says(told, "Battle cancelled", "Write-up #4, the patrol's battle, is cancelled", "Passwords to pass on")
