"""Tasks of orders as roll cards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import simcord

from bot.core.profiles import Profile
from bot.orders.forecast import mark_ready
from rules.orders import Task, TaskPart
from tests.cogs.captives.cells import save
from tests.cogs.captives.test_escape import another_player
from tests.cogs.ledger.test_amend import adjust
from tests.cogs.ledger.test_void import undo_entry
from tests.orders.ordering import listed, order, populate
from tests.orders.test_arranging import arranged
from tests.orders.test_board import board, posted, standing
from tests.orders.test_resolving import newest_roll, resolved, rolls
from tests.orders.test_waiting import MOVE, PATROL, WAITS, answered, digests, patrolled
from tests.support.acting import close_update, has_cards, reopened
from tests.support.prepared import prepared
from tests.support.reading import assert_says, control, offers, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written, rows, send_raw

SCOUT = "Scout a base"


async def planned(world: World) -> Any:  # noqa: ANN401 - a message
    """Return the plan."""
    return response(await world.gm.slash(world.orders, "gm resolve"))


def tasks(plan: Any) -> dict[str, str]:  # noqa: ANN401 - a message
    """Return a plan's tasks as values by label."""
    return {item["label"]: item["value"] for item in control(plan, "task")["options"]}


async def carded(world: World, words: str, actor: simcord.MemberActor | None = None) -> Any:  # noqa: ANN401 - a card
    """Open the card of a task with these words."""
    plan = await planned(world)
    value = next(value for label, value in tasks(plan).items() if words in label)
    return response(await (actor or world.gm).select(plan, [value], custom_id=press(plan, "task")))


async def rolled(world: World, card: Any, *faces: int) -> str:  # noqa: ANN401 - a card
    """Press Roll with these faces, and return the answer."""
    world.dice.script(*faces)
    return said(await world.gm.click(card, custom_id=press(card, "roll")))


def orders(world: World) -> dict[tuple[str, str], Any]:
    """Return all kept orders, with phases only."""
    found = rows(world, "select subject, name, value from state where name like 'order.%'")
    values = {(subject, name): json.loads(value) for subject, name, value in found}
    return {key: {**value, "done": [*value["done"]], "partly": [*value["partly"]]} for key, value in values.items()}


@prepared
async def _scouts(world: World) -> None:
    await populate(world)
    for who in ("Kai", "White Base"):
        await order(world, SCOUT, who, to="Fort Anvil")


async def _escape(world: World) -> None:
    await populate(world)
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")
    await order(world, "Escape", "Amuro")


async def _patrol(world: World) -> None:
    await populate(world)
    await save(world.bots[0].database, Profile("Zaku", "squad", side="Zaku"), Profile("Alfa", "squad", side="Alfa"))
    await order(world, PATROL, "Zaku", world.gm, to="Valley")
    await order(world, MOVE, "White Base", to="Valley")
    await order(world, MOVE, "Alfa", world.gm, to="Valley")


@pytest.mark.parametrize(
    ("given", "words", "faces"),
    [
        (_scouts, "scouts", (10, 10)),
        pytest.param(_escape, "escape", (10,), marks=pytest.mark.slow),
        pytest.param(_patrol, "Zaku", (10, 10), marks=pytest.mark.slow),
    ],
)
async def test_a_card_settles_what_the_resolution_settles(
    world: World, given: Callable[[World], Awaitable[None]], words: str, faces: tuple[int, ...]
) -> None:
    """The same entry, and nothing left."""
    await given(world)
    await resolved(world, *faces)
    by_resolution, body = orders(world), entry(world, newest_roll(world))
    if digests(world):
        await undo_entry(world, newest_roll(world) + 1)
    await undo_entry(world, newest_roll(world))
    assert orders(world) != by_resolution
    await rolled(world, await carded(world, words), *faces)
    made = entry(world, newest_roll(world))
    assert orders(world) == by_resolution
    assert [made[key] for key in ("orders", "phase", "to", "family")] == [
        body[key] for key in ("orders", "phase", "to", "family")
    ]
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await require_whole(world)


async def test_what_a_game_master_adds_counts_and_the_digest_is_told(world: World) -> None:
    """The last task posts the digest."""
    await _scouts(world)
    card = await carded(world, "scouts")
    assert "Carries out orders #" in text(card)
    await adjust(world.gm, card, "3", "Night")
    told = await rolled(world, card, 10, 10)
    assert "The digest is posted" in told
    body = entry(world, newest_roll(world))
    assert [part["steps"][0]["total"] - 10 for part in body["parts"]] == [3, 0]
    assert digests(world) == 1
    assert "Resolved" in await listed(world) or "(entry" in await listed(world)


