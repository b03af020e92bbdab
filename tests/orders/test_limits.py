"""Two hundred orders of long names fit into Discord's limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bot.core.profiles import Profile
from bot.core.subjects import Subject
from bot.orders.giving import MAX_BESIDE
from bot.orders.standing import StandingOrder
from rules.orders import Who
from tests.cogs.captives.cells import find_pseudonym, put, save
from tests.orders.ordering import order, picked, populate
from tests.orders.test_board import posted
from tests.support.reading import components, offers, press, response, said, text
from tests.support.world import World, rows

MANY, SOME = 200, 24
"""All orders, and more than a receipt takes."""

NAMES = [f"{number:03} " + "*_" * 28 for number in range(MANY)]
"""Sixty characters, all escaped."""

FIRST = 10_000
"""The entry of their first order."""


async def crowded(world: World, names: Sequence[str] = NAMES) -> None:
    """Give each unit an order, and leave as many missing."""
    await populate(world)
    database = world.bots[0].database
    mine = await find_pseudonym(database, world.player.id)
    units = [Profile(name, "squad", side=name) for name in names]
    await save(database, *units, *(Profile(f"C{name[:59]}", "pc", owner=mine) for name in names))
    await put(database, {(name, "order.hide"): _order(number, mine) for number, name in enumerate(names)})


def _order(number: int, giver: str) -> dict[str, Any]:
    to = Who(NAMES[number][::-1])
    return StandingOrder(FIRST + number, "campaign", "hide", Subject(0, ""), giver, 1, to).value()


def require_fitting(message: Any) -> None:  # noqa: ANN401 - a response or a message
    """Check a message against Discord's limits."""
    assert len(message.embeds) <= 10
    assert sum(map(len, message.embeds)) <= 6000
    for embed in message.embeds:
        assert len(embed.title or "") <= 256
        assert len(embed.description or "") <= 4096
    parts = list(components(message))
    assert len(parts) <= 40
    assert sum(len(part["content"]) for part in parts if part["type"] == 10) <= 4000
    assert sum(part["type"] == 1 for part in message.components if isinstance(part, dict)) <= 5
    for part in parts:
        assert len(part.get("options", ())) <= 25
        assert len(part.get("custom_id") or "") <= 100
        assert len(part.get("label") or "") <= (80 if part["type"] == 2 else 100)
        for option in part.get("options", ()):
            assert max(len(option["label"]), len(option.get("description") or "")) <= 100


def every(result: Any) -> list[Any]:  # noqa: ANN401 - an answer, and its messages
    """Return all messages of an answer."""
    return [response(result), *result.followups]


@pytest.mark.slow
async def test_the_list_has_all_orders_and_each_can_be_picked(world: World) -> None:
    """Each in one select."""
    await crowded(world)
    shown = every(await world.gm.slash(world.orders, "order list"))
    for message in shown:
        require_fitting(message)
    told = "\n".join(map(text, shown))
    given = range(FIRST, FIRST + MANY)
    assert [number for number in given if told.count(f"(entry #{number})") != 1] == []
    *selects, passing = [part for message in shown for part in components(message) if part["type"] == 3]
    assert passing["custom_id"] == "order:1:pass"
    values = [option["value"] for part in selects for option in part["options"]]
    assert len(values) == len(set(values)) == MANY
    assert len({part["custom_id"] for part in selects}) == MANY / 25
    last = selects[-1]["options"][-1]["value"]
    message = next(item for item in shown if selects[-1] in list(components(item)))
    one = response(await world.gm.select(message, [last], custom_id=selects[-1]["custom_id"]))
    require_fitting(one)
    assert f"#{last.partition('.')[2]}" in text(one)


async def test_the_board_the_desk_and_the_closing_question_fit(world: World) -> None:
    """The rest is counted."""
    await crowded(world)
    shown = await posted(world)
    require_fitting(shown)
    assert "lines more" in text(shown)
    assert f"Waiting for {MANY + 2}" in text(shown)
    assert " more" in shown.embeds[-1].description
    for command in ("update show", "gm close"):
        for message in every(await world.gm.slash(world.orders, command)):
            require_fitting(message)


@pytest.mark.slow
async def test_the_plan_has_a_line_for_each_order(world: World) -> None:
    """The button is below the last message."""
    await crowded(world)
    plan = every(await world.gm.slash(world.orders, "gm resolve"))
    for message in plan:
        require_fitting(message)
    assert sum(text(message).count("\N{BULLET}") for message in plan) == MANY
    assert [offers(message, "resolve") for message in plan] == [False] * (len(plan) - 1) + [True]


@pytest.mark.slow
async def test_what_was_resolved_fits(world: World) -> None:
    """The staff's digest has every entry."""
    await crowded(world, NAMES[:SOME])
    shown = every(await world.gm.slash(world.orders, "gm resolve"))[-1]
    before = len(world.staff.history())
    receipt = response(await world.gm.click(shown, custom_id=press(shown, "resolve")))
    require_fitting(receipt)
    first = rows(world, "select min(number) from entry where kind = 'roll'")[0][0]
    for words in (f"#{first} ", "lines more", "Posted"):
        assert words in text(receipt)
    digest = [item for item in world.staff.history()[before:] if "Results: Update" in text(item)]
    for message in digest:
        require_fitting(message)
    whole = "\n".join(map(text, digest))
    assert all(f"{number:03} " in whole for number in range(SOME))


@pytest.mark.slow
async def test_an_order_about_as_many_as_may_be_is_shown_and_changed(world: World) -> None:
    """Ten names of sixty characters."""
    await populate(world)
    captives = [name.replace("*", "x") for name in NAMES[:MAX_BESIDE]]
    await save(world.bots[0].database, *(Profile(name, "npc") for name in captives))
    for name in captives:
        await world.gm.slash(world.orders, "capture", captive=name, by="Zeon", at="Fort Anvil")
    asked = {"to": "Fort Anvil", "with": ", ".join(captives), "note": "_" * 500}
    given = await order(world, "Attack by surprise to free captives", "Kai", world.gm, **asked)
    assert "Order given" in said(given)
    require_fitting(response(given))
    one = await picked(world, world.gm)
    require_fitting(one)
    window = await world.gm.click(one, custom_id=press(one, "change"))
    assert window.modal is not None
    fields = [item["component"] for item in window.modal["components"] if "component" in item]
    beside = next(item for item in fields if item["custom_id"] == "beside")
    assert beside["value"].count(",") == MAX_BESIDE - 1
    assert len(beside["value"]) <= beside["max_length"]


@pytest.mark.slow
async def test_a_nudge_pings_everybody_in_as_many_messages_as_that_takes(world: World) -> None:
    """Each player once."""
    await populate(world)
    made = [world.env.create_user(f"player {number}") for number in range(MANY)]
    users = [world.guild.add_member(user, roles=[world.roles["player"]]).id for user in made]
    owners = [await find_pseudonym(world.bots[0].database, user) for user in users]
    people = [Profile(name, "pc", owner=owner) for name, owner in zip(NAMES, owners, strict=True)]
    await save(world.bots[0].database, *people)
    await world.gm.slash(world.orders, "gm settings", pings="players")
    shown = await posted(world)
    await world.gm.click(shown, custom_id=press(shown, "nudge:1"))
    nudges = [item for item in world.results.history() if "are missing" in text(item)]
    assert all(len(item.content) <= 2000 for item in nudges)
    pinged = [word for item in nudges for word in item.content.split()]
    assert sorted(pinged) == sorted(f"<@{user}>" for user in [*users, world.player.id])
