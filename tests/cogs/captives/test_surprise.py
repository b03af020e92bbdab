"""A surprise attack frees the captives of one player: for these it counts in full, for others as an attack on the base."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.acting import close_update
from tests.support.reading import response, ticked
from tests.support.world import World

ATTACKED, FREEING = "base.attacked-today", "base.besieged-and-surprised"


async def besieged(world: World, **owners: object) -> None:
    """Fort under siege, where these are held, each with an owner or without."""
    for name, owner in owners.items():
        more = {} if owner is None else {"owner": owner}
        await world.gm.slash(world.orders, "character add", name=name, **more)
        await world.gm.slash(world.orders, "captive take", captive=name, by="Zeon", at="Fort")
    await world.gm.slash(world.orders, "effect set", who="Fort", effect="under-siege")


async def counted(world: World, captive: str, actor: Any = None) -> set[str]:  # noqa: ANN401 - a member
    """Which of the two lines a captive's card has ticked."""
    card = response(await (actor or world.gm).slash(world.orders, "escape", captive=captive))
    return {ATTACKED, FREEING} & ticked(card, "base")


@pytest.mark.parametrize("bearer", ["Kai", "Ryu"])
async def test_an_attack_to_free_a_captive_counts_for_that_players_captives(world: World, bearer: str) -> None:
    """Line 344: set on one captive it is +5 for all of the same player there, and +3 (342) for everybody else's."""
    await besieged(world, Kai=world.player, Ryu=world.player, Job=world.stranger)
    await world.gm.slash(world.orders, "effect set", who=bearer, effect="surprise-attack-today")
    assert await counted(world, "Kai") == {ATTACKED, FREEING}
    assert await counted(world, "Ryu") == {ATTACKED, FREEING}
    assert await counted(world, "Job") == {ATTACKED}
    await close_update(world)
    assert await counted(world, "Kai") == set()


async def test_an_attack_on_a_base_is_for_its_captives_where_they_have_one_player(world: World) -> None:
    """Set on the base, nobody need say for whom while there is only one to free; with several players it is an attack."""
    await besieged(world, Kai=world.player, Ryu=world.player)
    await world.gm.slash(world.orders, "effect set", who="Fort", effect="surprise-attack-today")
    assert await counted(world, "Kai") == {ATTACKED, FREEING}
    await world.gm.slash(world.orders, "character add", name="Job", owner=world.stranger)
    await world.gm.slash(world.orders, "captive take", captive="Job", by="Zeon", at="Fort")
    assert await counted(world, "Kai") == {ATTACKED}


async def test_whom_others_mean_to_free_is_on_no_players_card(world: World) -> None:
    """An attack for somebody else's captive counts for the staff alone."""
    await world.gm.slash(world.orders, "campaign edit", players_may="escape")
    await besieged(world, Kai=world.player, Job=world.stranger)
    await world.gm.slash(world.orders, "effect set", who="Job", effect="surprise-attack-today")
    assert await counted(world, "Kai", world.player) == set()
    assert await counted(world, "Kai") == {ATTACKED}
