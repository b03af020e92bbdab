"""`/order`: give, replace, change, withdraw, pass."""

from __future__ import annotations

import pytest

from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import listed, order, populate
from tests.support.acting import removed
from tests.support.reading import assert_lacks, assert_says, components, refused, response, said
from tests.support.world import World, nothing_written, send_raw, written


async def test_forged_ids_and_strangers_learn_nothing(world: World) -> None:
    """A foreign order looks like none."""
    await populate(world)
    other = another_player(world)
    given = response(await order(world, "Hide", "Kai", to="Valley"))
    keys = [item["custom_id"] for item in components(given) if "custom_id" in item]
    for key in keys:
        assert "already changed, cancelled" in refused(await send_raw(other, world.orders, key))
    assert "Valley" in await listed(world)


REFUSED = [
    ("Scuot a base", "Kai", {"to": "Fort Anvil"}, "Scout a base"),
    ("Scout a base", "Ramba", {"to": "Fort Anvil"}, "Ramba isn't yours: the game masters play them."),
    ("Scout a base", "Nobody", {"to": "Fort Anvil"}, "You can't give orders for"),
    ("Scout a base", "Kai", {"to": "Kai"}, "can't be the target"),
    ("Scout a base", "Kai", {"to": "Amuro"}, "Amuro is saved as pc, and this order takes a base"),
    ("Assault a base", "Kai", {"to": "White Base"}, "White Base is saved as ship, and this order takes a base"),
    ("Hide", "Kai", {"to": "Ramba"}, "this order takes a place"),
    ("Escape", "Kai", {}, "isn't a captive"),
    ("Escape", "Kai", {"to": "Fort Anvil"}, "has no target"),
    ("Interrogate a captive", "Kai", {"to": "Amuro"}, "isn't a captive"),
    ("Hide", "Kai", {"to": "Valley", "with": "Amuro"}, "Only one can do this"),
]
"""Kind, target, options, and the refusal."""


async def test_what_cannot_be_ordered_is_refused(world: World) -> None:
    """Privately, and without an entry."""
    await populate(world)
    before = written(world)
    for kind, who, options, words in REFUSED:
        assert words in refused(await order(world, kind, who, None, **options)), (kind, who, options)
        assert written(world) == before, (kind, who, options)


async def test_a_captive_may_escape_and_scout_but_not_patrol(world: World) -> None:
    """The refusal says what they can do (125, 165)."""
    await populate(world)
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Zeon", at="Fort Anvil")
    told = refused(await order(world, "Patrol or blockade a sector", "Kai", to="Valley"))
    assert_says(told, "is a captive", "Escape")
    assert "**Phase:** Escapes" in said(await order(world, "Escape", "Kai"))
    assert "Scouting" in said(await order(world, "Scout a base", "Kai", to="Fort Anvil"))


async def test_orders_that_exclude_each_other_are_refused(world: World) -> None:
    """Until one is withdrawn."""
    await populate(world)
    await order(world, "Patrol or blockade a sector", "White Base", to="Valley")
    assert "rules this out" in refused(await order(world, "Move through a sector", "White Base", to="Valley"))


async def test_what_is_not_open_to_players_is_for_game_masters(world: World) -> None:
    """Each kind has its own word."""
    await populate(world)
    await world.gm.slash(world.orders, "gm settings", players_may="-orders, orders.hide")
    assert "orders.scout" in refused(await order(world, "Scout a base", "Kai", to="Fort Anvil"))
    assert "Hide" in said(await order(world, "Hide", "Kai", to="Valley"))
    assert "Scout a base" in said(await order(world, "Scout a base", "Kai", world.gm, to="Fort Anvil"))
    assert "Orders from players:** hide" in said(await world.gm.slash(world.orders, "gm settings"))


async def test_who_passes_is_not_waited_for(world: World) -> None:
    """A later order ends the pass."""
    await populate(world)
    assert "Kai does nothing more" in said(await world.player.slash(world.orders, "order give", kind="Pass", who="Kai"))
    assert "Passed:** Kai" in await listed(world)
    assert "has already passed" in refused(await world.player.slash(world.orders, "order give", kind="Pass", who="Kai"))
    await order(world, "Hide", "Kai", to="Valley")
    assert "Passed" not in await listed(world)
    assert "has orders" in refused(await world.player.slash(world.orders, "order give", kind="Pass", who="Kai"))


async def test_completions_offer_what_can_be_ordered_now(world: World) -> None:
    """Open kinds, own units, fitting targets."""
    await populate(world)
    kinds = await world.player.autocomplete(world.orders, "order give", "kind", "sc")
    assert "Scout a base" in str(kinds)
    doers = str(await world.player.autocomplete(world.orders, "order give", "who", "", kind="Hide"))
    assert ("Kai" in doers, "White Base" in doers, "Ramba" in doers) == (True, True, False)
    assert "Kai" not in str(await world.player.autocomplete(world.orders, "order give", "who", "", kind="Escape"))
    targets = str(await world.player.autocomplete(world.orders, "order give", "to", "", kind="Scout a base"))
    assert ("Fort Anvil" in targets, "Ramba" in targets) == (True, False)


async def test_a_game_masters_order_is_replaced_without_a_word_of_it(world: World) -> None:
    """It was sealed."""
    await populate(world)
    await order(world, "Hide", "Kai", world.gm, to="Cave of secrets")
    assert_lacks(said(await order(world, "Hide", "Kai", to="Valley")), "replaces", "Cave")
    assert "Cave" not in await listed(world, world.gm)


@pytest.mark.slow
async def test_who_is_removed_has_no_orders(world: World) -> None:
    """They go with their doer."""
    await populate(world)
    await order(world, "Hide", "Amuro", to="Valley")
    await removed(world, "Amuro")
    assert "No orders yet" in await listed(world)


async def test_nobody_undoes_the_order_of_another_player_for_a_common_unit(world: World) -> None:
    """The same kind, or one that excludes it."""
    await populate(world)
    other = another_player(world)
    await world.gm.slash(world.orders, "roster edit", name="Ramba", owner=other, squad="White Base")
    await order(world, "Patrol or blockade a sector", "White Base", to="Valley")
    with nothing_written(world):
        for kind in ("Patrol or blockade a sector", "Move through a sector"):
            told = refused(await order(world, kind, "White Base", other, to="Hill"))
            assert "This would replace another player's order for White Base" in told
            assert "Valley" not in told
    assert "Valley" in await listed(world)
