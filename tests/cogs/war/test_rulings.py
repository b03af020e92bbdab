"""Rulings: their answer tells all that they have brought and what has had no effect, and what is hard to live with is asked about first."""

from __future__ import annotations

import pytest

from rules.geometry.hexes import Hex
from tests.cogs.war.front import E, Front
from tests.support.reading import newest, response, text
from tests.support.world import written


async def ruled(front: Front, words: str) -> str:
    """Rule as the game master, and return what they alone read."""
    return text(response(await front.world.gm.slash(front.world.orders, "war rule", text=words))).replace("\\", "")


async def test_the_answer_tells_all_that_a_ruling_has_brought(front: Front) -> None:
    """Units of a force and a panel are gone by one ruling: the private answer has each, as the post does."""
    told = await ruled(front, "The sun burns. remove: u12, u13 and -2,1")
    posted = text(newest(front.world.results)).replace("\\", "")
    for line in ("-2,1 is no more", "11th Squadron loses 2 gm"):
        assert line in told, told
        assert line in posted, posted


async def test_a_mark_without_effect_is_said_to_have_none(front: Front) -> None:
    """A second mark that changes nothing is told beside the first that does, and is told alone too."""
    idle = "The source of supply of Principality of Zeon stays as it is. That is how it is already."
    told = await ruled(front, "The beam strikes. remove: u12; source: Z nobody")
    assert "11th Squadron loses" in told
    assert idle.replace("Principality of ", "") in told.replace("Principality of ", "")
    alone = await ruled(front, "source: Z nobody")
    assert "That is how it is already." in alone


async def test_a_capitol_is_removed_only_after_a_question(front: Front) -> None:
    """Nothing is written before the press, which does what was typed."""
    world = front.world
    asked = response(await world.gm.slash(world.orders, "war rule", text="The end of it. remove: 3,-3"))
    assert "3,-3 is the capitol of Earth Federation" in text(asked)
    assert Hex(3, -3) in (await front.stands()).panels
    made = text(response(await world.gm.click(asked, label="Rule it")))
    assert Hex(3, -3) not in (await front.stands()).panels
    assert "3,-3" in made.replace("\\", "")
    assert "The end of it." in text(newest(world.results))


@pytest.mark.parametrize("words", ["The sun goes out.", "remove: u12"])
async def test_other_rulings_are_made_at_once(front: Front, words: str) -> None:
    """Words, and units that fall, are not asked about."""
    before = written(front.world)
    assert "Rule it so?" not in await ruled(front, words)
    assert written(front.world) != before
    assert E in await front.sheet(E)
