"""Forty units over ten turns with fixed dice, and long results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.cogs.battles.battlefield import (
    FORD,
    Die,
    ask,
    battle_over,
    begun,
    check,
    join,
    option,
    posted,
    selects,
    sound,
    state,
)
from tests.support.reading import response, text
from tests.support.world import World, rows

UNITS = [f"{side}{number:02}" for side in "rb" for number in range(1, 21)]
"""Each side: five missile, three flying, two casters with three spells, ten plain."""

TURNS: tuple[tuple[Mapping[str, int], tuple[Die, ...]], ...] = (
    ({"r01": 12, "r02": 3, "b01": 45, "b02": 35}, ()),
    ({"r01": 54, "b03": 55, "b04": 9}, ()),
    ({"r03": 42}, ()),
    ({"r04": 56}, ((19, 1), (100, 12))),
    ({"r05": 63}, ((20, 1), (19, 1), (100, 25), (100, 66))),
    ({"r09": 64, "r10": 65}, ((3, 2),)),
    ({"r06": 47, "b05": 4}, ()),
    ({"r11": 33}, ((5, 2),)),
    ({"b06": 52, "b07": 53, "b08": 23}, ()),
    ({}, ()),
)
"""Each turn's d100s, and the dice after the first."""

IN_FORCE: tuple[tuple[str, ...], ...] = (
    ("**r01** · ML +1", "**r02** · ML +1", "**b01** · AD", "Treachery (35)"),
    ("can ignore one later event", "**r02** · ML +1"),
    ("on r06, r07, r08\n", "on b06, b07, b08\n", "**r02** · ML +1\n• Bonus promised (3)"),
    ("**b01** · ML +1, AD",),
    ("**r01**\n• Garbled orders (25): Does not move",),
    ("**r10**\n• Components mislaid (65)",),
    ("**r06**\n• Exhaustion (47)", "**b05** · ML +1\n• Old grudge (4)"),
    ("**r02** · ML +1\n• Bonus promised (3)", "Garbled orders (33)"),
    ("**b08**\n• Garbled orders (23): Full move in the direction of the d8 (d8: 3)",),
    ("**r02** · ML +1", "**b05** · ML +1"),
)
"""A part of the list after each check."""


def dice(turn: int, gone: tuple[str, ...]) -> tuple[list[int], list[Die]]:
    """Return the unit dice and all dice after them."""
    events, others = TURNS[turn]
    d100 = [(100, face) for face in events.values()]
    direction = [(8, 3)] if 23 in events.values() else []
    d4 = [1 if name in events else 2 + place % 3 for place, name in enumerate(UNITS) if name not in gone]
    return d4, [*d100[:1], *others, *d100[1:], *direction]


async def army(world: World) -> None:
    """The battle with its forty units."""
    await world.gm.slash(world.orders, "gm settings", books="campaign, battlesystem")
    await begun(world)
    for side, letter in (("Reds", "r"), ("Blues", "b")):
        groups: tuple[tuple[range, dict[str, Any]], ...] = (
            (range(1, 6), {"missile": True}),
            (range(6, 9), {"flying": True}),
            (range(9, 11), {"caster": True, "spells": 3}),
            (range(11, 21), {}),
        )
        for numbers, tags in groups:
            await join(world, side, ", ".join(f"{letter}{number:02}" for number in numbers), **tags)


@pytest.mark.slow
@pytest.mark.parametrize("turns", [3, pytest.param(10, marks=pytest.mark.slow)])
async def test_forty_units_fight(world: World, turns: int) -> None:
    """Everything survives a restart, and the ledger adds up after ten turns."""
    await army(world)
    gone: tuple[str, ...] = ()
    for turn in range(turns):
        d4, others = dice(turn, gone)
        before = len(world.results.history())
        await check(world, d4, *others)
        gone = ("b02",)
        assert len(world.results.history()) == before + 1
        shown = await ask(world, "active", world.player)
        for words in (f"{FORD}, turn {turn + 1}: in force", *IN_FORCE[turn]):
            assert words in shown, (turn, words)
        if turn == 2:
            assert "Reds used its token" in await ask(world, "use", event=await option(world, "r06"))
            assert "r06" not in await ask(world, "active")
            assert "on b06, b07, b08\n" in await ask(world, "active")
        asked = (await world.gm.slash(world.orders, "gm-events turn")).followups[-1]
        if turn == turns // 2 - 1:
            await world.restart()
        if turn == 4:
            (tired,) = selects(asked)
            await world.gm.select(asked, [tired["options"][0]["value"]], custom_id=tired["custom_id"])
    assert await sound(world)
    if turns < len(TURNS):
        return
    assert state(world, "token.") == {}
    assert "**r09** · caster · 2 spells" in await ask(world, "units")
    over = await battle_over(world, end_battle=True)
    lost = [line for line in over.splitlines() if line.endswith("stays lost")]
    assert [line[2:5] for line in lost] == ["b02", "r09", "b06", "b07"]
    assert list(state(world, "effect.")) == ["effect.event-13.3"]
    assert await sound(world)


async def test_a_result_of_forty_events_takes_several_messages_and_leaves_none_out(world: World) -> None:
    """All events are posted in order."""
    await army(world)
    faces = [57] * 40
    before = len(world.results.history())
    await check(world, [1] * 40, *((100, face) for face in faces))
    messages = world.results.history()[before:]
    assert len(messages) > 1
    for message in messages:
        assert sum(map(len, message.embeds)) <= 6000
    whole = posted(world, len(messages))
    assert [whole.index(f"**{name} (") for name in UNITS] == sorted(whole.index(f"**{name} (") for name in UNITS)
    answers = await world.gm.slash(world.orders, "events active")
    shown = "\n".join(text(answer) for answer in (response(answers), *answers.followups))
    described = [
        embed.description or "" for answer in (response(answers), *answers.followups) for embed in answer.embeds
    ]
    assert len(described) > 1
    assert not any(part.startswith("•") for part in described), "a unit is parted from what is in force on it"
    assert shown.count("Right unit for this (57)") == 40
    assert len(rows(world, "select 1 from state where name like 'effect.%'")) == 40
    await world.gm.slash(world.orders, "gm-events turn")
    assert state(world, "effect.") == {}
    assert await sound(world)


@pytest.mark.slow
async def test_the_question_lists_more_tired_units_than_one_select_takes(world: World) -> None:
    """Two selects; the rest is asked for again."""
    await army(world)
    await check(world, [1] * 40, *((100, 45) for _ in range(40)))
    asked = (await world.gm.slash(world.orders, "gm-events turn")).followups[-1]
    first, second = selects(asked)
    assert (len(first["options"]), len(second["options"])) == (25, 15)
    rested = await world.gm.select(asked, [item["value"] for item in first["options"]], custom_id=first["custom_id"])
    (left,) = selects(response(rested))
    assert [item["label"] for item in left["options"]] == UNITS[25:]
    assert len(state(world, "effect.")) == 15
    assert await sound(world)
