"""Answers that resolving waits for: battles and bribes."""

from __future__ import annotations

from typing import Any

import pytest
import simcord

from bot.core.profiles import Profile
from tests.cogs.captives.cells import save
from tests.cogs.captives.test_escape import another_player
from tests.orders.ordering import edited, listed, order, populate
from tests.orders.test_arranging import arranged
from tests.orders.test_board import board, posted, standing
from tests.orders.test_resolving import resolved, rolls
from tests.support.acting import close_update, use_desk, use_writeup
from tests.support.prepared import prepared
from tests.support.reading import components, newest, offers, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written, rows, send_raw, written

AWAITS, STOPPED = "effect.awaits-battle", "effect.move-stopped"
WAITS = "White Base must win its battle first"
MOVE, PATROL = "Move through a sector", "Patrol or blockade a sector"


async def patrolled(world: World) -> int:
    """Two move where two patrol; return the entry before all rolls."""
    await populate(world)
    await save(world.bots[0].database, *(Profile(name, "squad", side=name) for name in ("Alfa", "Bravo", "Zaku")))
    await posted(world)
    for name in ("Alfa", "Bravo"):
        await order(world, PATROL, name, world.gm, to="Valley")
    await order(world, MOVE, "White Base", to="Valley")
    await order(world, MOVE, "Zaku", world.gm, to="Valley")
    await order(world, "Scout a base", "Kai", to="Fort Anvil")
    return written(world)[0]


@prepared
async def fought(world: World) -> int:
    """The same after Resolve: Alfa caught White Base."""
    since = await patrolled(world)
    await resolved(world, 20, 10, 10, 10)
    return since


def pairs(world: World, since: int) -> list[tuple[str, str]]:
    """Return who rolled against whom after an entry."""
    parts = (part for body in rolls(world, since) if body["family"] == "patrol" for part in body["parts"])
    return [(part["subjects"]["patrol"], part["subjects"]["target"]) for part in parts if part["steps"]]


async def answered(world: World, result: str, actor: simcord.MemberActor | None = None) -> simcord.InteractionResult:
    """Say on the board how the battle ended."""
    message, actor = await drawn(world), actor or world.gm
    window = await actor.click(message, custom_id=press(message, "result"))
    return await actor.submit_modal(window, {"result": [result]})


async def drawn(world: World) -> Any:  # noqa: ANN401 - a message
    """Return the edited board."""
    await edited(world)
    return standing(world)


def digests(world: World) -> int:
    """Count the digests."""
    return int(rows(world, "select count(*) from entry where kind = 'digest'")[0][0])


async def test_what_hangs_on_a_battle_waits_and_all_else_goes_on(world: World) -> None:
    """No digest yet."""
    since = await patrolled(world)
    told = await resolved(world, 20, 10, 10, 10)
    assert pairs(world, since) == [("Alfa", "White Base")]
    assert [body["family"] for body in rolls(world, since)] == ["patrol", "scouting", "complications"]
    assert "1 needs you" in told
    assert f"Bravo is waiting: {WAITS}" in told
    assert "Who won?" in told
    assert f"waiting: {WAITS}" in await board(world)
    assert "Needs your answer" in await board(world)
    assert AWAITS in kept(world, "White Base")
    assert digests(world) == 0
    plan = response(await world.gm.slash(world.orders, "gm resolve"))
    assert f"Bravo is waiting: {WAITS}" in text(plan)
    assert offers(plan, "result")
    assert not any(item.get("label") == "Resolve all" for item in components(plan)), "nothing can be resolved now"


async def test_who_has_won_moves_on_and_meets_the_next_patrol(world: World) -> None:
    """Then one digest."""
    since = await fought(world)
    result = await answered(world, "won")
    assert "battle won" in said(result)
    assert "Needs your answer" not in await board(world)
    assert digests(world) == 0, "the second patrol is still to come"
    shown = response(result)
    plan = response(await world.gm.click(shown, custom_id=press(shown, "plan:1")))
    world.dice.script(10, 10)
    await world.gm.click(plan, custom_id=press(plan, "resolve"))
    assert pairs(world, since)[1:] == [("Bravo", "White Base"), ("Bravo", "Zaku")]
    assert digests(world) == 1
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await require_whole(world)


@pytest.mark.parametrize("result", ["lost", pytest.param("drawn", marks=pytest.mark.slow)])
async def test_who_has_not_won_is_stopped_and_fights_no_second_time(world: World, result: str) -> None:
    """The patrol meets the next one."""
    since = await fought(world)
    await answered(world, result)
    assert STOPPED in kept(world, "White Base")
    await resolved(world, 10)
    assert pairs(world, since)[1:] == [("Bravo", "Zaku")]
    assert digests(world) == 1
    await require_whole(world)


