"""What waits for a battle: the end of the turn, and the digest that tells of it."""

from __future__ import annotations

import re

from tests.cogs.war.battle.field import AT, Field
from tests.support.reading import refused, response, text
from tests.support.world import send_raw, written


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


async def test_the_closing_of_the_update_tells_where_each_act_is_read(field: Field) -> None:
    """One sentence for each, without a stop in the middle of it."""
    await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    await field.do(field.bo, "retreat", to="0,2")
    await field.front.resolve()
    await field.front.close()
    told = "\n".join(map(text, field.world.results.history()))
    assert "Zeon withdraws in turn 1, in <#" in told
    assert "., in <#" not in told


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


async def test_a_withdrawal_leads_to_the_retreat_by_a_button(field: Field) -> None:
    """Whoever has withdrawn goes on to the board, where a button for each free panel sends the force there; nothing was rolled, and the receipt says so."""
    made = await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    assert "Done: entry #" in text(response(made))
    shown = response(await field.bo.click(response(made), label="Retreat ..."))
    assert "21st Squadron has to retreat, to " in text(shown)
    await field.bo.click(shown, label="Retreat to 0,2")
    assert str((await field.front.stands()).forces["21st Squadron"].at) == "0,2"
    assert "You see no battle" in refused(await field.bo.click(shown, label="Retreat to -1,1"))


async def test_whoever_acts_for_a_side_is_asked_about_that_side(field: Field) -> None:
    """A game master has no side of their own: the question names the one that would withdraw."""
    asked = text(response(await field.do(field.world.gm, "withdraw", side="Zeon")))
    assert "Zeon withdraws from the battle" in asked
    assert "what is left of Zeon there goes to a panel beside it" in asked
    assert "yours" not in asked


async def test_a_battle_that_is_over_is_not_withdrawn_from(field: Field) -> None:
    """Nobody is asked whether they withdraw from what has been decided."""
    await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    assert "E_BATTLE_OVER" in refused(await field.do(field.ann, "withdraw")).replace("\\", "")


async def test_nobody_sends_another_ones_force_by_a_button(field: Field) -> None:
    """The winner has no such button, and ids that are made up send nothing and write nothing."""
    await field.bo.click(response(await field.do(field.bo, "withdraw")), label="Withdraw")
    shown = response(await field.do(field.ann, "show"))
    assert "Retreat" not in str(shown.components)
    theirs = response(await field.do(field.bo, "show"))
    key = next(key for key in re.findall(r"battle:[^'\" ]*", str(theirs.components)) if key.endswith(":0,2"))
    before = written(field.world)
    head, begun, force, to = key.rsplit(":", 3)
    for forged in (key, f"{head}:{begun}:9:{to}", f"{head}:{int(begun) - 1}:{force}:{to}"):
        assert refused(await send_raw(field.ann, field.world.orders, forged))
    assert written(field.world) == before
