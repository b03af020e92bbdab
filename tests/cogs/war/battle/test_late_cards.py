"""Cards of a battle that come too late say why."""

from __future__ import annotations

from tests.cogs.war.battle.field import AT, Field
from tests.support.acting import has_cards, reopened
from tests.support.reading import assert_says, labels, refused, response, said, text
from tests.support.world import rows, written

OVER = "The battle on 0,1 that this is about is over"


async def test_a_card_of_a_battle_that_is_over_says_so(field: Field) -> None:
    """On press, in the list, on the desk and before closing."""
    world = field.world
    await field.placed(u12="E5", u22="E6")
    card = response(await field.do(field.ann, "act", unit="u12", attack="shoot", target="u22"))
    assert "Outdated" not in text(response(await world.gm.slash(world.orders, "update show")))
    await field.lost()
    before = rows(world, "select count(*) from entry where kind = 'roll'")
    late = response(await field.ann.click(card, label="Roll"))
    assert OVER in text(late)
    assert rows(world, "select count(*) from entry where kind = 'roll'") == before
    for asked in ("update show", "gm close"):
        shown = await world.gm.slash(world.orders, asked)
        assert f"shoot Amuro Ray (u12 gm) can't be rolled any more: {OVER}" in said(shown).replace("\\", "")
    assert "Cancel the card" in labels(late)
    late = await reopened(world, field.ann)
    assert OVER in text(late)
    assert "Cancelled" in said(await field.ann.click(late, label="Cancel the card"))
    assert not await has_cards(field.ann, world.orders)
    assert OVER not in said(await world.gm.slash(world.orders, "gm close"))


async def test_what_an_earlier_battle_left_behind_is_not_about_a_later_one(field: Field) -> None:
    """Cards and threads."""
    world = field.world
    card = response(await field.do(field.ann, "act", unit="u12", to="A2", roll="card"))
    await field.lost()
    await field.front.end_turn()
    await field.front.order(field.bo, "move", "21st Squadron", to=AT)
    await field.front.resolve()
    first, second = (thread for thread in world.results.threads if thread.name == f"Battle on {AT}")
    before = written(world)
    await field.do(field.bo, "next")
    assert OVER in said(await field.ann.click(card, label="Roll"))
    for deed, options in (("next", {}), ("show", {}), ("act", {"unit": "u12", "to": "A2"})):
        refusal = refused(await field.ann.slash(first, f"battle {deed}", **options))
        assert_says(refusal, "The battle of this thread is over.", f"Pick another one with “battle”: {AT}.")
    assert await field.ann.autocomplete(first, "battle act", "unit", "") == []
    assert written(world)[0] == before[0] + 1  # the half that was ended
    assert "moves to A11" in said(await field.ann.slash(second, "battle act", unit="u12", to="A11"))
    assert "moves to B11" in said(await field.ann.slash(first, "battle act", unit="u13", to="B11", battle=AT))


async def test_a_card_whose_half_of_the_turn_is_past_says_whose_it_is(field: Field) -> None:
    """It can be rolled in that side's next half."""
    world = field.world
    await field.placed(u12="E5", u22="E6")
    for _ in range(2):
        await field.do(field.ann, "act", unit="u12", attack="shoot", target="u22")
    await field.do(field.ann, "next")
    late = "shoot Amuro Ray (u12 gm) can't be rolled any more: It's Zeon's half of the turn"
    assert said(await world.gm.slash(world.orders, "gm close")).count(late) == 1
    await field.do(field.bo, "next")
    assert "can't be rolled" not in said(await world.gm.slash(world.orders, "gm close"))
