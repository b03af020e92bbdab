"""How names and places are refused in a war: another's apart from nobody's, a hidden one as nobody's, and what would do instead."""

from __future__ import annotations

from collections.abc import Sequence

from tests.cogs.war.front import E, Front, begun, example, in_fog
from tests.cogs.war.ordering import code
from tests.support.world import World, written

ANOTHERS: Sequence[tuple[str, str, dict[str, str], str]] = [
    ("move", "2nd fleet", {"to": "N"}, "2nd Fleet takes orders from somebody else. (E_NOT_YOURS)"),
    ("move", "9th Fleet", {"to": "N"}, "There is no force '9th Fleet' that you know of. (E_NO_TARGET)"),
    ("buy", "Zeon", {"to": "3,-3"}, "Zeon takes orders from somebody else. (E_NOT_YOURS)"),
    ("rogue", "Bo", {}, "Bo takes orders from somebody else. (E_NOT_YOURS)"),
    ("rogue", "Zed", {}, "There is no player 'Zed' that you know of. (E_NO_TARGET)"),
]
"""Kinds of orders, whom each is about, its options, and what is said of whom it names."""


async def test_a_name_is_anothers_or_nobodys(front: Front) -> None:
    """Each is said apart, with those whom one can give that order, and nothing is written."""
    for kind, doer, options, told in ANOTHERS:
        before, answer = written(front.world), code(await front.order(front.ann, kind, doer, **options))
        mine = {"move": "1st Fleet", "buy": E, "rogue": "Ann"}[kind]
        assert told in answer
        assert f"You can order: {mine}" in answer or f"Did you mean {mine}?" in answer
        assert written(front.world) == before, (kind, doer)


async def test_only_those_are_named_who_can_carry_it_out(front: Front) -> None:
    """Who may buy is named to somebody who wants to buy, and not every force."""
    answer = code(await front.order(front.ann, "buy", "Zeon", to="3,-3"))
    assert f"You can order: {E}." in answer
    assert "Fleet" not in answer


async def test_in_fog_a_hidden_force_is_refused_as_one_of_nobody(world: World) -> None:
    """AMB-80: but for the name that was typed the answers are the same."""
    front = await begun(world, in_fog(example()))
    hidden, nobody = [code(await front.order(front.ann, "move", name, to="N")) for name in ("2nd Fleet", "7th Fleet")]
    assert "There is no force '2nd Fleet' that you know of. (E_NO_TARGET)" in hidden
    assert hidden.replace("2nd Fleet", "7th Fleet") == nobody


async def test_a_panel_off_the_map_is_refused_with_its_bounds(front: Front) -> None:
    """The refusal says how far the map reaches, and which panel is nearest."""
    for kind, doer, beside in (
        ("move", "1st Fleet", {}),
        ("build", E, {"with": "mining_station"}),
        ("buy", E, {"with": "gm"}),
    ):
        answer = code(await front.order(front.ann, kind, doer, to="4,-2", **beside))
        assert "4,-2 is off the map, which lies between -3,-3 and 3,3: nearest is 3,-2. (E_OFF_MAP)" in answer, kind
