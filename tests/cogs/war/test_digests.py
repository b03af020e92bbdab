"""The digest of a war's turn: one for each turn that ends, a quiet one too, and each ends with the map."""

from __future__ import annotations

from typing import Any

from tests.cogs.war.battle.field import opened
from tests.cogs.war.front import Front
from tests.support.reading import refused, text
from tests.support.world import World

MAP = ["war-map.png"]


def digests(world: World) -> list[Any]:
    """The digests that everybody reads."""
    return [message for message in world.results.history() if "esults: " in text(message)]


async def test_a_quiet_turn_has_a_digest_that_ends_with_the_map(front: Front) -> None:
    """Nobody has ordered anything: it tells the turn's end with its income, once; the next update's has the map again."""
    await front.resolve()
    (quiet,) = digests(front.world)
    assert "Turn 2 begins. Earth Federation gets" in text(quiet)
    assert [file.filename for file in quiet.attachments] == MAP
    await front.close()
    await front.resolve()
    assert [file.filename for file in digests(front.world)[-1].attachments] == MAP
    assert len(digests(front.world)) == 2


async def test_a_further_digest_ends_with_the_map_as_it_is_by_then(world: World) -> None:
    """One that a game master tells while a battle is fought does not take the map away from the one that ends the turn."""
    field = await opened(world)
    await world.gm.slash(world.orders, "update digest")
    await field.lost()
    await field.front.resolve()
    first, second = digests(world)
    assert "More results" in text(second)
    for shown in (first, second):
        assert [file.filename for file in shown.attachments] == MAP


async def test_who_resolves_while_a_battle_is_fought_is_not_told_to_be_late(world: World) -> None:
    """The refusal is titled by what is so: something else comes first."""
    field = await opened(world)
    told = refused(await world.gm.slash(world.orders, "update resolve"))
    assert "Battle on 0,1" in told
    assert "Too late" not in told
    assert str((await field.front.stands()).turn) == "1"
