"""House rules as people use them."""

from __future__ import annotations

import pytest

from tests.cogs.house_rules import homebrew
from tests.support import reading
from tests.support.acting import roll_command, take_back, use_file
from tests.support.soundness import require_whole
from tests.support.world import World, entry, nothing_written, rows, written


async def test_a_table_that_is_a_check_is_shown_with_the_odds_of_its_value(world: World) -> None:
    """The odds are those that it rolls by."""
    check = 'against = { reads = "reach", value = 15, line = 1 }\n' + homebrew.ROWS.replace(
        "max = 3", "max = -1"
    ).replace("min = 4", "min = 0")
    answer = reading.said(await homebrew.send_file(world, homebrew.table(die="20", rest=check), "loot"))
    assert "`loot` \N{MIDDLE DOT} 1d20 against 15 \N{MIDDLE DOT} 0 modifiers" in answer
    assert "**30%** (3/10) \N{MIDDLE DOT} 0 or more: Much" in answer


@pytest.mark.slow
async def test_the_worked_example_of_the_page_is_rolled_as_it_says(world: World) -> None:
    """The consequence is stored; no reason is needed."""
    await homebrew.send_and_switch_on(world, homebrew.SALVAGE, "salvage")
    await world.gm.slash(world.orders, "roster add", name="White Base", kind="ship", side="EF")
    card = reading.response(
        await world.gm.slash(world.orders, "table roll", name="Salvage", who="White Base", about="Wreck")
    )
    assert "## Salvage\n**White Base** rolls for **Wreck**" in reading.text(card)
    assert reading.ticked(card, "crew") == set()
    await world.gm.select(card, ["roller.engineers"], custom_id=reading.press(card, "tick:crew:0"))
    answer = await homebrew.roll_table(
        world, "salvage", 10, sides=20, who="White Base", about="Wreck", modifiers="engineers, roller.hours*2, +1 luck"
    )
    assert "A mobile suit that can be mended" in answer
    result = reading.text(reading.newest(world.results))
    assert "White Base rolls on Salvage for Wreck" in result
    assert "1d20: **10** + 6 = **16**" in result
    reading.assert_says(
        reading.said(await world.gm.click(reading.newest(world.results), label="Details")),
        "Our house rules, Salvage, line 5",
        "House rules: salvage v1",
    )
    assert "It blows up" in await homebrew.roll_table(world, "salvage", 5, sides=20, who="White Base", about="Wreck")
    assert "**What follows:** White Base is injured (level 1)" in reading.text(reading.newest(world.results))
    assert "injured" in reading.said(await world.gm.slash(world.orders, "gm effect", who="White Base")).casefold()
    await require_whole(world)


@pytest.mark.slow
async def test_a_table_of_ones_own_takes_the_weather_into_account(world: World) -> None:
    """Its storms tick their lines."""
    await homebrew.send_and_switch_on(world, homebrew.SALVAGE, "salvage")
    zone = "South and Southeast Asia"
    await world.gm.slash(world.orders, "weather set", zone=zone, category="Category 5", reason="start", week=1)
    card = reading.response(await world.gm.slash(world.orders, "table roll", name="salvage", region="india"))
    assert "in India: Severe Storms, Heatwave and Overcast (weather, week 1)" in reading.text(card)
    assert reading.ticked(card, "wreck") == {"salvage.weather"}


@pytest.mark.slow
async def test_the_audience_of_a_table_is_kept(world: World) -> None:
    """It's the staff's unless picked otherwise."""
    await homebrew.send_and_switch_on(world, homebrew.SALVAGE, "salvage")
    before = reading.text(reading.newest(world.results)) if world.results.last_message else ""
    assert "All of it is lies" in await homebrew.roll_table(world, "rumours", 2, 3, sides=6)
    assert "All of it is lies" in reading.text(reading.newest(world.staff))
    assert (reading.text(reading.newest(world.results)) if world.results.last_message else "") == before


