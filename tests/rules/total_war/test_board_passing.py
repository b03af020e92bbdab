from __future__ import annotations

import pytest

from rules.books.total_war.catalog import Refused
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry import Hex
from tests.rules.total_war import boards

RULES = boards.rules_with()
SUITS = boards.battle_war(RULES)
KEPT = boards.store_war(RULES, SUITS)
EARTH, ZEONS = {"side": "Earth Federation"}, {"side": "Zeon"}


def test_a_half_of_a_turn_ends_once_by_whose_it_is() -> None:
    """AMB-39, 63: only the active side ends its half, once."""
    result, _, after = boards.roll_part("next", boards.make_part(KEPT, EARTH, by=boards.FEDERATION, turn=1))
    assert boards.find_text(result) == "Turn 1: Zeon to act."
    assert (boards.find_fight(after).active, boards.find_fight(after).turn) == ("Z", 1)
    with pytest.raises(Refused, check=boards.by_code("E_NOT_YOURS")):
        boards.roll_part("next", boards.make_part(KEPT, ZEONS, by=boards.ZEON))
    kept = boards.store_war(RULES, after)
    with pytest.raises(RollError, match="That half of turn 1 has already ended: it's turn 1, Zeon to act"):
        boards.roll_part("next", boards.make_part(kept, EARTH, by=boards.FEDERATION, turn=1))
    _, _, then = boards.roll_part("next", boards.make_part(kept, {"side": "Z"}, by=boards.ZEON, turn=1))
    assert (boards.find_fight(then).active, boards.find_fight(then).turn) == ("E", 2)


@pytest.mark.parametrize("family", ["withdraw", "condition"])
def test_a_battle_that_ends_waits_for_the_losers_retreat(family: str) -> None:
    """X1, X2, X5, X6, C4: it closes after the loser's choice."""
    subjects, by = (ZEONS, boards.ZEON) if family == "withdraw" else (EARTH, None)
    inputs = {"by": by} if by else {}
    result, _, after = boards.roll_part(family, boards.make_part(KEPT, subjects, **inputs))
    assert "Earth Federation won the battle on 0,0 in turn 1." in boards.find_text(result)
    assert "21st Squadron has to retreat to " in boards.find_text(result)
    assert boards.AT in after.battles
    kept = boards.store_war(RULES, after)
    with pytest.raises(Refused, check=boards.by_code("E_BATTLE_OVER")):
        boards.roll_part("maneuver", boards.make_part(kept, {"unit": "u12"}, to="A2"))
    with pytest.raises(Refused, check=boards.by_code("E_NOT_YOURS")):
        boards.roll_part("retreat", boards.make_part(kept, {"force": "21st Squadron"}, to="0,1", by=boards.FEDERATION))
    with pytest.raises(Refused, check=boards.by_code("E_NOT_ADJACENT")):
        boards.roll_part("retreat", boards.make_part(kept, {"force": "21st Squadron"}, to="0,2", by=boards.ZEON))
    gone, _, then = boards.roll_part(
        "retreat", boards.make_part(kept, {"force": "21st Squadron"}, to="0,1", by=boards.ZEON)
    )
    assert "21st Squadron retreats to 0,1." in boards.find_text(gone)
    assert not then.battles
    assert then.force("21st Squadron").at == Hex(0, 1)
    assert then.panels[boards.AT].owner == "E"


def test_a_side_withdraws_for_itself_alone_and_a_condition_is_the_game_masters() -> None:
    """X1, X5: players withdraw only their own side."""
    for family, by in (("withdraw", boards.FEDERATION), ("condition", boards.FEDERATION)):
        with pytest.raises(Refused, check=boards.by_code("E_NOT_YOURS")):
            boards.roll_part(family, boards.make_part(KEPT, ZEONS, by=by))
    with pytest.raises(Refused, match="isn't a side of the battle"):
        boards.roll_part("withdraw", boards.make_part(KEPT, {"side": "Titans"}))


def test_a_unit_is_placed_where_it_may_stand_and_nobody_else_does() -> None:
    """AMB-71, AMB-40, G2: only game masters place units."""
    result, _, after = boards.roll_part("place", boards.make_part(KEPT, {"unit": "u12"}, to="G7"))
    assert boards.find_text(result) == "Amuro Ray (u12 gm) is placed on G7."
    assert (str(boards.find_fight(after).units["u12"].at), boards.find_fight(after).units["u12"].moved) == ("G7", False)
    for to, code in (("A1", "E_NO_MOVE"), ("B1", "E_OCCUPIED"), ("G6", "E_TERRAIN"), ("M1", "E_OFF_BOARD")):
        with pytest.raises(Refused, check=boards.by_code(code)):
            boards.roll_part("place", boards.make_part(KEPT, {"unit": "u12"}, to=to))
    with pytest.raises(Refused, check=boards.by_code("E_NOT_YOURS")):
        boards.roll_part("place", boards.make_part(KEPT, {"unit": "u12"}, to="G7", by=boards.FEDERATION))
    kept = boards.store_war(RULES, boards.on_board(SUITS, u12="E5"))
    with pytest.raises(Refused, match="u12 is there, and a tile has room for 1 unit"):
        boards.roll_part("place", boards.make_part(kept, {"unit": "u22"}, to="E5"))


@pytest.mark.parametrize("family", ["next", "withdraw", "condition", "place", "retreat"])
def test_what_throws_no_die_is_certain_and_needs_a_war(family: str) -> None:
    """Its one end has the chance 1."""
    subjects = {"place": {"unit": "u12"}, "retreat": {"force": "21st Squadron"}}.get(family, EARTH)
    kept = KEPT
    if family == "retreat":
        kept = boards.store_war(RULES, boards.roll_part("withdraw", boards.make_part(KEPT, ZEONS))[2])
    part = boards.make_part(kept, subjects, to={"place": "G7", "retreat": "0,1"}.get(family))
    assert [item.chance for item in boards.find_odds(family, part)] == [1]
    with pytest.raises(RollError, match="/gm-war new"):
        boards.roll_part(family, boards.make_part({SCENE: {}}, subjects))
    if family != "retreat":
        with pytest.raises(Refused, match="No battle is on at 3,0"):
            boards.roll_part(family, boards.make_part(KEPT, subjects, at="3,0"))


def test_where_there_is_fog_no_stranger_is_told_and_no_side_more_than_it_sees() -> None:
    """AMB-80: results hide the enemy's gold and free panels."""
    foggy = boards.rules_with(fog="near", sight=1)
    kept = boards.store_war(foggy, boards.battle_war(foggy))
    result, _, after = boards.roll_part("withdraw", boards.make_part(kept, ZEONS, by=boards.ZEON))
    assert result.conclusion is not None
    assert result.conclusion.audience == "maker"
    assert "21st Squadron has to retreat to (-1,0), (-1,1), (0,-1), (0,1), (1,-1) or (1,0)." in boards.find_text(result)
    gone, _, _ = boards.roll_part(
        "retreat",
        boards.make_part(boards.store_war(foggy, after), {"force": "21st Squadron"}, to="0,1", by=boards.ZEON),
    )
    assert "21st Squadron is now tier 5." in boards.find_text(gone)
    assert "gold" not in boards.find_text(gone)
    other, _, _ = boards.roll_part("condition", boards.make_part(kept, EARTH))
    assert "21st Squadron has to retreat to" in boards.find_text(other)
    staff, _, _ = boards.roll_part(
        "retreat", boards.make_part(boards.store_war(foggy, after), {"force": "21st Squadron"}, to="0,1")
    )
    assert "Earth Federation gets 100 gold" in boards.find_text(staff)
