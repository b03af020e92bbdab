"""What ends a hold: the holder is stunned, goes down or is gone, and then at once."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, told
from tests.cogs.roe.test_acts import act, effects
from tests.cogs.roe.test_struggles import grabbed, ready
from tests.support.acting import confirmed
from tests.support.reading import text
from tests.support.world import rows


async def struck(ring: Ring, *dice: tuple[int, int]) -> None:
    """Let the Guard strike Kai, who holds Char."""
    ring.world.dice.script_dice(*dice)
    typed = {"character": GUARD, "target": KAI, "weapon": "Club", "range": 1, "roll": "now"}
    assert "Rolled" in told(await ring.gm.slash(ring.world.orders, "roe attack", **typed))


async def holding(ring: Ring) -> None:
    """Let Kai hold Char, and the Guard have the turn."""
    await ready(ring, f"{KAI}, {GUARD}, {CHAR}")
    await ring.gm.slash(ring.world.orders, "character edit", name=GUARD, fields="hp: 20; weapons: Club = L_b_Club")
    await grabbed(ring)
    await ring.ended(ring.player)
    await act(ring, "Draw or swap hand items", ring.gm, value="Club")


async def test_a_stun_on_the_holder_ends_a_hold_at_once(ring: Ring) -> None:
    """C25.4: both are free with the hit, not with the end of a turn, and all read that; taken back, the hold is there again."""
    await holding(ring)
    await struck(ring, (100, 70), (100, 2), (50, 1))
    assert await effects(ring, CHAR) == set()
    assert "holding" not in await effects(ring, KAI)
    assert "stunned" in await effects(ring, KAI)
    posts = "\n".join(text(message) for message in ring.world.orders.history())
    assert f"{CHAR}: Held" in posts
    assert f"{KAI}: Holding somebody" in posts
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'roll'")
    window = await ring.gm.slash(ring.world.orders, "void", entry=number)
    await ring.gm.submit_modal(window, {"reason": "never mind"})
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == ({"holding"}, {"held"})
    assert await ring.sound()


async def test_a_stun_that_a_game_master_sets_ends_a_hold_at_once(ring: Ring) -> None:
    """Both are free with the entry, which says so and takes the hold back with it; one who is held may be stunned and stays held."""
    await holding(ring)
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Stunned")
    assert "held" in await effects(ring, CHAR)
    answer = told(await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="Stunned"))
    assert "Over at once: Char: Held" in answer
    assert "held" not in await effects(ring, CHAR)
    assert await effects(ring, KAI) == {"stunned"}
    assert await ring.sound()


async def test_a_zone_that_stuns_the_holder_ends_a_hold_at_once(ring: Ring) -> None:
    """What befalls at the start of a turn counts as what a hit does."""
    await holding(ring)
    zone = {"item": "Flash", "use": "zone", "damage": "stun, 9 turns", "targets": KAI, "character": GUARD}
    assert "Done" in told(await ring.gm.slash(ring.world.orders, "roe blast", **zone))
    assert await effects(ring, CHAR) == {"held"}
    for _ in range(2):
        await ring.ended(ring.gm)
    assert "stunned" in await effects(ring, KAI)
    assert "holding" not in await effects(ring, KAI)
    assert await effects(ring, CHAR) == set()
    assert await ring.sound()


async def test_who_goes_down_holds_nobody(ring: Ring) -> None:
    """The held one is free at once."""
    await holding(ring)
    await ring.gm.slash(ring.world.orders, "character edit", name=KAI, fields="hp: 3")
    await struck(ring, (100, 60), (100, 2), (50, 4))
    assert await effects(ring, CHAR) == set()
    assert "holding" not in await effects(ring, KAI)
    assert await ring.sound()


@pytest.mark.parametrize(("gone", "left", "had"), [(KAI, CHAR, "held"), (CHAR, KAI, "holding")])
async def test_nobody_is_held_by_who_was_removed(ring: Ring, gone: str, left: str, had: str) -> None:
    """A hold ends with either of both; taken back with the removal, it is there again."""
    await ready(ring)
    await grabbed(ring)
    await confirmed(ring.world, "character remove", name=gone)
    assert await effects(ring, left) == set()
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'unit'")
    window = await ring.gm.slash(ring.world.orders, "void", entry=number)
    await ring.gm.submit_modal(window, {"reason": "never mind"})
    assert await effects(ring, left) == {had}
    assert await ring.sound()