async def test_the_preview_tells_what_rows_do_and_what_modifiers_there_are(world: World) -> None:
    """Players read neither."""
    inside = (
        "-# 5 or less: It blows up \N{MIDDLE DOT} roller is injured (level 1)",
        "-# +3 Engineers",
        "-# \N{MINUS SIGN}6 Booby-trapped",
    )
    looked = reading.text(reading.response(await homebrew.send_file(world, homebrew.SALVAGE, "wrecks")))
    assert [words for words in inside if words not in looked] == []
    await homebrew.send_and_switch_on(world, homebrew.SALVAGE, "wrecks")
    await world.gm.slash(world.orders, "gm settings", players_may="salvage")
    answer = reading.text(reading.response(await world.player.slash(world.orders, "table show", name="salvage")))
    assert "5 or less: It blows up" in answer
    assert ("Engineers" in answer, "Booby" in answer, "injured" in answer) == (False, False, False)


@pytest.mark.slow
async def test_a_row_that_does_something_else_is_told_so(world: World) -> None:
    """The preview shows both."""
    deed = 'then = [{ do = "kill", to = "target" }]'
    changed = f'rows = [{{ min = 18, outcome = "caught", text = "The target is caught", line = 2, {deed} }}]'
    answer = reading.said(await homebrew.send_file(world, homebrew.patrols(changed), "deadly"))
    caught = "18 or more: The target is caught"
    assert f"{caught} \N{RIGHTWARDS ARROW} {caught} \N{MIDDLE DOT} target dies" in answer


async def test_each_cell_of_a_climate_that_changes_is_told(world: World) -> None:
    """Old and new, and land or sea."""
    cells = '[[climate]]\nzone = "south-asia"\nland = { india = false }\n'
    cells += 'rows = [{ outcome = "category-1", regions = { india = ["storms", "overcast"] } }]\n'
    answer = reading.said(await homebrew.send_file(world, homebrew.OVERLAY + cells, "skies"))
    assert "India: land \N{RIGHTWARDS ARROW} sea" in answer
    assert "category 1, India: Overcast \N{RIGHTWARDS ARROW} Storms and Overcast" in answer
    assert answer.count("\N{RIGHTWARDS ARROW}") == 2


async def test_a_changed_row_is_told_as_before_and_after(world: World) -> None:
    """With its old and new range."""
    changed = homebrew.patrols(
        'rows = [\n  { max = 16, outcome = "no-catch", text = "Nothing is caught", line = 1 },\n'
        '  { min = 17, outcome = "caught", text = "The target is caught", line = 2 },\n]'
    )
    answer = reading.said(await homebrew.send_file(world, changed, "easier"))
    assert "row `caught` changed: 18 or more: The target is caught \N{RIGHTWARDS ARROW} 17 or more" in answer
    assert "**20%** (1/5) \N{MIDDLE DOT} 17 or more: The target is caught" in answer


@pytest.mark.slow
async def test_an_old_roll_tells_the_version_of_its_day(world: World) -> None:
    """Both stay provable."""
    await homebrew.send_and_switch_on(world, homebrew.table())
    assert "Little" in await homebrew.roll_table(world, "loot", 3)
    looked = reading.response(await homebrew.send_file(world, homebrew.table(rest=ROWS_LOWER)))
    assert "## loot v2" in reading.text(looked)
    assert "entry #5" in reading.said(await world.gm.click(looked, custom_id=reading.press(looked, "on:")))
    assert "Much" in await homebrew.roll_table(world, "loot", 3)
    assert "House rules: loot v1" in await homebrew.show_entry(world, 4)
    assert "House rules: loot v2" in await homebrew.show_entry(world, 6)
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
    """Then it rolls."""
    card = reading.response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost"))
    await homebrew.send_and_switch_on(world, homebrew.modifier("patrol.newtype", 7), "newtypes")
    before = written(world)
    again = reading.response(await world.gm.click(card, custom_id=reading.press(card, "roll")))
    assert "The card has changed since you saw it." in reading.text(again)
    assert "+7 A rule of ours" in reading.option(again, "tick:patrol:0", "patrol.newtype")["label"]
    assert written(world)[0] == before[0]
    world.dice.script(2)
    assert "Rolled: entry #4" in reading.said(await world.gm.click(again, custom_id=reading.press(again, "roll")))


