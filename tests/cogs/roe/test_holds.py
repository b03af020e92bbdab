"""What ends a hold: the holder is stunned, goes down or is gone, and then at once."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, told
from tests.cogs.roe.test_acts import act, effects
from tests.cogs.roe.test_struggles import grabbed, ready
from tests.support.acting import confirmed, take_back
from tests.support.reading import assert_says, text
from tests.support.world import rows


async def struck(ring: Ring, *dice: tuple[int, int]) -> None:
    """Let the Guard strike Kai, who holds Char."""
    ring.world.dice.script_dice(*dice)
    typed = {"character": GUARD, "target": KAI, "weapon": "Club", "range": 1, "roll": "now"}
    assert "Rolled" in told(await ring.gm.slash(ring.world.orders, "roe attack", **typed))


async def holding(ring: Ring) -> None:
    """Let Kai hold Char, and the Guard have the turn."""
    await ready(ring, f"{KAI}, {GUARD}, {CHAR}")
    await ring.save({GUARD: "hp: 20; weapons: Club = L_b_Club"})
    await grabbed(ring)
    await ring.ended(ring.player)
    await act(ring, "Draw or swap", ring.gm, value="Club")


async def test_a_stun_on_the_holder_ends_a_hold_at_once(ring: Ring) -> None:
    """C25.4: by a hit or a game master both are free with the entry, and all read that; taken back, the hold is there again. The held one may be stunned and stays held."""
    await holding(ring)
    await struck(ring, (100, 70), (100, 2), (50, 1))
    assert await effects(ring, CHAR) == set()
    assert "holding" not in await effects(ring, KAI)
    assert "stunned" in await effects(ring, KAI)
    posts = "\n".join(text(message) for message in ring.world.orders.history())
    assert_says(posts, f"{CHAR}: Held", f"{KAI}: Holding someone")
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'roll'")
    await take_back(ring.world, "void", entry=number, reason="never mind")
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == ({"holding"}, {"held"})
    await ring.gm.slash(ring.world.orders, "effect set", who=CHAR, effect="Stunned")
    assert "held" in await effects(ring, CHAR)
    answer = told(await ring.gm.slash(ring.world.orders, "effect set", who=KAI, effect="Stunned"))
    assert "Ended at once: Char: Held" in answer
    assert "held" not in await effects(ring, CHAR)
    assert await effects(ring, KAI) == {"stunned"}


@pytest.mark.parametrize("how", ["struck down", pytest.param("stunned by a zone", marks=pytest.mark.slow)])
async def test_who_goes_down_or_is_stunned_by_a_zone_holds_nobody(ring: Ring, how: str) -> None:
    """A holder who is struck down, or stunned at the start of a turn, frees the held character at once."""
    await holding(ring)
    if how == "struck down":
        await ring.save({KAI: "hp: 3"})
        await struck(ring, (100, 60), (100, 2), (50, 4))
    else:
        zone = {"item": "Flash", "use": "zone", "damage": "stun, 9 turns", "targets": KAI, "character": GUARD}
        assert "Done" in told(await ring.gm.slash(ring.world.orders, "roe blast", **zone))
        assert await effects(ring, CHAR) == {"held"}
        for _ in range(2):
            await ring.ended(ring.gm)
        assert "stunned" in await effects(ring, KAI)
    assert "holding" not in await effects(ring, KAI)
    assert await effects(ring, CHAR) == set()


@pytest.mark.slow
@pytest.mark.parametrize(("gone", "left", "had"), [(KAI, CHAR, "held"), (CHAR, KAI, "holding")])
async def test_nobody_is_held_by_who_was_removed(ring: Ring, gone: str, left: str, had: str) -> None:
    """A hold ends with either of both; taken back with the removal, it is there again."""
    await ready(ring)
    await grabbed(ring)
    await confirmed(ring.world, "character remove", name=gone)
    assert await effects(ring, left) == set()
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'unit'")
    await take_back(ring.world, "void", entry=number, reason="never mind")
    assert await effects(ring, left) == {had}
