"""Acts on boards, and what digests say of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.cogs.war.battle.field import MOVED, Field, opened
from tests.orders.test_missing import fields
from tests.support.acting import take_back, use_desk
from tests.support.completing import read_every_choice
from tests.support.reading import assert_lacks, components, newest, refused, response, said, text
from tests.support.world import World, nothing_written, rows, written

ASKED: Mapping[str, tuple[dict[str, str], dict[str, str | None]]] = {
    "what it does": ({}, {"to": None, "target": None, "call": None, "toward": None}),
    "a target": ({"attack": "shoot", "with": "u13"}, {"target": None, "others": "u13", "to": None}),
    "a call": ({"attack": "melee", "target": "u22"}, {"target": "u22", "call": None, "to": None}),
    "a lane": ({"attack": "broadside", "to": "E4"}, {"toward": None, "to": "E4"}),
    "a tile": ({"attack": "shoot, then move", "target": "u22"}, {"target": "u22", "others": None, "to": None}),
}


@pytest.mark.parametrize("missing", ASKED)
async def test_what_an_act_misses_is_asked_for(field: Field, missing: str) -> None:
    """The window keeps what was typed."""
    typed, shown = ASKED[missing]
    await field.placed(u12="E5", u22="F6")
    with nothing_written(field.world):
        assert fields(await field.do(field.ann, "act", unit="u12", **typed)) == shown


async def test_what_is_filled_in_is_done_as_it_was_asked_for(field: Field) -> None:
    """With the typed dice."""
    await field.placed(u12="E5", u22="F6")
    typed = {"unit": "u12", "attack": "melee", "target": "u22"}
    asked = await field.do(field.world.gm, "act", dice="d2: 1", **typed)
    assert fields(asked)["dice"] == "d2: 1"
    given = {name: value or "" for name, value in fields(asked).items()}
    assert "Char Aznable (u22 zaku) is destroyed" in said(
        await field.world.gm.submit_modal(asked, {**given, "call": "heads"})
    )


async def test_a_card_and_a_move_after_the_attack_are_kept(field: Field) -> None:
    """Through the window."""
    await field.placed(u12="E5", u22="F6")
    asked = await field.do(field.ann, "act", unit="u12", attack="melee, then move", target="u22", call="tails")
    before = written(field.world)[0]
    shown = await field.ann.submit_modal(asked, {"target": "u22", "call": "tails", "to": "E4"})
    assert "Roll" in [item.get("label") for item in components(response(shown))]
    assert "E4" in said(shown)
    assert written(field.world)[0] == before


@pytest.mark.parametrize("call", ["", "edge"])
async def test_what_is_still_missing_in_the_window_is_refused_in_words(field: Field, call: str) -> None:
    """A window can't follow a window."""
    await field.placed(u12="E5", u22="F6")
    asked = await field.do(field.ann, "act", unit="u12", attack="melee", target="u22")
    with nothing_written(field.world):
        assert "heads or tails" in refused(await field.ann.submit_modal(asked, {"target": "u22", "call": call}))


async def test_every_shown_text_means_its_value(field: Field) -> None:
    """In each option of the command tree."""
    filled = {"unit": "u12", "target": "u22", "kind": "move", "who": "11th Squadron"}
    found = await read_every_choice(field.world, field.ann, filled)
    assert found.misread == []
    assert {"/battle act unit", "/battle act attack", "/battle show battle"} <= found.decorated


CAME = (
    "Earth Federation won the battle on 0,1 in turn 1. Zeon withdrew.",
    "Earth Federation takes 0,1 (before: neutral)",
    "21st Squadron retreats to 0,2.",
    "Earth Federation gets 100 gold (200 in the bank).",
)
"""The result of the battle that Zeon leaves."""
FOG = {'fog           = "open"': 'fog           = "near"\nsight         = 1'}


def digests(world: World) -> list[str]:
    """Return the public and staff digests."""
    told = (text(message) for channel in (world.results, world.staff) for message in channel.history())
    return [shown.replace("\\", "") for shown in told if "esults: " in shown or "No public results" in shown]


async def test_a_further_digest_tells_the_battle_that_the_first_could_not(field: Field) -> None:
    """Once."""
    gm, orders = field.world.gm, field.world.orders
    await use_desk(gm, orders, "Digest")
    await field.lost()
    await field.front.resolve()
    first, second = digests(field.world)[:2]
    assert "won the battle" not in first
    assert "More results" in second
    assert CAME[0] in second
    await use_desk(gm, orders, "Digest")
    assert sum(CAME[0] in shown for shown in digests(field.world)) == 2  # everybody's and the staff's


async def test_a_battle_that_is_taken_back_is_not_told(field: Field) -> None:
    """Only its new end."""
    await field.lost()
    ((retreat,),) = rows(field.world, "select max(number) from entry")
    await take_back(field.world, "gm undo", entry=retreat, reason="A slip")
    await field.do(field.bo, "retreat", to="-1,2")
    await field.front.resolve()
    public, _ = digests(field.world)
    assert "21st Squadron retreats to -1,2." in public
    assert "0,2" not in public.partition("owners and forces")[0]


async def test_the_closing_tells_first_who_has_won(field: Field) -> None:
    """Placings and half ends aren't rolls."""
    await field.placed(u12="E6", u22="E8")
    await field.now(field.ann, "u12", (6, 1), (6, 1), target="u22")
    await field.do(field.ann, "next")
    await field.lost()
    await field.front.end_turn()
    closing = text(newest(field.world.results))
    first, *rest = closing.partition("Rolls in play:**\n")[2].splitlines()
    assert "Earth Federation won the battle on 0,1" in first
    assert any("u22" in line for line in rest)
    assert_lacks(closing, "placed", "to act")


async def test_in_fog_the_staff_alone_is_told(world: World) -> None:
    """Of a battle that others didn't see."""
    field = await opened(world, changes={**MOVED, **FOG})
    await field.lost()
    await field.front.resolve()
    public, whole = digests(world)
    assert "battle" not in public
    assert all(line in whole for line in CAME[1:]), whole
    await field.front.close()
    assert "battle" not in text(newest(world.results))
