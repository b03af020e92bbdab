"""What waits for a battle: the end of the turn, and the digest that tells of it."""

from __future__ import annotations

from tests.cogs.war.battle.field import AT, Field
from tests.support.reading import refused, response, text


def digests(field: Field) -> list[str]:
    """The digests that everybody reads."""
    told = map(text, field.world.results.history())
    return [shown for shown in told if "came of the orders" in shown]


async def test_the_digest_waits_for_the_battle(field: Field) -> None:
    """While a battle is fought the turn goes on and no digest is told; once it is over and the turn has ended there is one, with the map of the next."""
    assert digests(field) == []
    asked = response(await field.do(field.bo, "withdraw"))
    await field.bo.click(asked, label="Withdraw")
    await field.do(field.bo, "retreat", to="0,2")
    assert digests(field) == []
    await field.front.resolve()
    (digest,) = digests(field)
    assert "11th Squadron" in digest
    assert "turn 2" in digest


async def test_whoever_would_end_the_turn_is_told_for_whom_it_waits(field: Field) -> None:
    """Whose half of which battle it is, and then whose retreat."""
    asked = refused(await field.world.gm.slash(field.world.orders, "update resolve"))
    assert f"Battle on {AT}: turn 1, E to act (Ann)" in asked
    await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    asked = refused(await field.world.gm.slash(field.world.orders, "update resolve"))
    assert "it is over, and 21st Squadron has to retreat" in asked


async def test_nothing_waits_for_a_battle_whose_book_is_switched_off(field: Field) -> None:
    """Nobody could act there; once it is on again, the turn waits as before."""
    world = field.world
    for books, waits in (("campaign, -total_war", False), ("total_war", True)):
        await world.gm.slash(world.orders, "campaign edit", books=books)
        told = refused(await world.gm.slash(world.orders, "update resolve"))
        assert (f"Battle on {AT}" in told) == waits
