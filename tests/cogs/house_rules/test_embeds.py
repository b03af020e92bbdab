"""What game masters read about house rules."""

from __future__ import annotations

import pytest

from bot.cli.rules import show_table
from rules.loader import load_book
from tests.cogs.house_rules import homebrew
from tests.cogs.house_rules.test_games import SAILS
from tests.support.acting import use_file
from tests.support.reading import assert_says, labels, press, refused, response, said, text
from tests.support.subjects import kept
from tests.support.world import World, nothing_written, rows

CATCH = "campaign.patrol.catch"
BARE = 'rows = [{ min = 18, outcome = "caught", text = "Seen from afar", line = 2 }]'


def entry_number(world: World) -> int:
    """The number of the newest entry."""
    ((newest,),) = rows(world, "select max(number) from entry")
    return int(newest)


async def test_the_preview_tells_what_a_row_does_no_longer(world: World) -> None:
    """Also where the roll decides what follows."""
    bare = homebrew.patrols('rows = [{ min = 20, outcome = "reveal", text = "Seen", line = 2 }]')
    book = load_book("campaign")
    name, row = next(
        (item.id, row) for item in book.tables.values() for row in item.rows if row.then and item.id != CATCH
    )
    low = "" if row.min is None else f"min = {row.min}, "
    high = "" if row.max is None else f"max = {row.max}, "
    changed = bare.replace(CATCH, name).replace("min = 20, ", low + high).replace("reveal", row.outcome)
    answer = said(await homebrew.send_file(world, changed, "bare"))
    assert f"row `{row.outcome}` no longer: " in answer
    assert "newly" not in answer
    answer = said(await homebrew.send_file(world, homebrew.patrols(BARE), "seen"))
    assert "the patrol roll decides what follows for `caught`" in answer
    assert "decides what follows" not in said(await homebrew.send_file(world, homebrew.modifier("ours", 2), "plus"))


def test_a_table_in_the_terminal_tells_what_rows_do() -> None:
    """With the role."""
    book = load_book("campaign")
    item, row = next((item, row) for item in book.tables.values() for row in item.rows if row.then)
    done = row.then[0]
    assert f"{done.do} {done.to}" in show_table(item)


async def test_a_row_of_an_overlay_is_cited_by_its_own_source(world: World) -> None:
    """Other rows keep the book's page."""
    await homebrew.send_and_switch_on(world, homebrew.patrols(BARE), "seen")
    book = load_book("campaign")
    world.dice.script(20, sides=20)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Mole", roll="now")
    answer = await homebrew.show_entry(world, entry_number(world))
    assert "Ours, Patrols, line 2" in answer
    assert book.table(CATCH).rows[0].source is None


@pytest.mark.slow
async def test_a_result_names_only_the_files_that_bear_on_it(world: World) -> None:
    """Other files aren't named."""
    await homebrew.send_and_switch_on(world, homebrew.table())
    await homebrew.send_and_switch_on(world, homebrew.table("gems"), "gems")
    await homebrew.roll_table(world, "loot", 4)
    answer = await homebrew.show_entry(world, entry_number(world))
    assert "House rules: loot v1" in answer
    assert "gems v1" not in answer


async def test_a_file_that_is_off_is_told_so(world: World) -> None:
    """Nothing is written."""
    await homebrew.send_and_switch_on(world, homebrew.table(), "monsters")
    await use_file(world.gm, world.orders, "remove", "monsters")
    with nothing_written(world):
        shown = response(await world.gm.slash(world.orders, "table show", name="Monsters"))
        assert_says(text(shown), "monsters v1 is off", "Send one with `/gm rules` to turn it on again.")
        assert labels(shown) == ["Export"]
        for answer in (
            await use_file(world.gm, world.orders, "remove", "Monsters"),
            await world.gm.slash(world.orders, "table roll", name="monsters"),
        ):
            assert_says(refused(answer), "monsters v1 is off.", "/table show exports it.")
    assert "I can't find a table" in refused(await world.player.slash(world.orders, "table show", name="Monsters"))


async def test_a_stale_button_tells_which_version_is_on(world: World) -> None:
    """With its version and entry."""
    stale = response(await homebrew.send_file(world, homebrew.table("gems"), "two"))
    await homebrew.send_and_switch_on(world, homebrew.table(), "two")
    answer = said(await world.gm.click(stale, custom_id=press(stale, "on:")))
    assert "two v1 is on now (entry #3): this would replace it." in answer


async def test_part_of_a_title_is_enough_for_a_hint(world: World) -> None:
    """For game masters."""
    await homebrew.send_and_switch_on(world, homebrew.table(title="A very long list of wandering monsters"))
    answer = refused(await world.gm.slash(world.orders, "table roll", name="wand"))
    assert "Did you mean A very long list of wandering monsters?" in answer