async def test_a_card_of_a_table_that_is_gone_says_so(world: World) -> None:
    """It says what is missing."""
    await homebrew.send_and_switch_on(world, homebrew.table())
    card = reading.response(await world.gm.slash(world.orders, "table roll", name="loot"))
    await use_file(world.gm, world.orders, "remove", "loot")
    with nothing_written(world):
        assert "the roll 'loot'. The house rules that have it may be off" in reading.refused(
            await world.gm.click(card, custom_id=reading.press(card, "roll"))
        )


async def test_a_file_is_taken_out_and_comes_back_as_the_next_version(world: World) -> None:
    """Sent again, it counts on."""
    await homebrew.send_and_switch_on(world, homebrew.table())
    words = reading.said(await use_file(world.gm, world.orders, "remove", "LOOT"))
    assert "### loot v1 is off: entry #4" in words
    assert "loot v1 is off" in reading.refused(await world.gm.slash(world.orders, "table roll", name="loot"))
    assert "*Switched off: loot v1*" in reading.said(await world.gm.slash(world.orders, "table show"))
    assert "### loot v2 is on" in await homebrew.send_and_switch_on(world, homebrew.table(title="More loot"))
    answer = reading.response(await use_file(world.gm, world.orders, "export", "loot", version=1))
    (file,) = answer.attachments
    assert (answer.ephemeral, file.filename, (await file.read()).decode()) == (True, "loot-v1.toml", homebrew.table())
    newest_one = reading.response(await use_file(world.gm, world.orders, "export", "loot")).attachments[0]
    assert (await newest_one.read()).decode() == homebrew.table(title="More loot")
    assert "has no version 3" in reading.refused(await use_file(world.gm, world.orders, "export", "loot", version=3))
    await require_whole(world)


@pytest.mark.slow
async def test_a_file_that_another_builds_on_stays(world: World) -> None:
    """A file that another needs can't be removed."""
    await homebrew.send_and_switch_on(world, homebrew.DRONES, "drones")
    assert "All come back" in await homebrew.roll_table(world, "drone-failures", 2, sides=6, who="Kilo")
    other = homebrew.DRONES.partition("facts = [")[0] + '[[change]]\ntable = "drone-failures"\nremove-rows = ["lost"]\n'
    other += 'rows = [{ outcome = "fine", text = "All come back", line = 1 }]\n'
    await homebrew.send_and_switch_on(world, other, "sturdy")
    with nothing_written(world):
        answer = reading.refused(await use_file(world.gm, world.orders, "remove", "drones"))
        reading.assert_says(answer, "sturdy needs drones", "unknown table drone-failures")
    await use_file(world.gm, world.orders, "remove", "sturdy")
    assert "drones v1 is off" in reading.said(await use_file(world.gm, world.orders, "remove", "drones"))
    await require_whole(world)


@pytest.mark.slow
async def test_files_lie_over_each_other_in_their_order(world: World) -> None:
    """A next version keeps its place."""
    await homebrew.send_and_switch_on(world, homebrew.modifier("patrol.newtype", 3), "first")
    await homebrew.send_and_switch_on(world, homebrew.modifier("patrol.newtype", 5), "second")
    await homebrew.send_and_switch_on(world, homebrew.modifier("patrol.newtype", 9), "first")
    card = reading.response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost"))
    assert "+5 A rule of ours" in reading.option(card, "tick:patrol:0", "patrol.newtype")["label"]
    listed = reading.said(await world.gm.slash(world.orders, "table show"))
    assert listed.index("first v2") < listed.index("second v1")


