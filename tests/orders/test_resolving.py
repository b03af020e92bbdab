"""`/gm resolve`: one press rolls every kind of order."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from bot.core.profiles import Profile
from bot.orders import resolution
from tests.cogs.captives.cells import find_pseudonym, save
from tests.orders.ordering import listed, order, populate
from tests.support.acting import close_update, released
from tests.support.prepared import prepared
from tests.support.reading import assert_says, press, refused, response, said, text
from tests.support.world import World, entry, nothing_written, rows, send_raw


async def resolved(world: World, *faces: int) -> str:
    """Resolve all with these faces, and return the answer."""
    shown = response(await world.gm.slash(world.orders, "gm resolve"))
    world.dice.script(*faces)
    return said(await world.gm.click(shown, custom_id=press(shown, "resolve")))


def rolls(world: World, since: int) -> list[dict[str, Any]]:
    """Return the bodies of later rolls."""
    numbers = [number for (number,) in rows(world, "select number from entry where kind = 'roll' order by number")]
    return [entry(world, number) for number in numbers if number > since]


def newest_roll(world: World) -> int:
    """Return the newest roll's entry."""
    return int(rows(world, "select max(number) from entry where kind = 'roll'")[0][0])


@prepared
async def _everybody(world: World) -> None:
    await populate(world)
    database = world.bots[0].database
    mine = await find_pseudonym(database, world.player.id)
    await save(
        database,
        Profile("Hayato", "pc", side="EF", owner=mine),
        Profile("Hunter", "squad", side="Hunter"),
        Profile("Zaku", "squad", side="Zaku"),
    )
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort Anvil")


async def test_resolving_twice_rolls_once(world: World) -> None:
    """Outdated and forged presses roll nothing."""
    await _everybody(world)
    await order(world, "Scout a base", "Hayato", to="Fort Anvil")
    shown = response(await world.gm.slash(world.orders, "gm resolve"))
    key = press(shown, "resolve")
    assert "game masters" in refused(await send_raw(world.player, world.orders, key))
    await order(world, "Hide", "Kai", to="Valley")
    with nothing_written(world):
        assert "since you looked" in refused(await world.gm.click(shown, custom_id=key))
    shown = response(await world.gm.slash(world.orders, "gm resolve"))
    key = press(shown, "resolve")
    world.dice.script(10)
    await world.gm.click(shown, custom_id=key)
    with nothing_written(world):
        assert "since you looked" in refused(await send_raw(world.gm, world.orders, key))


async def test_what_nothing_comes_of_lapses_with_its_reason(world: World) -> None:
    """Its giver reads why."""
    await _everybody(world)
    await order(world, "Interrogate a captive", "Kai", to="Amuro")
    await released(world.gm, world.orders, captive="Amuro")
    told = await resolved(world)
    assert "Kai: cancelled (Interrogate a captive: Amuro): Amuro isn't a captive" in told
    assert "Cancelled: Amuro isn't a captive" in await listed(world)
    await close_update(world)
    assert "No orders yet" in await listed(world)


@pytest.mark.slow
async def test_whoever_was_released_meanwhile_does_not_escape(world: World) -> None:
    """The others of the roll still try."""
    await _everybody(world)
    await world.gm.slash(world.orders, "capture", captive="Hayato", by="Zeon", at="Fort Anvil")
    await order(world, "Escape", "Amuro")
    await order(world, "Escape", "Hayato")
    await released(world.gm, world.orders, captive="Hayato")
    assert_says(await resolved(world, 10), "Hayato: cancelled", "Amuro")


async def test_a_giver_reads_nothing_of_those_who_slipped_by(world: World) -> None:
    """It looks as if none were there."""
    await _everybody(world)
    others = [Profile(name, "squad", side=name) for name in ("Ghost", "Owl", "Gaw")]
    await save(world.bots[0].database, *others, Profile("Nightjar", "squad", secret=True))
    for kind, who, actor, to in (
        ("Hide", "Ghost", world.gm, "Valley"),
        ("Hide", "Nightjar", world.gm, "Valley"),
        ("Hide", "Owl", world.gm, "Hill"),
        ("Move through a sector", "Ghost", world.gm, "Valley"),
        ("Move through a sector", "Hayato", world.player, "Cave"),
        ("Detect in a sector", "White Base", world.player, "Valley"),
        ("Detect in a sector", "Kai", world.player, "Hill"),
        ("Detect in a sector", "Hayato", world.player, "Moor"),
        ("Patrol or blockade a sector", "White Base", world.player, "Valley"),
        ("Patrol or blockade a sector", "Kai", world.player, "Hill"),
        ("Patrol or blockade a sector", "Zaku", world.gm, "Cave"),
    ):
        await order(world, kind, who, actor, to=to)
    await resolved(world, 9, 20, 20, 20, 1, 1)
    told = await listed(world)
    own = {line: after for line, after in pairwise(told.splitlines()) if after.startswith("-#")}
    came = {line.split("**")[1] + line.partition(": ")[2][:6]: after.removeprefix("-# ") for line, after in own.items()}
    assert came["White BaseDetect"] == "Ghost \N{MIDDLE DOT} Not revealed, but the detector knows who's there"
    assert came["KaiDetect"] == came["HayatoDetect"] == "The detector learns nothing"
    assert came["White BasePatrol"] == came["KaiPatrol"] == "Nothing is caught"
    assert came["HayatoMove t"] == "No patrol stops the move"
    assert [name for name in ("Nightjar", "Owl", "Zaku") if name in told] == []


async def test_a_place_is_named_once(world: World) -> None:
    """In a hiding order."""
    await populate(world)
    await order(world, "Hide", "Kai", to="Arabian Sea")
    await resolved(world)
    posted = "\n".join(text(message) for message in world.staff.history())
    assert "hides in Arabian Sea" in posted
    assert "Arabian Sea in Arabian Sea" not in posted.replace("*", "")


async def test_an_order_that_breaks_stops_none_before_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though several are resolved in one transaction; the next press says the same again."""
    squads = [f"Squad {number}" for number in range(3)]
    await save(world.bots[0].database, *(Profile(name, "squad") for name in squads))
    for name in squads:
        await world.gm.slash(world.orders, "order give", kind="Scout a base", who=name, to=f"Base of {name}")
    roll = resolution.roll_task

    def fail_with_last(work: Any, item: Any, task: Any) -> Any:  # noqa: ANN401 - as it is
        if any(who.name == squads[-1] for who in task.people):
            raise RuntimeError
        return roll(work, item, task)

    monkeypatch.setattr(resolution, "roll_task", fail_with_last)
    for _ in range(2):
        assert "This is a bug" in await resolved(world, *[20] * 9)
        assert [body["parts"][0]["subjects"]["scouter"] for body in rolls(world, 0)] == squads[:2]
    monkeypatch.undo()
    await resolved(world, 20)
    assert len(rolls(world, 0)) == len(squads)
