"""Acts of a turn, as people do them by `/roe act`: costs, refusals, and what each leaves."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roe.fights.ring import CHAR, KAI, SHADOW, Ring, told
from tests.support.reading import refused
from tests.support.world import written


async def act(ring: Ring, what: str, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as simcord takes them
    """What `/roe act` is answered with; Kai's player uses it unless said otherwise."""
    return told(await (actor or ring.player).slash(ring.world.orders, "roe act", what=what, **options))


async def denied(ring: Ring, what: str, actor: Any = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """What `/roe act` is refused with, when it has written nothing."""
    before = written(ring.world)
    said = refused(await (actor or ring.player).slash(ring.world.orders, "roe act", what=what, **options))
    assert written(ring.world) == before
    return said


async def offered(ring: Ring, option: str, value: str = "", **typed: Any) -> list[str]:  # noqa: ANN401 - as above
    """What is offered for an option, as it is told."""
    found = await ring.player.autocomplete(ring.world.orders, "roe act", option, value, **typed)
    return [item["name"] for item in found]


@pytest.mark.asyncio
async def test_an_act_costs_what_the_book_says_and_is_told_in_the_channel(ring: Ring) -> None:
    """Kneeling takes the movement, holds on the character, and is not possible twice."""
    await ring.begun()
    assert "Rolled" in await act(ring, "Kneel")
    assert "goes down on one knee" in ring.posted()
    assert "1 movement, 0 left" in ring.posted()
    assert "on one knee already" in await denied(ring, "kneel")
    assert "0 movement" in await denied(ring, "Go prone")
    assert await ring.sound()


@pytest.mark.asyncio
async def test_an_act_is_for_whoever_has_the_turn(ring: Ring) -> None:
    """The rival waits for the own turn, nobody acts for another one, and unknown acts are refused with the nearest."""
    await ring.begun()
    assert "It is Kai's turn" in await denied(ring, "Kneel", ring.rival)
    assert "no character of yours" in await denied(ring, "Kneel", character=CHAR)
    assert "Did you mean Kneel" in await denied(ring, "Kneal")
    assert "Use /roe attack" in await denied(ring, "attack")
    assert "done to nobody" in await denied(ring, "Kneel", target=CHAR)
    assert "takes no value" in await denied(ring, "Kneel", value="3")


@pytest.mark.asyncio
async def test_what_is_possible_now_is_offered_first(ring: Ring) -> None:
    """Each act is offered with its cost; those that are impossible come behind, with the reason."""
    await ring.begun()
    before = await offered(ring, "what")
    assert "Kneel (1 movement)" in before
    assert before.index("Kneel (1 movement)") < next(
        place for place, item in enumerate(before) if item.startswith("Stand up:")
    )
    await act(ring, "Kneel")
    after = await offered(ring, "what")
    assert "Stand up" in after
    assert any(item.startswith("Go prone: ") and "0 movement" in item for item in after)
    assert await offered(ring, "target", what="Aim") == [CHAR]
    assert SHADOW not in await offered(ring, "target", what="Aim")
    assert KAI not in await offered(ring, "target", what="Aim")