@pytest.mark.slow
async def test_a_list_of_a_card_holds_25_and_the_next_the_rest(world: World) -> None:
    """It counts when ticked there."""
    lines = ",\n".join(
        f'  {{ id = "m{place}", value = {place}, label = "M", group = "g", line = 1, when = [["roller.luck"]] }}'
        for place in range(26)
    )
    fact = 'facts = [{ trait = "luck", label = "Luck", roles = ["roller"] }]\n'
    await homebrew.send_and_switch_on(world, fact + homebrew.table(rest=f"{ROWS_LOWER}modifiers = [\n{lines}\n]\n"))
    card = reading.response(await world.gm.slash(world.orders, "table roll", name="loot", who="Kilo"))
    sizes = [len(item["options"]) for item in reading.components(card) if ":tick:" in item.get("custom_id", "")]
    assert sizes == [25, 1]
    answer = reading.text(
        reading.response(await world.gm.select(card, ["m25"], custom_id=reading.press(card, "tick:g:1")))
    )
    assert "+25 M" in answer


async def test_a_file_that_changes_nothing_says_so(world: World) -> None:
    """It can be switched on."""
    looked = reading.response(await homebrew.send_file(world, homebrew.OVERLAY, "empty"))
    assert "It changes nothing." in reading.text(looked)
    assert "empty v1 is on" in reading.said(await world.gm.click(looked, custom_id=reading.press(looked, "on:")))


@pytest.mark.slow
async def test_pages_of_a_long_file_are_turned(world: World) -> None:
    """Before and after switching on."""
    many = "".join(homebrew.table(f"t{number}", f"Table {number}".ljust(70, "*")) for number in range(20))
    answer, view = "", reading.response(await homebrew.send_file(world, many, "many"))
    while True:
        answer += reading.text(view)
        if not any(part.get("label") == "More" for part in reading.components(view)):
            break
        more = next(part["custom_id"] for part in reading.components(view) if part.get("label") == "More")
        view = reading.response(await world.gm.click(view, custom_id=more))
    assert all(f"### Table {number}\\*" in answer for number in range(20))
    assert "page 2 of" in answer
    assert reading.offers(view, "on:")
    await world.gm.click(view, custom_id=reading.press(view, "on:"))
    first = reading.response(await world.gm.slash(world.orders, "table show", name="many"))
    assert "on since entry #3" in reading.text(first)
    assert not reading.offers(first, "on:")
    back = reading.response(await world.gm.click(first, custom_id=reading.press(first, "look:1")))
    assert "page 2 of" in reading.text(back)


async def test_a_table_of_the_campaign_is_followed_up_like_a_printed_one(world: World) -> None:
    """It cancels a battle and reveals passwords."""
    then = 'then = [{{ do = "{}", to = "target" }}]'
    rows = homebrew.ROWS.replace("line = 1", f"line = 1, {then.format('ambush')}")
    rows = rows.replace("line = 2", f"line = 2, {then.format('reveal-passwords')}")
    await homebrew.send_and_switch_on(world, homebrew.table(rest=rows))
    await roll_command(world, "patrol", 20, patrol="Kilo", target="Ghost", to="staff", roll="now")
    await homebrew.roll_table(world, "loot", 1, about="Ghost")
    await homebrew.roll_table(world, "loot", 6, about="Ghost")
    answer = "\n".join(map(reading.text, world.staff.history()))
    reading.assert_says(
        answer, "Battle cancelled", "Write-up #4, the patrol's battle, is cancelled", "Passwords to pass on"
    )


SKILL = """
[overlay]
id = "skills"
extends = "campaign"
source = { book = "Ours", section = "Skills" }
facts = [
  { trait = "pilot", label = "Pilot", roles = ["roller"] },
  { trait = "skill", label = "a pilot's task", roles = ["task"] },
]
fields = [{ id = "pilot", label = "pilot", on = ["character"], takes = "number", min = 0, max = 6, line = 1 }]

[[table]]
id = "check"
title = "Check"
die = 20
rows = [
  { max = 10, text = "Failure", tone = "failure" },
  { min = 11, text = "Success", tone = "success" },
]
modifiers = [
  { id = "task.skill", value = 1, times = "roller.pilot", label = "Pilot", group = "skill", when = [["task.skill"]] },
  { id = "task.untrained", value = -3, label = "Untrained", group = "skill", when = [["task.skill", "!roller.pilot"]] },
]
"""


