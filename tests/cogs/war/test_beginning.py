"""How a war begins: looked at first, with all faults of its scenario; once, and taken back like anything else."""

from __future__ import annotations

from bot.cogs.war.wars import WAR_ENTRY
from rules.books.total_war.keeping import SCENARIO
from tests.cogs.war.front import E, Front, begun, example
from tests.support.acting import take_back
from tests.support.reading import newest, press, refused, response, text
from tests.support.world import World, entry, rows, send_raw


async def test_only_game_masters_discard_a_scenario(front: Front) -> None:
    """A press of Discard that is forged is refused; the answer to one that is not claims nothing of a war that is on."""
    world = front.world
    shown = response(await world.gm.slash(world.orders, "war new"))
    forged = await send_raw(world.player, world.orders, press(shown, "discard"))
    assert "Only game masters" in refused(forged)
    told = text((await world.gm.click(shown, label="Discard")).followups[-1])
    assert "Discarded, nothing has started" in told


async def test_a_beginning_is_taken_back_with_all_that_came_of_it(front: Front) -> None:
    """Voiding the first entry of a war leaves none, and what is rebuilt equals what is kept."""
    world = front.world
    number = next(number for number, kind in rows(world, "select number, kind from entry") if kind == "war")
    await take_back(world, "void", entry=number, reason="Another map")
    assert "No war is on" in refused(await world.gm.slash(world.orders, "war show"))


async def test_another_war_takes_the_place_of_one_that_is_on(front: Front) -> None:
    """Of two wars the newer one is played; the preview says so first, and which orders lapse by it; the post for all tells that the former one is over."""
    world = front.world
    other = example().replace('"First days"', '"Second days"').replace('"first-days"', '"second-days"')
    await front.order(front.ann, "Move a force", "1st Fleet", to="1,-1")
    shown = response(await world.gm.slash(world.orders, "war new", scenario=("b.toml", other.encode())))
    assert "Starting this ends **First days** (no winner yet)." in text(shown)
    assert "Orders that are cancelled: **1st Fleet**: Move a force, 1,-1." in text(shown).replace("\\", "")
    assert "undecided" not in text(shown)
    await world.gm.click(shown, label="Start")
    assert "The war before, First days, is over, without a winner." in text(newest(world.results))
    assert "Second days has started" in text(response(await world.gm.slash(world.orders, "order list")))
    assert "Second days, turn 1" in await front.sheet()
    assert "no leader" in await front.sheet(E)


async def test_there_is_a_sheet_of_everything(front: Front) -> None:
    """Forces, factions, players, pilots, panels and units by their ids have one each; a name that is slightly off is guessed."""
    for what in ("1st Fleet", "Zeon", "Ann", "Amuro Ray", "3,-3"):
        assert what.split(",", maxsplit=1)[0] in await front.sheet(what)
    for what, near in (("1st Fleat", "Did you mean 1st Fleet?"), ("Jonas", "Players here: Ann, Bo.")):
        assert near in refused(await front.ann.slash(front.world.orders, "war show", what=what))
    force = (await front.stands()).forces["11th Squadron"]
    told = await front.sheet(force.units[0].id.upper())
    assert f"`{force.units[0].id}` {force.units[0].model}, Amuro Ray, 0 kills, a hero" in told
    assert f"In 11th Squadron, on {force.at}." in told


async def test_the_sheet_of_a_panel_tells_its_supply_and_its_pay(front: Front) -> None:
    """U1, U2: to what it is joined and what it pays; nothing once it is cut off; of nobody's what it would pay."""
    joined = "In supply from 3,-3: pays 26 gold a turn."
    assert joined in await front.sheet("2,-2")
    assert "Pays 21 gold a turn to a faction that owns it" in await front.sheet("0,0")
    assert joined in await front.sheet("2,-2", front.bo)
    await front.world.gm.slash(front.world.orders, "war set", what="owner", to="2,-2 Zeon", reason="Taken")
    cut = "Out of supply: no gold, no building, no new units."
    assert cut in await front.sheet("2,-2")


async def test_the_shipped_scenario_is_played_in_its_words(world: World) -> None:
    """What is kept of a scenario names no person, even where the file names commanders by their ids."""
    mine = example().replace('name     = "1st Fleet"', f'name = "1st Fleet"\ncommander = {world.player.id}', 1)
    front = await begun(world, mine)
    assert str(world.player.id) not in str(entry(world, 4))
    assert "commanded by Ann" in await front.sheet("1st Fleet")


async def test_a_scenario_out_of_a_capsule_may_be_as_large_as_one_that_is_sent(front: Front) -> None:
    """What `/war new` has taken fits as it is kept; with more panels than a file may have it doesn't."""
    number = rows(front.world, "select number from entry where kind = 'war'")[0][0]
    body = entry(front.world, number)
    assert WAR_ENTRY.too_large is not None
    assert [*WAR_ENTRY.too_large(body)] == []
    kept = next(item["after"]["is"] for item in body["changes"] if item["name"] == SCENARIO)
    kept["owners"] = [[[0, 0], "E"]] * 2001
    assert [*WAR_ENTRY.too_large(body)] == ["the scenario is too large: owners: 2001 items, over the limit of 2000"]