async def test_game_masters_see_the_ids_of_a_books_table(world: World) -> None:
    """Players see none."""
    book = load_book("campaign")
    answer = text(response(await world.gm.slash(world.orders, "table show", name=CATCH)))
    assert_says(answer, "row `caught`", f"modifier `{book.table(CATCH).modifiers[0].id}`")
    refused(await world.player.slash(world.orders, "table show", name=CATCH))


@pytest.mark.parametrize(("name", "called"), [("monsters", "monsters-v1.toml"), ("Bad: things", "Bad-things-v1.toml")])
async def test_an_exported_file_has_its_name_and_version(world: World, name: str, called: str) -> None:
    """After the file and version."""
    await homebrew.send_and_switch_on(world, homebrew.table(), name)
    (file,) = response(await use_file(world.gm, world.orders, "export", name)).attachments
    assert file.filename == called


async def test_the_preview_warns_of_facts_that_never_count(world: World) -> None:
    """Misspelt weather, an unknown role, an unused fact."""
    facts = [("thick-fgo", "weather"), ("thick-fog", "weather"), ("brave", "party"), ("ship", "roller")]
    declared = ", ".join(f'{{ trait = "{trait}", label = "{trait}", roles = ["{role}"] }}' for trait, role in facts)
    used = ", ".join(
        f'{{ id = "{role}.{trait}", value = 1, label = "{trait}", group = "all", line = 3 }}'
        for trait, role in facts[:3]
    )
    answer = said(await homebrew.send_file(world, f"facts = [{declared}]\n{homebrew.table()}modifiers = [{used}]\n"))
    assert "The weather has no `thick-fgo`, did you mean thick-fog?" in answer
    assert "No one is the `party` of `party.brave`, so it only counts when you tick it" in answer
    assert "Nothing uses the fact `roller.ship`" in answer
    assert answer.count("\N{WARNING SIGN}") == 3


async def test_the_preview_warns_of_what_does_nothing(world: World) -> None:
    """A deed without a fact to end, swapped roles, and upkeep of a kind without the number: accepted as before."""
    lines = {
        "deeds = [": 'deeds = [\n  { id = "calm", text = "{to} obeys", ends = ["mutiny"] },',
        'headline = "{roller} raids in {target}"': 'headline = "{roller} raids in {target}"\nthen = [{ do = "calm", to = "target" }]',
        'of = ["fleet"]': 'of = ["fleet", "pc"]',
    }
    rules = SAILS
    for line, other in lines.items():
        assert rules.count(line) == 1
        rules = rules.replace(line, other)
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    answer = said(await homebrew.send_file(world, rules, "sails"))
    assert "`calm` of `raiding` does nothing: `target.mutiny` isn't a fact, so add `target` to its roles." in answer
    assert "`income` does nothing for a pc, which has no `treasury`." in answer
    swapped = SAILS.replace('actor = "roller"', 'actor = "target"').replace('subject = "target"', 'subject = "roller"')
    assert "The roles of `raiding` are swapped" in said(await homebrew.send_file(world, swapped, "sails"))


async def test_the_next_version_is_shown_against_the_one_that_is_on(world: World) -> None:
    """Only differences show, removed tables too."""
    bonus = 'modifiers = [{{ id = "roller.brave", value = {}, label = "Brave", group = "all", line = 3 }}]\n'
    facts = 'facts = [{ trait = "brave", label = "Brave", roles = ["roller"] }]\n'
    await homebrew.send_and_switch_on(
        world, facts + homebrew.table(rest=homebrew.ROWS + bonus.format(1)) + homebrew.table("gems")
    )
    answer = said(await homebrew.send_file(world, facts + homebrew.table(rest=homebrew.ROWS + bonus.format(2))))
    assert_says(answer, "against loot v1", "+1 Brave \N{RIGHTWARDS ARROW} +2 Brave", "table `gems` removed: Gems")
    assert "fact `roller.brave`" not in answer


LISTS = """
[overlay]
id = "lists"
extends = "campaign"
source = { book = "Ours", section = "Lists" }
facts = [
  { trait = "broker", label = "has a broker", roles = ["trader"] },
  { trait = "rested", label = "rested", roles = ["trader"] },
]
traits = [{ id = "broker", label = "Broker", on = ["unit"], group = "crew" }]
fields = [{ id = "gold", label = "gold", on = ["unit"], takes = "number", min = 0, max = 9, line = 1 }]
effects = [{ trait = "rested", label = "Rested", until = "update" }]

[[scores]]
id = "wits"
label = "wits"
line = 1

[[acts]]
id = "trade"
title = "Trade"
actor = "trader"
headline = "{trader} trades"
text = "Traded"
line = 1

[catalog]
order = [
  { id = "trade", label = "Trade", by = "trader", family = "trade", line = 1, house = true },
  { id = "rest", label = "Rest", by = "scout", line = 1, house = true },
]
phase = [
  { id = "scout", label = "Scouting", takes = ["scout"], rank = "priority", line = 82, house = true },
  { id = "trade", label = "Markets", takes = ["trade", "rest"], line = 1, house = true },
]
"""