async def _pressed(world: World, card: Any, *faces: int) -> simcord.InteractionResult:  # noqa: ANN401 - a card
    world.dice.script(*faces)
    return await world.gm.click(card, custom_id=press(card, "roll"))


@pytest.mark.parametrize(
    "deed",
    [
        "resolved",
        *(
            pytest.param(other, marks=pytest.mark.slow)
            for other in ("changed", "withdrawn", "held", "refused", "joined", "rolled")
        ),
    ],
)
async def test_a_card_that_was_overtaken_rolls_nothing(world: World, deed: str) -> None:
    """Whatever happened to its orders meanwhile."""
    await _scouts(world)
    await save(world.bots[0].database, Profile("Ghost", "squad", side="Ghost"))
    given = kept(world, "Kai")["order.scout"]["entry"]
    await posted(world)
    card = await carded(world, "scouts")
    await _done(world, deed, given)
    with nothing_written(world):
        assert_says(refused(await _pressed(world, card)), "have changed since you opened it", "Nothing was rolled")
    await require_whole(world)


async def _done(world: World, deed: str, given: int) -> None:
    if deed == "resolved":
        await resolved(world, 10, 10)
    elif deed == "changed":
        await order(world, SCOUT, "Kai", to="Luna")
    elif deed == "joined":
        await order(world, SCOUT, "Ghost", world.gm, to="Fort Anvil")
    elif deed == "rolled":
        await rolled(world, await carded(world, "scouts"), 10, 10)
    else:
        words = {"withdrawn": "withdraw", "held": "hold:1", "refused": "refuse"}
        shown, key = await arranged(world, given, words[deed])
        result = await world.gm.click(shown, custom_id=key)
        if deed == "refused":
            await world.gm.submit_modal(result, {"reason": "No"})


@pytest.mark.slow
async def test_a_card_stays_good_over_the_end_of_its_update(world: World) -> None:
    """It shows the new update first."""
    await _scouts(world)
    card = await carded(world, "scouts")
    await close_update(world)
    assert "The card has changed" in said(await _pressed(world, card))
    assert "Rolled" in await rolled(world, card, 10, 10)
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))


async def test_forged_picks_and_presses_tell_nothing(world: World) -> None:
    """Nothing is written."""
    await _scouts(world)
    plan = await planned(world)
    key, (value,) = press(plan, "task"), tasks(plan).values()
    card = response(await world.gm.select(plan, [value], custom_id=key))
    with nothing_written(world):
        for actor in (world.player, another_player(world), world.stranger):
            assert "game masters" in refused(await send_raw(actor, world.orders, key, value))
            assert "isn't yours" in refused(await send_raw(actor, world.orders, press(card, "roll")))
        for forged, word in ((key, "0" * 16), (key, "order.scout"), (key, value[:-1])):
            told = refused(await send_raw(world.gm, world.orders, forged, word))
            assert "Kai" not in told
        assert "already closed" in refused(
            await send_raw(world.gm, world.orders, key.replace(":task:1", ":task:2"), value)
        )
        assert "isn't on this server" in refused(
            await send_raw(world.gm, world.orders, key.replace(":1:", ":2:", 1), value)
        )


@pytest.mark.slow
async def test_who_leads_no_more_has_the_card_no_more(world: World) -> None:
    """The present game master may roll it."""
    await _scouts(world)
    card = await carded(world, "scouts")
    await world.manager.slash(world.orders, "gm settings", game_master=world.roles["manager"])
    with nothing_written(world):
        told = refused(await world.gm.click(card, custom_id=press(card, "roll")))
        assert "Kai" not in told
        assert not await has_cards(world.gm, world.orders)
    again = await reopened(world, world.manager)
    world.dice.script(10, 10)
    assert "Rolled" in said(await world.manager.click(again, custom_id=press(again, "roll")))


async def test_an_order_goes_through_its_phases_one_by_one(world: World) -> None:
    """A declaration throws no dice and is no card."""
    await populate(world)
    await order(world, "Assault a base", "White Base", to="Fort Anvil")
    plan = await planned(world)
    assert not offers(plan, "task")
    await posted(world)
    await save(world.bots[0].database, Profile("Zaku", "squad", side="Zaku"))
    await order(world, SCOUT, "Zaku", world.gm, to="Fort Anvil")
    assert [label for label in tasks(await planned(world)) if "omplication" in label or "Battle" in label] == []


