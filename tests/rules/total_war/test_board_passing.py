"""What is done on a board without dice, as rolls: halves of turns, withdrawals, conditions, retreats, units that are placed."""

from __future__ import annotations

import pytest

from rules.books.total_war.terms import Refused
from rules.effects import SCENE
from rules.errors import RollError
from rules.geometry import Hex
from tests.rules.total_war.boards import (
    AT,
    FEDERATION,
    ZEON,
    battle_war,
    by_code,
    fight_of,
    kept_of,
    odds_of,
    on_board,
    part_of,
    rolled,
    rules_with,
    text_of,
)

RULES = rules_with()
SUITS = battle_war(RULES)
KEPT = kept_of(RULES, SUITS)
EARTH, ZEONS = {"side": "Earth Federation"}, {"side": "Zeon"}


def test_a_half_of_a_turn_ends_once_by_whose_it_is() -> None:
    """AMB-39, 63: sides alternate; the other side does not end it, and a half that was seen before is not ended again."""
    result, _, after = rolled("next", part_of(KEPT, EARTH, by=FEDERATION, turn=1))
    assert text_of(result) == "Turn 1: Zeon to act."
    assert (fight_of(after).active, fight_of(after).turn) == ("Z", 1)
    with pytest.raises(Refused, check=by_code("E_NOT_YOURS")):
        rolled("next", part_of(KEPT, ZEONS, by=ZEON))
    kept = kept_of(RULES, after)
    with pytest.raises(RollError, match="That half of turn 1 has already ended: it's turn 1, Zeon to act"):
        rolled("next", part_of(kept, EARTH, by=FEDERATION, turn=1))
    _, _, then = rolled("next", part_of(kept, {"side": "Z"}, by=ZEON, turn=1))
    assert (fight_of(then).active, fight_of(then).turn) == ("E", 2)


@pytest.mark.parametrize("family", ["withdraw", "condition"])
def test_a_battle_that_ends_waits_for_the_losers_retreat(family: str) -> None:
    """X1, X2, X5, X6, C4: a withdrawal or a met condition ends it, in anybody's half; it is closed once the loser has said where to."""
    subjects, by = (ZEONS, ZEON) if family == "withdraw" else (EARTH, None)
    inputs = {"by": by} if by else {}
    result, _, after = rolled(family, part_of(KEPT, subjects, **inputs))
    assert "Earth Federation won the battle on 0,0 in turn 1." in text_of(result)
    assert "21st Squadron has to retreat to " in text_of(result)
    assert AT in after.battles
    kept = kept_of(RULES, after)
    with pytest.raises(Refused, check=by_code("E_BATTLE_OVER")):
        rolled("maneuver", part_of(kept, {"unit": "u12"}, to="A2"))
    with pytest.raises(Refused, check=by_code("E_NOT_YOURS")):
        rolled("retreat", part_of(kept, {"force": "21st Squadron"}, to="0,1", by=FEDERATION))
    with pytest.raises(Refused, check=by_code("E_NOT_ADJACENT")):
        rolled("retreat", part_of(kept, {"force": "21st Squadron"}, to="0,2", by=ZEON))
    gone, _, then = rolled("retreat", part_of(kept, {"force": "21st Squadron"}, to="0,1", by=ZEON))
    assert "21st Squadron retreats to 0,1." in text_of(gone)
    assert not then.battles
    assert then.force("21st Squadron").at == Hex(0, 1)
    assert then.panels[AT].owner == "E"


def test_a_side_withdraws_for_itself_alone_and_a_condition_is_the_game_masters() -> None:
    """X1, X5: nobody withdraws the other side, and no player says that a condition is met."""
    for family, by in (("withdraw", FEDERATION), ("condition", FEDERATION)):
        with pytest.raises(Refused, check=by_code("E_NOT_YOURS")):
            rolled(family, part_of(KEPT, ZEONS, by=by))
    with pytest.raises(Refused, match="isn't a side of the battle"):
        rolled("withdraw", part_of(KEPT, {"side": "Titans"}))


def test_a_unit_is_placed_where_it_may_stand_and_nobody_else_does() -> None:
    """AMB-71, AMB-40, G2: a game master puts a unit on any free tile, which is no move of its; players do not; where one is placed no other can be, of the other side either."""
    result, _, after = rolled("place", part_of(KEPT, {"unit": "u12"}, to="G7"))
    assert text_of(result) == "Amuro Ray (u12 gm) is placed on G7."
    assert (str(fight_of(after).units["u12"].at), fight_of(after).units["u12"].moved) == ("G7", False)
    for to, code in (("A1", "E_NO_MOVE"), ("B1", "E_OCCUPIED"), ("G6", "E_TERRAIN"), ("M1", "E_OFF_BOARD")):
        with pytest.raises(Refused, check=by_code(code)):
            rolled("place", part_of(KEPT, {"unit": "u12"}, to=to))
    with pytest.raises(Refused, check=by_code("E_NOT_YOURS")):
        rolled("place", part_of(KEPT, {"unit": "u12"}, to="G7", by=FEDERATION))
    kept = kept_of(RULES, on_board(SUITS, u12="E5"))
    with pytest.raises(Refused, match="u12 is there, and a tile has room for 1 unit"):
        rolled("place", part_of(kept, {"unit": "u22"}, to="E5"))


@pytest.mark.parametrize("family", ["next", "withdraw", "condition", "place", "retreat"])
def test_what_throws_no_die_is_certain_and_needs_a_war(family: str) -> None:
    """Its one end has the chance 1; outside of a war, or on a panel without a battle, it is refused."""
    subjects = {"place": {"unit": "u12"}, "retreat": {"force": "21st Squadron"}}.get(family, EARTH)
    kept = KEPT
    if family == "retreat":
        kept = kept_of(RULES, rolled("withdraw", part_of(KEPT, ZEONS))[2])
    part = part_of(kept, subjects, to={"place": "G7", "retreat": "0,1"}.get(family))
    assert [item.chance for item in odds_of(family, part)] == [1]
    with pytest.raises(RollError, match="/war new"):
        rolled(family, part_of({SCENE: {}}, subjects))
    if family != "retreat":
        with pytest.raises(Refused, match="No battle is on at 3,0"):
            rolled(family, part_of(KEPT, subjects, at="3,0"))


def test_where_there_is_fog_no_stranger_is_told_and_no_side_more_than_it_sees() -> None:
    """AMB-80: with fog a result is for the staff and who has done it, without the enemy's gold and free panels."""
    foggy = rules_with(fog="near", sight=1)
    kept = kept_of(foggy, battle_war(foggy))
    result, _, after = rolled("withdraw", part_of(kept, ZEONS, by=ZEON))
    assert result.conclusion is not None
    assert result.conclusion.audience == "maker"
    assert "21st Squadron has to retreat to (-1,0), (-1,1), (0,-1), (0,1), (1,-1) or (1,0)." in text_of(result)
    gone, _, _ = rolled("retreat", part_of(kept_of(foggy, after), {"force": "21st Squadron"}, to="0,1", by=ZEON))
    assert "21st Squadron is now tier 5." in text_of(gone)
    assert "gold" not in text_of(gone)
    other, _, _ = rolled("condition", part_of(kept, EARTH))
    assert "21st Squadron has to retreat to" in text_of(other)
    staff, _, _ = rolled("retreat", part_of(kept_of(foggy, after), {"force": "21st Squadron"}, to="0,1"))
    assert "Earth Federation gets 100 gold" in text_of(staff)
