"""`/scout`: one roll for each character who scouts a base."""

from __future__ import annotations

from tests.support.acting import roll_command
from tests.support.reading import assert_says, press, refused, response, text
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written


async def test_success_marks_the_base_and_a_later_patrol_knows(world: World) -> None:
    """A scouted base keeps it, and when that base patrols, the fact is ticked with its reason."""
    await roll_command(world, "scout", 13, scouter="Jonas", base="Fort Anvil", roll="now")
    assert "effect.scouted" in kept(world, "Fort Anvil")
    card = response(await world.gm.slash(world.orders, "patrol", patrol="FORT  anvil", target="Zaku"))
    assert_says(text(card), "Patrolling base has been scouted", "Since entry 3")


async def test_ticks_are_each_scouters_own_and_the_bases_are_shared(world: World) -> None:
    """What is ticked of a scouter holds for that one, what is ticked of the base for all who scout it."""
    card = response(await world.gm.slash(world.orders, "scout", scouter="Jonas, Priya", base="Fort Anvil"))
    await world.gm.select(card, ["scouter.newtype"], custom_id=press(card, "tick:scouter:0"))
    await world.gm.select(card, ["base.urban"], custom_id=press(card, "tick:base:0"))
    world.dice.script(10, 10)
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert [part["steps"][0]["total"] for part in entry(world)["parts"]] == [12, 11]


async def test_ten_scouters_at_most_and_one_base(world: World) -> None:
    """Ten may scout at once; eleven, or two bases, are refused and nothing is rolled."""
    ten = ",".join(f"S{number}" for number in range(10))
    await roll_command(world, "scout", *[9] * 10, scouter=ten, base="Fort", roll="now")
    assert len(entry(world)["parts"]) == 10
    with nothing_written(world):
        eleven = await world.gm.slash(world.orders, "scout", scouter=f"{ten},S11", base="Fort")
        assert "You typed 11 names, but one roll takes up to 10." in refused(eleven)
        two = await world.gm.slash(world.orders, "scout", scouter="Jonas", base="Fort, Other")
        assert "You typed 2 names, but I need one base." in refused(two)