@pytest.mark.slow
async def test_a_patrol_of_lower_priority_is_no_card_before_the_first(world: World) -> None:
    """It meets those who were let pass (lines 22, 65)."""
    since = await patrolled(world)
    names = list(tasks(await planned(world)))
    assert [name for name in names if "Alfa" in name]
    assert not [name for name in names if "Bravo" in name]
    await rolled(world, await carded(world, "Alfa"), 20)
    assert f"Bravo is waiting: {WAITS}" in text(await planned(world))
    await resolved(world, 10, 10, 10)
    await answered(world, "won")
    await rolled(world, await carded(world, "Bravo"), 10, 10)
    made = [body for body in rolls(world, since) if body["family"] == "patrol"]
    assert [part["subjects"]["patrol"] for body in made for part in body["parts"] if part["steps"]] == [
        "Alfa",
        "Bravo",
        "Bravo",
    ]
    assert digests(world) == 1
    await require_whole(world)


@pytest.mark.slow
async def test_the_first_pieces_of_what_is_split_are_rolled_first(world: World) -> None:
    """Above 25 parts there are two rolls."""
    await populate(world)
    names = [f"Scout {number}" for number in range(27)]
    await save(world.bots[0].database, *(Profile(name, "squad", side=name) for name in names))
    for name in names:
        await order(world, SCOUT, name, world.gm, to="Fort Anvil")
    await rolled(world, await carded(world, "(and 24 more)"), *[10] * 25)
    await rolled(world, await carded(world, "(and 1 more)"), 10, 10)
    assert "No orders to resolve" in refused(await world.gm.slash(world.orders, "gm resolve"))
    await require_whole(world)


async def test_a_reason_is_asked_by_the_card_too(world: World) -> None:
    """In the card's window."""
    await populate(world)
    world.dice.script(17)
    await world.gm.slash(world.orders, "scout", scouter="Kai", base="Fort Anvil", roll="now")
    await order(world, SCOUT, "Kai", to="Fort Anvil")
    card = await carded(world, "Kai")
    window = await world.gm.click(card, custom_id=press(card, "roll"))
    world.dice.script(12)
    await world.gm.submit_modal(window, {"reason": "A second team"})
    assert kept(world, "Kai")["order.scout"]["done"] == {"scout": newest_roll(world)}
    assert digests(world) == 1


@pytest.mark.slow
async def test_more_tasks_than_fit_are_said(world: World) -> None:
    """25 of 30."""
    await populate(world)
    names = [f"Base {number}" for number in range(30)]
    await save(world.bots[0].database, *(Profile(name, "base") for name in names))
    units = [f"Scout {number}" for number in range(30)]
    await save(world.bots[0].database, *(Profile(name, "squad", side=name) for name in units))
    for unit, base in zip(units, names, strict=True):
        await order(world, SCOUT, unit, world.gm, to=base)
    select = control(await planned(world), "task")
    assert len(select["options"]) == 25
    assert "the first 25 of 30" in select["placeholder"]


@pytest.mark.slow
async def test_two_game_masters_at_once_settle_each_order_once(world: World) -> None:
    """One by card, one by plan."""
    await _scouts(world)
    card = await carded(world, "scouts")
    plan = response(await world.gm2.slash(world.orders, "gm resolve"))
    world.dice.script(10, 10)
    keys = ((world.gm, press(card, "roll")), (world.gm2, press(plan, "resolve")))
    await asyncio.gather(*(send_raw(actor, world.orders, key) for actor, key in keys))
    assert rows(world, "select count(*) from entry where kind = 'roll'") == [(1,)]
    assert digests(world) == 1
    await require_whole(world)


@pytest.mark.slow
async def test_a_bribe_that_an_order_has_brought_is_owed_until_it_is_paid(world: World) -> None:
    """The digest waits for it (lines 69-72)."""
    await populate(world)
    await save(world.bots[0].database, Profile("Zaku", "squad", side="Zaku"), Profile("Ghost", "squad", side="Ghost"))
    await posted(world)
    await order(world, PATROL, "Zaku", world.gm, to="Valley")
    await order(world, MOVE, "Ghost", world.gm, to="Valley")
    card = await carded(world, "Zaku")
    await world.gm.select(card, ["neutral"], custom_id=press(card, "choice:stance"))
    await rolled(world, card, 20, 11)
    assert digests(world) == 0
    assert "Owes 25 SP as a bribe" in await board(world)
    message = standing(world)
    await world.gm.click(message, custom_id=press(message, "end"))
    assert "Owes" not in await board(world)
    assert digests(world) == 1
    await require_whole(world)


def test_what_is_done_in_a_scene_is_done_in_its_order() -> None:
    """Only its first task is ready."""
    first, second, third = (Task("deed", (TaskPart({}, orders),)) for orders in ((), (1,), (1, 2)))
    assert [*mark_ready([(first, True), (second, True), (third, True)])] == [True, False, False]
    assert [*mark_ready([(first, False), (second, False), (third, False)])] == [True, True, False]
