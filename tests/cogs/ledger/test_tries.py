"""What a published result says of the private tries at the same that came before it."""

from __future__ import annotations

import simcord

from tests.cogs.ledger.test_amend import amended, opened
from tests.cogs.ledger.test_void import taken_back
from tests.cogs.privacy.people import erase
from tests.support.acting import close_update
from tests.support.reading import footer, newest, press, said
from tests.support.world import World, rows, send_raw

RULES = "Rolled privately first (per the rules)"
FIVE = f"{RULES}, 5 earlier private tries in update 1"


async def scout(world: World, face: int = 20, actor: simcord.MemberActor | None = None, **options: str) -> int:
    """Scout Fort Anvil with Jonas, which the rules send to the staff on this face; gives the entry."""
    world.dice.script(face)
    asked = {"scouter": "Jonas", "base": "Fort Anvil", "roll": "now", **options}
    await (actor or world.gm).slash(world.orders, "scout", **asked)
    return int(rows(world, "select max(number) from entry where kind = 'roll'")[0][0])


async def published(world: World, number: int) -> str:
    """The footer of a result that is published."""
    await send_raw(world.gm, world.staff, f"publish:1:{number}:now")
    return footer(newest(world.results).embeds[0])


async def tried(world: World, times: int) -> None:
    """Scout and take it back, again and again."""
    for _ in range(times):
        await taken_back(world, await scout(world))


async def test_tries_that_were_taken_back_are_counted(world: World) -> None:
    """Five results that the rules kept private, each void, are told with the sixth, in the ledger, too."""
    await tried(world, 5)
    number = await scout(world)
    assert FIVE in await published(world, number)
    assert FIVE in said(await world.player.slash(world.orders, "ledger show", number=number))


async def test_an_erasure_resets_no_count(world: World) -> None:
    """The tries of a game master who had their data erased stay tries."""
    await tried(world, 5)
    await erase(world, world.gm)
    assert FIVE in await published(world, await scout(world))


async def test_an_erasure_resets_no_count_of_those_who_roll_for_themselves(world: World) -> None:
    """Dice that are about nobody else are the same person's before an erasure and after it."""
    for times in range(3):
        if times:
            await erase(world, world.gm)
        world.dice.script(3, sides=6)
        await world.gm.slash(world.orders, "roll", expression="d6", to="staff")
    number = int(rows(world, "select max(number) from entry where kind = 'roll'")[0][0])
    assert "by this person in update 1, 2 earlier private tries" in await published(world, number)


async def test_a_try_counts_whoever_made_it_and_whatever_kept_it_private(world: World) -> None:
    """Another game master's private roll counts; a public one, one of another base and one of another update don't."""
    await taken_back(world, await scout(world, actor=world.gm2, to="me"), actor=world.gm2)
    await scout(world, base="Alpha")
    await taken_back(world, await scout(world, to="results"))
    told = await published(world, await scout(world))
    assert f"{RULES}, 1 earlier private try in update 1" in told
    await close_update(world)
    assert "earlier" not in await published(world, await scout(world))


async def test_a_roll_that_is_amended_to_be_about_another_is_a_try_at_that_one(world: World) -> None:
    """Dice that fell before for something else bring no clean count along: what was tried at this in the meantime counts."""
    first = await scout(world, base="Alpha")
    await tried(world, 2)
    card = await opened(world, first)
    shown = await world.gm.click(card, custom_id=press(card, "names"))
    await world.gm.submit_modal(shown, {"scouter": "Jonas", "base": "Fort Anvil"})
    world.dice.script()
    await amended(world.gm, card)
    number = int(rows(world, "select max(number) from entry where kind = 'roll'")[0][0])
    assert number > first
    assert f"{RULES}, 2 earlier private tries" in await published(world, number)


async def test_a_new_name_makes_no_other_thing(world: World) -> None:
    """A base that was renamed between two tries is the same base."""
    await world.gm.slash(world.orders, "unit add", name="Fort Anvil", kind="base")
    await tried(world, 1)
    await world.gm.slash(world.orders, "unit edit", name="Fort Anvil", new_name="Fort Hammer")
    assert "1 earlier private try" in await published(world, await scout(world, base="Fort Hammer"))


async def test_the_count_of_a_makers_private_rolls_outlasts_an_erasure(world: World) -> None:
    """What somebody kept private before they were erased counts with what they keep after it, until the update is over."""
    for base in ("Alpha", "Bravo"):
        await scout(world, base=base, to="me")
    await erase(world, world.gm)
    assert "1 of 3 private rolls by this" in await published(world, await scout(world, to="staff"))
    assert rows(world, "select count(*) from tombstone") == [(1,)]
    await close_update(world)
    assert rows(world, "select count(*) from tombstone") == [(0,)]