@pytest.mark.slow
async def test_the_digest_waits_for_the_last_answer(world: World) -> None:
    """By hand it says what waits."""
    await populate(world)
    await save(world.bots[0].database, Profile("Alfa", "squad", side="Alfa"))
    await posted(world)
    await order(world, PATROL, "Alfa", world.gm, to="Valley")
    await order(world, MOVE, "White Base", to="Valley")
    told = await resolved(world, 20, 10, 10)
    assert "Who won?" in told
    assert digests(world) == 0
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    result = await answered(world, "won")
    assert digests(world) == 1
    assert not offers(response(result), "plan"), "no orders are left"
    patrol = next(number for number in range(1, written(world)[0]) if "parts" in entry(world, number))
    await use_writeup(world.gm, world.orders, "result", str(patrol), result="lost")
    assert digests(world) == 1, "what was told is not told again"


@pytest.mark.slow
async def test_closing_says_what_is_open(world: World) -> None:
    """For game masters only."""
    await fought(world)
    world.dice.script(20, 11)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", stance="neutral", roll="now")
    asked = said(await world.gm.slash(world.orders, "gm close"))
    assert "1 undecided battle that a move waits for: White Base" in asked
    assert "1 thing to settle: Ghost" in asked
    desk = said(await world.player.slash(world.orders, "update show"))
    assert "not decided" not in desk
    assert "settled" not in desk
    await close_update(world)
    assert "Who won?" not in await board(world)
    assert "Owes 25 SP" in await board(world), "a bribe is owed until it is paid"
    assert "nothing to stop" in await resolved(world)


async def test_players_read_nothing_of_what_waits(world: World) -> None:
    """It looks like any open order."""
    await patrolled(world)
    await order(world, PATROL, "Amuro", to="Valley")
    before = await listed(world)
    await resolved(world, 20, 10, 10, 10)
    assert "Amuro is waiting" in said(await world.gm.slash(world.orders, "gm resolve"))
    own = "**Amuro**: Patrol or blockade a sector, Valley"
    assert [line for line in before.splitlines() if own in line]
    assert [line for line in (await listed(world)).splitlines() if own in line] == [
        line for line in before.splitlines() if own in line
    ]
    for command in ("order list", "update show", "ledger"):
        told = said(await world.player.slash(world.orders, command))
        assert "waits" not in told, command
        assert "won?" not in told, command


@pytest.mark.slow
async def test_bribes_stand_on_the_board_until_they_are_paid(world: World) -> None:
    """25 SP (lines 70, 72; PB-6)."""
    await populate(world)
    await posted(world)
    for die in (1, 11):
        world.dice.script(20, die)
        await world.gm.slash(world.orders, "patrol", patrol=f"Kilo {die}", target="Ghost", stance="neutral", roll="now")
    await order(world, "Hide", "Kai", to="Valley")
    assert (await board(world)).count("Owes 25 SP as a bribe") == 2
    await resolved(world)
    assert digests(world) == 1, "what was not ordered keeps no digest back"
    for left in (1, 0):
        message = await drawn(world)
        key = press(message, "end")
        shown = response(await world.gm.click(message, custom_id=key))
        assert f"Paid: entry #{written(world)[0]}" in text(shown)
        assert "Ghost: owes 25 SP as a bribe (ended)" in text(shown)
        assert entry(world)["deed"] == "clear"
        assert (await board(world)).count("Owes 25 SP as a bribe") == left
        with nothing_written(world):
            assert "already answered" in refused(await send_raw(world.gm, world.orders, key))
    await require_whole(world)


@pytest.mark.slow
async def test_what_holds_something_back_comes_first(world: World) -> None:
    """Before older bribes."""
    await patrolled(world)
    for number in range(12):
        world.dice.script(20, 11)
        options = {"patrol": f"Kilo {number}", "target": "Ghost", "stance": "neutral"}
        await world.gm.slash(world.orders, "patrol", roll="now", **options)
    await resolved(world, 20, 10, 10, 10)
    await board(world)
    buttons = [item["label"] for item in components(standing(world)) if item["type"] == 2]
    assert buttons[5].startswith("Did ")
    assert len(buttons) == 5 + 10
    assert sum(len(embed) for embed in standing(world).embeds) <= 6000


async def test_forged_ids_answer_nothing(world: World) -> None:
    """Nothing is written."""
    await fought(world)
    world.dice.script(20, 11)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Ghost", stance="neutral", roll="now")
    await order(world, "Hide", "Amuro", to="Hill")
    message = await drawn(world)
    paid, won = press(message, "end"), press(message, "result")
    *head, subject, number = paid.split(":")
    awaits = kept(world, "White Base")[AWAITS]["entry"]
    with nothing_written(world):
        for actor in (world.player, another_player(world)):
            assert "game masters" in refused(await send_raw(actor, world.orders, paid))
            window = await send_raw(actor, world.orders, won)
            assert "master" in refused(await actor.submit_modal(window, {"result": ["won"]}))
        for forged in ((subject, "1"), ("999", number), (subject, str(awaits)), ("1", number)):
            key = ":".join([*head, *forged])
            assert "already answered" in refused(await send_raw(world.gm, world.orders, key))
        assert "isn't on this server" in refused(await send_raw(world.gm, world.orders, paid.replace(":1:", ":2:", 1)))
    assert "game masters" in refused(await send_raw(world.player, world.orders, press(message, "plan:1")))