async def test_the_preview_lists_everything_that_a_file_changes(world: World) -> None:
    """A line for each item, with what changed; an order without a roll isn't listed as an act."""
    answer = said(await homebrew.send_file(world, LISTS, "lists"))
    assert_says(
        answer,
        "fact `trader.broker` added: has a broker",
        "trait `broker` added: Broker",
        "field `gold` added: gold",
        "effect `rested` added: Rested",
        "act `trade` added: Trade, without a roll",
        "score `wits` added: wits",
        "order `trade` added: Trade, carried out as trade",
        "order `rest` added: Rest",
        "phase `scout` changed: Scouting, takes scout (rank)",
        "phase `trade` added: Markets, takes trade, rest",
        "Give the new orders with `/order give`.",
    )
    assert "act `rest`" not in answer


RULED = """[game]
title = "Ruled"
facts = [{ trait = "hurt", label = "Hurt", roles = ["roller"] }]
fields = [{ id = "gold", label = "gold", on = ["unit"], takes = "number", min = 0, max = 99 }]
effects = [{ trait = "hurt", label = "Hurt", until = "cleared" }]
deeds = [
  { id = "earn", text = "{to} earns {amount} gold", adds = "gold", amount = 2, times = 3 },
  { id = "loot", text = "{to} takes {amount} gold", adds = "gold", amount = "total", times = 3, per = 2 },
]

[[table]]
id = "hunt"
title = "Hunt"
die = 100
caps = [{ group = "bow", low = -2, high = 4 }]
doubles = { well = "best" }
modifiers = [{ id = "roller.hurt", value = -3, label = "Hurt", group = "bow" }]
rows = [
  { max = 50, outcome = "badly", text = "Badly" },
  { min = 51, max = 90, outcome = "well", text = "Well", then = [{ do = "loot", to = "roller" }] },
  { min = 91, outcome = "best", text = "Best" },
]

[[table]]
id = "search"
title = "Search"
die = 6
pool = { reads = "count", target = 5, twice = 6, dice = 2, push = { below = 1, keep = [1, 6] } }
rows = [{ max = 0, text = "Nothing" }, { min = 1, text = "A find" }]

[[acts]]
id = "work"
title = "Work"
actor = "roller"
headline = "{roller} works"
text = "Paid"
refused = [{ when = [["roller.hurt"]], words = "{roller} is hurt." }]
then = [{ do = "earn", to = "roller" }]

[catalog]
order = [{ id = "work", label = "Work", by = "roller", family = "work" }]
phase = [{ id = "day", label = "Day", takes = ["work"] }]

[[upkeep]]
id = "rent"
title = "Rent"
of = ["ship"]
takes = "gold"
times = 4
"""


async def test_the_preview_shows_what_a_roll_means(world: World) -> None:
    """Limits, doubles, pools, amounts and upkeep, each with its numbers."""
    await world.gm.slash(world.orders, "gm settings", books="none, house")
    told = said(await homebrew.send_file(world, RULED, "ruled"))
    assert_says(
        told,
        "Limit of bow: at least \N{MINUS SIGN}2 and at most +4",
        "Doubles: Well \N{RIGHTWARDS ARROW} Best",
        "Pool: dice 2, twice 6, push below 1, keep 1 and 6",
        "someone earns 6 gold",
        "takes (total \N{MULTIPLICATION SIGN} 3 / 2) gold",
        "Rent, takes 4 from gold, for each ship, before each closing",
    )
    assert "Nothing uses" not in told
    await homebrew.send_and_switch_on(world, RULED, "ruled")
    moved = RULED.replace("[[acts]]", "# More\n\n[[acts]]")
    assert "It changes nothing" in said(await homebrew.send_file(world, moved, "ruled"))
    told = said(await homebrew.send_file(world, moved.replace("is hurt.", "rests."), "ruled"))
    assert "act `work` changed: Work, without a roll (refused)" in told


async def test_an_order_shows_how_much_its_deed_adds(world: World) -> None:
    """A fixed amount is multiplied before it's shown, as when it's carried out."""
    await world.gm.slash(world.orders, "gm settings", books="none, house", players_may="orders")
    await homebrew.send_and_switch_on(world, RULED, "ruled")
    await world.gm.slash(world.orders, "roster add", name="Gull", kind="ship", owner=world.player)
    assert "Gull earns 6 gold" in said(await world.player.slash(world.orders, "order give", kind="Work", who="Gull"))
    await world.gm.slash(world.orders, "table roll", name="work", who="Gull", roll="now")
    assert kept(world, "Gull")["profile"]["gold"] == 6
