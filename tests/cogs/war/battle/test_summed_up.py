"""Battles where all of a turn is told together: the digest says what each has come to, and the closing of the update who has won."""

from __future__ import annotations

from tests.cogs.war.battle.field import MOVED, Field, opened
from tests.support.acting import take_back
from tests.support.reading import assert_lacks, newest, text
from tests.support.world import World, rows

CAME = (
    "Earth Federation won the battle on 0,1 in turn 1. Zeon withdrew.",
    "Earth Federation takes 0,1 (before: neutral)",
    "21st Squadron retreats to 0,2.",
    "Earth Federation gets 100 gold (200 in the bank).",
)
"""What the battle comes to from which Zeon withdraws."""
FOG = {'fog           = "open"': 'fog           = "near"\nsight         = 1'}


def digests(world: World) -> list[str]:
    """The digests that everybody and the staff read."""
    told = (text(message) for channel in (world.results, world.staff) for message in channel.history())
    return [shown.replace("\\", "") for shown in told if "esults: " in shown]


async def test_a_further_digest_tells_the_battle_that_the_first_could_not(field: Field) -> None:
    """One that a game master tells while the battle is fought does not take it away from the next; it is told once."""
    gm, orders = field.world.gm, field.world.orders
    await gm.slash(orders, "update digest")
    await field.lost()
    await field.front.resolve()
    first, second = digests(field.world)[:2]
    assert "won the battle" not in first
    assert "More results" in second
    assert CAME[0] in second
    await gm.slash(orders, "update digest")
    assert sum(CAME[0] in shown for shown in digests(field.world)) == 2  # everybody's and the staff's


async def test_a_battle_that_is_taken_back_is_not_told(field: Field) -> None:
    """Once the retreat is void the battle waits for another one, and the digest tells that alone."""
    await field.lost()
    ((retreat,),) = rows(field.world, "select max(number) from entry")
    await take_back(field.world, "void", entry=retreat, reason="A slip")
    await field.do(field.bo, "retreat", to="-1,2")
    await field.front.resolve()
    public, _ = digests(field.world)
    assert "21st Squadron retreats to -1,2." in public
    assert "0,2" not in public.partition("owners and forces")[0]


async def test_the_closing_tells_first_who_has_won(field: Field) -> None:
    """Before the shots, which stay; placings and ends of half turns are no rolls, and are left out."""
    await field.placed(u12="E6", u22="E8")
    await field.now(field.ann, "u12", (6, 1), (6, 1), target="u22")
    await field.do(field.ann, "next")
    await field.lost()
    await field.front.end_turn()
    closing = text(newest(field.world.results))
    first, *rest = closing.partition("Rolls in play:**\n")[2].splitlines()
    assert "Earth Federation won the battle on 0,1" in first
    assert any("u22" in line for line in rest)
    assert_lacks(closing, "placed", "to act")


async def test_in_fog_the_staff_alone_is_told(world: World) -> None:
    """Everybody's digest says nothing of a battle that only those who fought have seen; the staff's says all."""
    field = await opened(world, changes={**MOVED, **FOG})
    await field.lost()
    await field.front.resolve()
    public, whole = digests(world)
    assert "battle" not in public
    assert all(line in whole for line in CAME[1:]), whole
    await field.front.close()
    assert "battle" not in text(newest(world.results))
