"""The end of a war, and refusals after it."""

from __future__ import annotations

import re

from bot.core.profiles import Profile
from tests.cogs.captives.cells import save
from tests.cogs.war.accounts import Accounts, require_sound
from tests.cogs.war.battle.field import Field
from tests.cogs.war.front import E, Front, begun, changed, code, given, listed
from tests.support.acting import confirmed, take_back, use_desk
from tests.support.reading import assert_says, newest, refused, response, said, text, threads
from tests.support.world import World, nothing_written, rows

CAPITOL = "-3,3"
WON = "The war is over: Earth Federation has won."


async def storming(world: World, **at: str) -> tuple[Front, Accounts]:
    """A war in which the 12th Squadron attacks Zeon's capitol."""
    front = await begun(world, changed(**{"12th_Squadron": "-3,2", **at}))
    accounts = Accounts(world)
    accounts.open(await front.stands())
    await given(front, front.ann, "move", "12th Squadron", to=CAPITOL)
    return front, accounts


async def withdrawn(front: Front, at: str) -> None:
    """Let Zeon give up a battle."""
    await confirmed(front.world, "battle withdraw", front.bo, battle=at)


async def patrolled(world: World) -> None:
    """Resolve another book's order without a digest."""
    await world.gm.slash(world.orders, "gm settings", players_may="orders")
    await save(world.bots[-1].database, Profile("Zaku", "npc"))
    await given(Front(world, world.player, world.player), world.gm, "Hide", "Zaku", to="Valley")
    shown = response(await world.gm.slash(world.orders, "gm resolve"))
    await world.gm.click(shown, label="Resolve all")
    ((digest,),) = rows(world, "select max(number) from entry where kind = 'digest'")
    await take_back(world, "gm undo", entry=digest, reason="Too early")


async def shown_board(world: World) -> str:
    """Return the board of orders."""
    await use_desk(world.gm, world.orders, "Board")
    await world.env.advance_time(6)
    return text(newest(world.staff))


async def test_a_capitol_that_falls_on_its_board_ends_the_war(world: World) -> None:
    """After a restart in the fight (V1, X4)."""
    front, accounts = await storming(world)
    await front.resolve()
    field = Field(front)
    await field.placed(u16="E5", u17="F6", u2="E6", u3="G7")
    await field.now(front.ann, "u16", (6, 6), target="u2")
    await world.restart()
    await field.now(front.ann, "u17", (2, 1), attack="melee", target="u3", call="heads")
    (thread,) = threads(world.results)
    assert WON in text(thread.history()[-1])
    war = await front.stands()
    assert (war.winner, war.turn, war.battles) == ("E", 1, {})
    await require_sound(front, accounts)
    assert f"**{WON}**" in await front.sheet(who=front.bo)
    await front.close()
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    assert (await front.stands()).turn == 1
    accounts.require_each_once()


async def test_after_the_end_nothing_is_ordered_joined_or_set(world: World) -> None:
    """Nothing is offered or missing."""
    front, _ = await storming(world)
    await front.resolve()
    await withdrawn(front, CAPITOL)
    eve = world.guild.add_member(world.env.create_user("eve"), roles=[world.roles["player"]])
    with nothing_written(world):
        for result in (
            await front.order(front.ann, "move", "1st Fleet", to="SW"),
            await front.order(world.gm, "move", "1st Fleet", to="SW"),
            await front.order(front.bo, "buy", "Zeon", to="-2,1", **{"with": "zaku"}),
            await eve.slash(world.orders, "war join", faction=E, callsign="Eve"),
            await world.gm.slash(world.orders, "gm-war set", what="gold", to="E 7", reason="A gift"),
            await world.gm.slash(world.orders, "gm-war rule", text="The end. remove: u1"),
            await world.gm.slash(world.orders, "gm-war rule", text=f"Nothing is left. remove: {CAPITOL}"),
            await world.gm.slash(world.orders, "gm-war rule", text="A toast to both fleets."),
            await front.ann.slash(world.orders, "battle show"),
        ):
            assert f"{WON}" in code(result)
    offered = await front.ann.autocomplete(world.orders, "order give", "who", "", kind="Move a force")
    assert offered == []
    assert "Everyone has ordered or passed" in await shown_board(world)


