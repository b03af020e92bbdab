"""Published results name earlier private tries."""

from __future__ import annotations

import simcord

from tests.cogs.ledger.test_amend import open_card, press_amend
from tests.cogs.ledger.test_void import undo_entry
from tests.cogs.privacy.people import erase
from tests.support.acting import close_update
from tests.support.reading import footer, newest, press, said
from tests.support.world import World, rows, send_raw

RULES = "Rolled privately first (per the rules)"
FIVE = f"{RULES}, 5 earlier private tries in update 1"


async def scout(world: World, face: int = 20, actor: simcord.MemberActor | None = None, **options: str) -> int:
    """Scout Fort Anvil with Jonas privately; return the entry."""
    world.dice.script(face)
    asked = {"scouter": "Jonas", "base": "Fort Anvil", "roll": "now", **options}
    await (actor or world.gm).slash(world.orders, "scout", **asked)
    return int(rows(world, "select max(number) from entry where kind = 'roll'")[0][0])


async def read_footer(world: World, number: int) -> str:
    """Return a published result's footer."""
    await send_raw(world.gm, world.staff, f"publish:1:{number}:now")
    return footer(newest(world.results).embeds[0])


async def try_again(world: World, times: int) -> None:
    """Scout and void it, several times."""
    for _ in range(times):
        await undo_entry(world, await scout(world))


async def test_tries_that_were_taken_back_are_counted(world: World) -> None:
    """Five void private results are named with the sixth."""
    await try_again(world, 5)
    number = await scout(world)
    assert FIVE in await read_footer(world, number)
    assert FIVE in said(await world.player.slash(world.orders, "ledger", entry=number))


async def test_an_erasure_resets_no_count(world: World) -> None:
    """An erased game master's tries still count."""
    await try_again(world, 5)
    await erase(world, world.gm)
    assert FIVE in await read_footer(world, await scout(world))


async def test_an_erasure_resets_no_count_of_those_who_roll_for_themselves(world: World) -> None:
    """Free dice stay the same person's."""
    for times in range(3):
        if times:
            await erase(world, world.gm)
        world.dice.script(3, sides=6)
        await world.gm.slash(world.orders, "roll", expression="d6", to="staff")
    number = int(rows(world, "select max(number) from entry where kind = 'roll'")[0][0])
    assert "by this person in update 1, 2 earlier private tries" in await read_footer(world, number)


async def test_a_try_counts_whoever_made_it_and_whatever_kept_it_private(world: World) -> None:
    """Public rolls, other bases and other updates don't count."""
    await undo_entry(world, await scout(world, actor=world.gm2, to="me"), actor=world.gm2)
    await scout(world, base="Alpha")
    await undo_entry(world, await scout(world, to="results"))
    told = await read_footer(world, await scout(world))
    assert f"{RULES}, 1 earlier private try in update 1" in told
    await close_update(world)
    assert "earlier" not in await read_footer(world, await scout(world))


async def test_a_roll_that_is_amended_to_be_about_another_is_a_try_at_that_one(world: World) -> None:
    """Tries at the new target count."""
    first = await scout(world, base="Alpha")
    await try_again(world, 2)
    card = await open_card(world, first)
    shown = await world.gm.click(card, custom_id=press(card, "names"))
    await world.gm.submit_modal(shown, {"scouter": "Jonas", "base": "Fort Anvil"})
    world.dice.script()
    await press_amend(world.gm, card)
    number = int(rows(world, "select max(number) from entry where kind = 'roll'")[0][0])
    assert number > first
    assert f"{RULES}, 2 earlier private tries" in await read_footer(world, number)


async def test_a_new_name_makes_no_other_thing(world: World) -> None:
    """A renamed base is the same base."""
    await world.gm.slash(world.orders, "roster add", name="Fort Anvil", kind="base")
    await try_again(world, 1)
    await world.gm.slash(world.orders, "roster edit", name="Fort Anvil", new_name="Fort Hammer")
    assert "1 earlier private try" in await read_footer(world, await scout(world, base="Fort Hammer"))


async def test_the_count_of_a_makers_private_rolls_outlasts_an_erasure(world: World) -> None:
    """Until the update is over."""
    for base in ("Alpha", "Bravo"):
        await scout(world, base=base, to="me")
    await erase(world, world.gm)
    assert "1 of 3 private rolls by this" in await read_footer(world, await scout(world, to="staff"))
    assert rows(world, "select count(*) from tombstone") == [(1,)]
    await close_update(world)
    assert rows(world, "select count(*) from tombstone") == [(0,)]