@pytest.mark.slow
async def test_after_a_crash_what_waits_still_waits(world: World) -> None:
    """Before and after the answer."""
    since = await fought(world)
    await world.restart()
    assert "Bravo is waiting" in said(await world.gm.slash(world.orders, "gm resolve"))
    await answered(world, "won")
    await world.restart()
    await resolved(world, 10, 10)
    assert pairs(world, since) == [("Alfa", "White Base"), ("Bravo", "White Base"), ("Bravo", "Zaku")]
    assert digests(world) == 1
    await require_whole(world)


@pytest.mark.slow
async def test_what_is_answered_twice_is_asked_once(world: World) -> None:
    """An overtaken window changes nothing."""
    await fought(world)
    message = await drawn(world)
    key = press(message, "result")
    windows = [await send_raw(world.gm, world.orders, key) for _ in range(2)]
    await world.gm.submit_modal(windows[0], {"result": ["won"]})
    with nothing_written(world):
        assert "changed since you looked" in refused(await world.gm.submit_modal(windows[1], {"result": ["lost"]}))
    assert STOPPED not in kept(world, "White Base")


@pytest.mark.slow
async def test_an_order_of_which_a_part_is_rolled_is_not_given_anew(world: World) -> None:
    """Nor withdrawn."""
    since = await patrolled(world)
    move = kept(world, "White Base")["order.move"]["entry"]
    chosen, key = await arranged(world, move, "rank")
    await world.gm.submit_modal(await world.gm.click(chosen, custom_id=key), {"rank": "5"})
    await resolved(world, 3, 20, 3, 10, 10, 10)
    assert pairs(world, since) == [("Alfa", "Zaku"), ("Alfa", "White Base"), ("Bravo", "Zaku")]
    with nothing_written(world):
        assert "already partly resolved" in refused(await order(world, PATROL, "Bravo", world.gm, to="Hill"))
    await answered(world, "lost")
    told = await resolved(world)
    assert "**Bravo** watches **Valley**: nothing to stop came through" in told
    assert digests(world) == 1
    lines = [line for line in text(newest(world.staff)).split("\n") if line.startswith("\N{BULLET}")]
    assert sum("Bravo" in line for line in lines) == 2, "what was rolled before the battle stands in the digest too"
    await require_whole(world)


@pytest.mark.slow
async def test_a_move_tells_game_masters_every_patrol_that_it_has_met(world: World) -> None:
    """The player only sees who caught it."""
    await fought(world)
    await answered(world, "won")
    since = written(world)[0]
    await resolved(world, 10, 10)
    own = (await listed(world, world.gm)).partition("**White Base**: Move")[2].splitlines()[1:3]
    first, second = (number for number, body in _patrols(world) if "White Base" in str(body["parts"]))
    assert second > since > first
    caught = f"-# Alfa \N{MIDDLE DOT} Caught, fights as if ambushed (entry #{first})"
    assert own == [caught, f"-# Bravo \N{MIDDLE DOT} Nothing is caught (entry #{second})"]
    told = (await listed(world)).partition("**White Base**: Move")[2]
    assert caught in told
    assert "Bravo" not in told


def _patrols(world: World) -> list[tuple[int, Any]]:
    numbers = [number for (number,) in rows(world, "select number from entry where kind = 'roll' order by number")]
    return [(number, body) for number in numbers if (body := entry(world, number))["family"] == "patrol"]


@pytest.mark.slow
async def test_what_an_order_came_to_stays_told_when_it_is_given_anew(world: World) -> None:
    """Also after withdrawal and closing."""
    await fought(world)
    caught = next(number for number, body in _patrols(world) if "White Base" in str(body["parts"]))
    given = said(await order(world, PATROL, "Alfa", world.gm, to="Hill"))
    assert "This is a new order. The result of entry #" in given
    first, _, second = (await listed(world, world.gm)).partition("a sector, Valley")[2].partition("a sector, Hill")
    assert f"-# White Base \N{MIDDLE DOT} Caught, fights as if ambushed (entry #{caught})" in first
    assert "caught" not in second.partition("**White Base**")[0]
    await use_desk(world.gm, world.orders, "Digest")
    assert f"White Base caught by Alfa, fights as if ambushed (#{caught})" in text(newest(world.results))
    await close_update(world)
    shown, _, before = (await listed(world, world.gm)).partition("Your results: Update 1")
    assert "**Alfa**: Patrol or blockade a sector, Hill" in shown
    assert "caught" not in shown
    assert f"(entry #{caught})" in before
    await require_whole(world)
