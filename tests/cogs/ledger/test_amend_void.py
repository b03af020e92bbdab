"""What channels are told when entries are taken back of which one amends another."""

from __future__ import annotations

from tests.cogs.ledger.test_amend import adjusted, amended, opened, require_whole
from tests.cogs.ledger.test_void import PATROL, taken_back
from tests.support.reading import newest, text
from tests.support.world import World, entry


async def test_what_is_taken_back_with_its_amendment_does_not_hold_again(world: World) -> None:
    """A roll, a second on top of it, and the amendment of that go together: the notice says of none that it holds again."""
    world.dice.script(18, 18)
    await world.gm.slash(world.orders, "patrol", **PATROL)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Dom", note="Again", roll="now")
    card = await opened(world, 4)
    await adjusted(world.gm, card, "+2", "Sandstorm")
    await amended(world.gm, card)
    assert entry(world, 5)["amends"] == 4
    answer = await taken_back(world, 3)
    told = text(newest(world.results))
    assert "3 entries are void" in told
    for said in (answer, told):
        assert "holds again" not in said
    await require_whole(world)
