"""What is missing in an act is asked for in a window that keeps what was typed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.cogs.war.battle.field import Field
from tests.orders.test_missing import fields
from tests.support.reading import components, refused, response, said
from tests.support.world import nothing_written, written

ASKED: Mapping[str, tuple[dict[str, str], dict[str, str | None]]] = {
    "what it does": ({}, {"to": None, "target": None, "call": None, "toward": None}),
    "a target": ({"attack": "shoot", "with": "u13"}, {"target": None, "others": "u13", "to": None}),
    "a call": ({"attack": "melee", "target": "u22"}, {"target": "u22", "call": None, "to": None}),
    "a lane": ({"attack": "broadside", "to": "E4"}, {"toward": None, "to": "E4"}),
    "a tile": ({"attack": "shoot, then move", "target": "u22"}, {"target": "u22", "others": None, "to": None}),
}


@pytest.mark.parametrize("missing", ASKED)
async def test_what_an_act_misses_is_asked_for(field: Field, missing: str) -> None:
    """The window has what was typed and a field for what is missing; nothing is entered."""
    typed, shown = ASKED[missing]
    await field.placed(u12="E5", u22="F6")
    with nothing_written(field.world):
        assert fields(await field.do(field.ann, "act", unit="u12", **typed)) == shown


async def test_what_is_filled_in_is_done_as_it_was_asked_for(field: Field) -> None:
    """With the call, melee is rolled with the dice that the game master typed."""
    await field.placed(u12="E5", u22="F6")
    typed = {"unit": "u12", "attack": "melee", "target": "u22"}
    asked = await field.do(field.world.gm, "act", dice="d2: 1", **typed)
    assert fields(asked)["dice"] == "d2: 1"
    given = {name: value or "" for name, value in fields(asked).items()}
    assert "Char Aznable (u22 zaku) is destroyed" in said(
        await field.world.gm.submit_modal(asked, {**given, "call": "heads"})
    )


async def test_a_card_and_a_move_after_the_attack_are_kept(field: Field) -> None:
    """Asked for with a card and a move afterwards, the act that the window completes comes as that card."""
    await field.placed(u12="E5", u22="F6")
    asked = await field.do(field.ann, "act", unit="u12", attack="melee, then move", target="u22", call="tails")
    before = written(field.world)[0]
    shown = await field.ann.submit_modal(asked, {"target": "u22", "call": "tails", "to": "E4"})
    assert "Roll" in [item.get("label") for item in components(response(shown))]
    assert "E4" in said(shown)
    assert written(field.world)[0] == before


@pytest.mark.parametrize("call", ["", "edge"])
async def test_what_is_still_missing_in_the_window_is_refused_in_words(field: Field, call: str) -> None:
    """A window can't follow a window: without the call, or with another word, the answer says what to call."""
    await field.placed(u12="E5", u22="F6")
    asked = await field.do(field.ann, "act", unit="u12", attack="melee", target="u22")
    with nothing_written(field.world):
        assert "heads or tails" in refused(await field.ann.submit_modal(asked, {"target": "u22", "call": call}))
