"""A war that waits: whoever passes, and a campaign that is archived."""

from __future__ import annotations

from tests.cogs.war.battle.field import AT, opened
from tests.cogs.war.front import E, begun
from tests.cogs.war.ordering import given
from tests.support.acting import confirmed
from tests.support.reading import newest, refused, response, said, text
from tests.support.world import World, nothing_written


async def awaited(world: World) -> str:
    """Whom the board of orders awaits."""
    await world.gm.slash(world.orders, "update board")
    await world.env.advance_time(6)
    return next(line for line in text(newest(world.staff)).splitlines() if "Waiting" in line or "Everyone" in line)


async def test_whoever_passes_is_not_awaited_in_this_turn(world: World) -> None:
    """Nobody passes for another; an order calls it off, and the next turn awaits them anew. A turn in which all pass ends."""
    front = await begun(world)
    assert "Ann and Bo" in await awaited(world)
    with nothing_written(world):
        assert refused(await front.ann.slash(world.orders, "order pass", who="Bo"))
        assert refused(await world.stranger.slash(world.orders, "order pass", who="Bo"))
    for who, name in ((front.ann, "Ann"), (front.bo, "Bo")):
        assert "does nothing more in this update" in said(await who.slash(world.orders, "order pass", who=name))
    assert "Everyone has ordered or passed" in await awaited(world)
    await given(front, front.bo, "move", "2nd Fleet", to="NE")
    assert "Bo" in await awaited(world)
    await front.resolve()
    war = await front.stands()
    assert (war.turn, str(war.forces["2nd Fleet"].at)) == (2, "-1,1")
    await front.close()
    assert "Ann and Bo" in await awaited(world)


async def test_a_war_of_an_archived_campaign_is_looked_at_and_not_played(world: World) -> None:
    """Orders, their resolution, joining, settings, rulings, another war and every act on a board, by commands and by buttons from before: refused in private, and nothing is written."""
    field = await opened(world)
    front, gm = field.front, world.gm
    await given(front, front.bo, "move", "2nd Fleet", to="NE")
    board = response(await field.do(front.ann, "show"))
    asked = response(await field.do(front.bo, "withdraw"))
    start = response(await gm.slash(world.orders, "war new"))
    card = response(await field.do(front.ann, "act", unit="u12", to="A2", roll="card"))
    eve = world.guild.add_member(world.env.create_user("eve"), roles=[world.roles["player"]])
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        for result in (
            await front.order(front.ann, "move", "1st Fleet", to="SW"),
            await front.order(gm, "move", "1st Fleet", to="SW"),
            await front.ann.slash(world.orders, "order pass", who="Ann"),
            await gm.slash(world.orders, "update resolve"),
            await eve.slash(world.orders, "war join", faction=E, callsign="Eve"),
            await gm.slash(world.orders, "war set", what="gold", to="E 7", reason="A gift"),
            await gm.slash(world.orders, "war rule", text="It is over. remove: u12"),
            await gm.slash(world.orders, "war new"),
            await gm.click(start, label="Start"),
            await field.do(front.ann, "act", unit="u12", to="A2"),
            await field.do(front.ann, "next"),
            await front.ann.click(board, label="End turn"),
            await front.ann.click(card, label="Roll"),
            await front.bo.click(asked, label="Withdraw"),
            await field.do(gm, "place", unit="u12", tile="A2"),
            await field.do(gm, "condition", side=E),
        ):
            assert "archived" in refused(result)
    assert "First days, turn 1" in await front.sheet()
    assert f"Battle on {AT}" in said(await field.do(front.ann, "show"))
    assert "First days, turn 1" in said(await front.ann.slash(world.orders, "war map"))