async def test_game_masters_are_told_that_the_last_turn_is_still_to_be_told(world: World) -> None:
    """Desk, question and resolve name the digest."""
    front, _ = await storming(world)
    await front.resolve()
    await withdrawn(front, CAPITOL)
    untold = "First days is over, but its last results aren't posted"
    for command in ("update show", "gm close"):
        assert untold in said(await world.gm.slash(world.orders, command))
    assert untold not in said(await front.ann.slash(world.orders, "update show"))
    assert "Press Digest in /update show" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await use_desk(world.gm, world.orders, "Digest")
    digest = text(world.results.history()[-1])
    assert "First days, won by Earth Federation, turn 1" in digest
    assert untold not in said(await world.gm.slash(world.orders, "update show"))
    await patrolled(world)
    assert untold not in said(await world.gm.slash(world.orders, "update show"))
    assert "won by Earth Federation" in said(await front.bo.slash(world.orders, "war map"))


async def test_another_battle_is_not_awaited_once_the_war_is_won(world: World) -> None:
    """The sheet says undecided."""
    front, accounts = await storming(world, **{"11th_Squadron": "-1,1"})
    await given(front, front.ann, "move", "11th Squadron", to="-1,2")
    await front.resolve()
    assert "Battle on -1,2" in await shown_board(world)
    asked = response(await front.bo.slash(world.orders, "battle withdraw", battle="-1,2"))
    await withdrawn(front, CAPITOL)
    with nothing_written(world):
        for result in (
            await front.ann.slash(world.orders, "battle act", unit="u12", to="A2"),
            await front.ann.slash(world.orders, "battle next"),
            await front.bo.slash(world.orders, "battle withdraw"),
            await front.bo.click(asked, label="Withdraw"),
        ):
            assert "The war is over: Earth Federation has won." in code(result)
        assert await front.ann.autocomplete(world.orders, "battle act", "unit", "") == []
    assert "Battle on" not in await shown_board(world)
    assert "Battle on -1,2" not in refused(await world.gm.slash(world.orders, "gm resolve"))
    assert "Battle on -1,2: Earth Federation against Zeon, not decided" in await front.sheet()
    await require_sound(front, accounts)


async def test_what_is_ordered_for_after_the_end_lapses(world: World) -> None:
    """Once, with the reason, in one digest."""
    front = await begun(world, changed(**{"1st_Fleet": "-3,2"}))
    garrison = re.findall(r"\bu[0-9]+\b", await front.sheet(CAPITOL))
    for unit in garrison:
        await world.gm.slash(world.orders, "gm-war set", what="unit", to=f"- {unit}", reason="It is open")
    await given(front, front.ann, "move", "1st Fleet", to=CAPITOL)
    await given(front, front.ann, "move", "11th Squadron", to="0,-1")
    await given(front, front.bo, "move", "22nd Squadron", to="-2,0")
    accounts = Accounts(world)
    accounts.open(await front.stands())
    await front.resolve()
    war = await front.stands()
    assert (war.winner, war.turn, str(war.forces["11th Squadron"].at)) == ("E", 1, "1,-2")
    for who in (front.ann, front.bo):
        assert f"Cancelled: {WON}" in await listed(front, who)
    lapsed = rows(world, "select body from entry where kind = 'order'")
    assert sum('"lapse"' in body for (body,) in lapsed) == 2
    (digest,) = [text(post) for post in world.results.history() if "esults: " in text(post)]
    assert_says(digest, WON, "won by Earth Federation")
    await require_sound(front, accounts)


async def test_a_victory_that_is_taken_back_lets_the_war_go_on(world: World) -> None:
    """The battle is fought again."""
    front, _ = await storming(world)
    await front.resolve()
    await withdrawn(front, CAPITOL)
    newest_entry = rows(world, "select max(number) from entry")[0][0]
    await take_back(world, "gm undo", entry=newest_entry, reason="A slip")
    war = await front.stands()
    assert (war.winner, [*map(str, war.battles)]) == (None, [CAPITOL])
    accounts = Accounts(world)
    accounts.open(war)
    await confirmed(world, "battle withdraw", front.ann)
    await front.ann.slash(world.orders, "battle retreat", to="-3,2")
    await given(front, front.ann, "move", "11th Squadron", to="0,-1")
    await front.resolve()
    war = await front.stands()
    assert (war.winner, war.turn, str(war.forces["11th Squadron"].at)) == (None, 2, "0,-1")
    await require_sound(front, accounts)
