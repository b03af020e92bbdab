"""Posts that a stopped bot owes are made after the start, once."""

from __future__ import annotations

from functools import partial

import simcord

from bot.cogs.war import boards
from bot.cogs.war.battles import BattlePlace, UnitActRequest, roll_in
from bot.core.campaigns import require_on_server
from bot.core.permissions import Person
from bot.orders import board
from bot.orders.resolution import Progress
from bot.rolls.answers import roll_now
from tests.cogs.war.accounts import Accounts, require_sound
from tests.cogs.war.battle.field import AT, Field, opened
from tests.cogs.war.front import Front, begun, changed, given
from tests.outbox.test_posts import sends, wait
from tests.support import resolving
from tests.support.acting import confirmed, use_desk
from tests.support.reading import response, text, threads
from tests.support.world import World, nothing_written

SQUADRONS = {"11th_Squadron": "0,-1", "21st_Squadron": AT}


def told(channel: simcord.ChannelHandle, words: str) -> int:
    """Count a channel's messages with these words."""
    return sum(words in text(message) for message in channel.history())


async def act(front: Front, unit: str, to: str) -> None:
    """Commit a move of Ann's without posting."""
    world, bot = front.world, front.world.bots[-1]
    ann = Person(front.ann.id, world.guild.id, frozenset({world.roles["player"].id}), manages_server=False)
    asked = roll_in(BattlePlace((), AT, 1), partial(boards.roll_act, asked=UnitActRequest(unit, to)))
    await bot.database.write(roll_now, bot.resolver, ann, asked)


async def test_an_act_on_a_board_is_told_after_the_start_once(world: World) -> None:
    """The unit moved once."""
    field = await opened(world)
    (thread,) = threads(world.results)
    await act(field.front, "u12", "A2")
    assert told(thread, "moves to A2") == 0
    for _ in range(2):
        await world.restart()
        await wait(world, minutes=5)
        assert told(thread, "moves to A2") == 1
    board = response(await field.do(field.ann, "show"))
    assert "on A2" in text(response(await field.ann.click(board, label="As text")))


async def test_a_battle_that_was_opened_has_its_thread_after_the_start(world: World) -> None:
    """One post, one thread."""
    front = await begun(world, changed(**SQUADRONS))
    accounts = Accounts(world)
    accounts.open(await front.stands())
    await given(front, front.ann, "move", "11th Squadron", to=AT)
    bot, posted = world.bots[-1], len(sends(world, world.results))
    staff = board.staff_of(bot.resolver, await bot.database.read(require_on_server, world.gm.guild.id, 1))
    while await bot.database.write(resolving.step, bot.resolver, staff, 1, Progress()):
        pass
    assert [*(await front.stands()).battles]
    assert len(sends(world, world.results)) == posted
    await world.restart()
    await wait(world, minutes=5)
    assert told(world.results, "11th Squadron moves from 0,-1 to 0,1") == 1
    assert told(world.results, "Act: ") == 1
    (thread,) = [item for item in world.results.threads if item.name == f"Battle on {AT}"]
    await Field(front).do(front.ann, "act", unit="u12", to="A2")
    assert told(thread, "moves to A2") == 1
    await confirmed(world, "battle withdraw", front.bo)
    await front.bo.slash(world.orders, "battle retreat", to="0,2")
    await front.resolve()
    await require_sound(front, accounts)
    accounts.require_each_once()


async def test_a_turn_that_was_interrupted_after_each_step_ends_once(world: World) -> None:
    """One income, one digest."""
    front = await begun(world)
    accounts = Accounts(world)
    accounts.open(await front.stands())
    for name, to in (("1st Fleet", "1,-1"), ("12th Squadron", "2,0"), ("Solar System", "3,-3")):
        await given(front, front.ann, "move", name, to=to)
    for _ in range(4):
        bot = world.bots[-1]
        staff = board.staff_of(bot.resolver, await bot.database.read(require_on_server, world.gm.guild.id, 1))
        assert await bot.database.write(resolving.step, bot.resolver, staff, 1, Progress())
        await world.restart()
        await wait(world, minutes=5)
    with nothing_written(world):
        assert await bot.database.write(resolving.step, world.bots[-1].resolver, staff, 1, Progress()) is None
    await use_desk(world.gm, world.orders, "Digest")
    war = await front.stands()
    assert (war.turn, war.factions["E"].gold) == (2, 100 + 9 + 10 + 15)
    assert told(world.results, "Results: Update") == 1
    assert told(world.results, "Turn 2 begins") == 2, "as it happened, and in the digest"
    for name in ("1st Fleet", "12th Squadron", "Solar System"):
        assert told(world.results, f"{name} moves from") == 2, "as it happened, and in the digest"
    await require_sound(front, accounts)
    accounts.require_each_once()