@pytest.mark.parametrize(
    ("saved", "rolled", "counted"),
    [
        (None, "1d20 \N{MINUS SIGN} 3", "0 Pilot, \N{MINUS SIGN}3 Untrained"),
        ("0", "1d20 + 0", "Kai: 0 Pilot"),
        ("2", "1d20 + 2", "Kai: +2 Pilot"),
    ],
)
async def test_a_saved_zero_is_a_skill_and_a_missing_one_counts_zero(
    world: World, saved: str | None, rolled: str, counted: str
) -> None:
    """A modifier that a number multiplies counts the number that is saved, if any."""
    await homebrew.send_and_switch_on(world, SKILL, "skills")
    fields = {} if saved is None else {"fields": f"pilot: {saved}"}
    await world.gm.slash(world.orders, "roster add", name="Kai", kind="pc", side="EF", **fields)
    card = reading.response(await world.gm.slash(world.orders, "table roll", name="Check", who="Kai"))
    shown = await world.gm.select(card, ["task.skill"], custom_id=reading.press(card, "tick:skill:0"))
    *_, stage, modifiers = reading.text(reading.response(shown)).splitlines()
    assert (stage.rpartition(" \N{MIDDLE DOT} ")[2], modifiers) == (rolled, counted)


CHAIN = """
[[table]]
id = "events"
title = "Events"
die = 20
source = { book = "Ours", section = "Events" }
rows = [
  { max = 10, text = "A quiet week" },
  { min = 11, text = "Trouble", rolls = "troubles", then = [{ do = "injure", to = "roller", amount = 1 }] },
]

[[table]]
id = "troubles"
title = "Troubles"
die = 6
source = { book = "Ours", section = "Events" }
rows = [
  { max = 2, text = "Mutiny", tone = "danger", then = [{ do = "write-up" }] },
  { min = 3, text = "A gale" },
]
"""


async def test_a_row_rolls_on_another_table(world: World) -> None:
    """In one entry, with joint odds and what both rows do, which is undone together."""
    preview = reading.response(await homebrew.send_file(world, CHAIN, "events"))
    assert "11 or more: Trouble \N{RIGHTWARDS ARROW} `troubles`" in reading.text(preview)
    await world.gm.click(preview, custom_id=reading.press(preview, "on:"))
    card = reading.response(await world.gm.slash(world.orders, "table roll", name="Events", who="White Base"))
    reading.assert_says(
        reading.text(card), "**50%** A quiet week", "**16.67%** Trouble: Mutiny", "**33.33%** Trouble: A gale"
    )
    world.dice.script_dice((20, 15), (6, 1))
    answer = reading.said(await world.gm.click(card, custom_id=reading.press(card, "roll")))
    reading.assert_says(answer, "Rolled: entry #4", "Trouble: Mutiny", "Events, 1d20: **15**", "Troubles, 1d6: **1**")
    result = reading.text(reading.newest(world.results))
    assert "**What follows:** White Base is injured (level 1). Write-up needed." in result
    assert "njured" in reading.said(await world.gm.slash(world.orders, "gm effect", who="White Base"))
    await take_back(world, "gm undo", entry=4, reason="The wrong ship")
    assert "njured" not in reading.said(await world.gm.slash(world.orders, "gm effect", who="White Base"))
    await require_whole(world)


async def test_a_chain_goes_to_the_staff_if_one_of_its_tables_does(world: World) -> None:
    """Whichever table it ends on."""
    secret = CHAIN.replace("die = 6\n", 'die = 6\naudience = "staff"\n')
    await homebrew.send_and_switch_on(world, secret, "events")
    world.dice.script_dice((20, 5))
    await world.gm.slash(world.orders, "table roll", name="Events", who="White Base", roll="now")
    assert not world.results.history()
    assert "A quiet week" in reading.text(reading.newest(world.staff))
