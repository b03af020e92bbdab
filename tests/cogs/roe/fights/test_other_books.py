"""Rolls of other books know nothing of a fight."""

from __future__ import annotations

from tests.cogs.roe.fights.ring import CHAR, KAI, Ring
from tests.support.reading import newest, response, text, ticked
from tests.support.world import entry


async def test_a_fight_by_night_is_no_night_for_scouting(ring: Ring) -> None:
    """Neither its light counts for a scout, nor its channel for a patrol."""
    await ring.gm.slash(ring.world.orders, "gm settings", books="campaign, roe")
    await ring.begin(light="night")
    card = response(await ring.gm.slash(ring.world.orders, "scout", scouter=KAI, base="Fort"))
    assert ticked(card, "conditions") == set()
    ring.world.dice.script(20)
    await ring.gm.slash(ring.world.orders, "patrol", patrol=CHAR, target=KAI, roll="now")
    assert "caught by" in text(newest(ring.world.results))
    assert "caught" not in ring.read_newest()


async def test_who_hides_in_a_fight_is_not_hidden_from_patrols(ring: Ring) -> None:
    """Hiding in a fight differs from hiding on the map."""
    await ring.gm.slash(ring.world.orders, "gm settings", books="campaign, roe")
    await ring.begin()
    ring.world.dice.script_dice((100, 60), (100, 20))
    await ring.player.slash(ring.world.orders, "roe act", what="Hide", roll="now")
    assert "effect.hidden" in str(entry(ring.world)["changes"])
    ring.world.dice.script(10)
    await ring.gm.slash(ring.world.orders, "patrol", patrol=CHAR, target=KAI, roll="now")
    assert "target.hidden" not in entry(ring.world)["parts"][0]["facts"]
