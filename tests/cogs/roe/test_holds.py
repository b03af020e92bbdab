"""A hold ends at once if the holder is stunned, down or gone."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import CHAR, GUARD, KAI, Ring, read_answers
from tests.cogs.roe.test_acts import act, effects
from tests.cogs.roe.test_struggles import grab_char, ready
from tests.support.acting import removed, take_back
from tests.support.reading import assert_says, text
from tests.support.world import rows


async def strike_kai(ring: Ring, *dice: tuple[int, int]) -> None:
    """Let the Guard strike Kai, who has grabbed Char."""
    ring.world.dice.script_dice(*dice)
    typed = {"character": GUARD, "target": KAI, "weapon": "Club", "range": 1, "roll": "now"}
    assert "Rolled" in read_answers(await ring.gm.slash(ring.world.orders, "roe attack", **typed))


async def hold_char(ring: Ring) -> None:
    """Let Kai grab Char, and give the Guard the turn."""
    await ready(ring, f"{KAI}, {GUARD}, {CHAR}")
    await ring.save({GUARD: "hp: 20; weapons: Club = L_b_Club"})
    await grab_char(ring)
    await ring.end_turn(ring.player)
    await act(ring, "Draw or swap", ring.gm, value="Club")


async def test_a_stun_on_the_holder_ends_a_hold_at_once(ring: Ring) -> None:
    """C25.4: everyone reads it, and a void restores it. A stunned captive stays grabbed."""
    await hold_char(ring)
    await strike_kai(ring, (100, 70), (100, 2), (50, 1))
    assert await effects(ring, CHAR) == set()
    assert "holding" not in await effects(ring, KAI)
    assert "stunned" in await effects(ring, KAI)
    posts = "\n".join(text(message) for message in ring.world.orders.history())
    assert_says(posts, f"{CHAR}: Held", f"{KAI}: Holding someone")
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'roll'")
    await take_back(ring.world, "gm undo", entry=number, reason="never mind")
    assert (await effects(ring, KAI), await effects(ring, CHAR)) == ({"holding"}, {"held"})
    await ring.gm.slash(ring.world.orders, "gm effect", who=CHAR, effect="Stunned")
    assert "held" in await effects(ring, CHAR)
    answer = read_answers(await ring.gm.slash(ring.world.orders, "gm effect", who=KAI, effect="Stunned"))
    assert "Ended at once: Char: Held" in answer
    assert "held" not in await effects(ring, CHAR)
    assert await effects(ring, KAI) == {"stunned"}


@pytest.mark.parametrize("how", ["struck down", pytest.param("stunned by a zone", marks=pytest.mark.slow)])
async def test_who_goes_down_or_is_stunned_by_a_zone_holds_nobody(ring: Ring, how: str) -> None:
    """Both are free at once."""
    await hold_char(ring)
    if how == "struck down":
        await ring.save({KAI: "hp: 3"})
        await strike_kai(ring, (100, 60), (100, 2), (50, 4))
    else:
        zone = {"item": "Flash", "use": "zone", "damage": "stun, 9 turns", "targets": KAI, "character": GUARD}
        assert "Done" in read_answers(await ring.gm.slash(ring.world.orders, "roe blast", **zone))
        assert await effects(ring, CHAR) == {"held"}
        for _ in range(2):
            await ring.end_turn(ring.gm)
        assert "stunned" in await effects(ring, KAI)
    assert "holding" not in await effects(ring, KAI)
    assert await effects(ring, CHAR) == set()


@pytest.mark.slow
@pytest.mark.parametrize(("gone", "left", "had"), [(KAI, CHAR, "held"), (CHAR, KAI, "holding")])
async def test_nobody_is_held_by_who_was_removed(ring: Ring, gone: str, left: str, had: str) -> None:
    """Removing either ends a hold; a void restores it."""
    await ready(ring)
    await grab_char(ring)
    await removed(ring.world, name=gone)
    assert await effects(ring, left) == set()
    ((number,),) = rows(ring.world, "select max(number) from entry where kind = 'unit'")
    await take_back(ring.world, "gm undo", entry=number, reason="never mind")
    assert await effects(ring, left) == {had}
