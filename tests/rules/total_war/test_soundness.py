from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from rules.books.total_war.storage import find_misfits
from rules.books.total_war.war import War
from rules.geometry import Hex
from tests.rules.total_war.wars import RULES, meet_fleet, start_war, win_colony

FLEET, SQUADRON = "1st Fleet", "11th Squadron"


def _with_force(war: War, name: str, **change: object) -> War:
    return war.with_forces(replace(war.forces[name], **change))


def _without_players(war: War, *names: str) -> War:
    return replace(war, players={name: item for name, item in war.players.items() if name not in names})


def _without_faction(war: War, name: str) -> War:
    return replace(war, factions={key: side for key, side in war.factions.items() if key != name})


BROKEN: tuple[tuple[Callable[[], War], Callable[[War], War], str], ...] = (
    (meet_fleet, lambda war: war.without_forces([SQUADRON]), f"{SQUADRON} would fight on 1,-2 without being there"),
    (meet_fleet, lambda war: replace(war, battles={}), "11th Squadron and 2nd Fleet would both be on 1,-2"),
    (meet_fleet, lambda war: _with_force(war, SQUADRON, units=()), "u12 would fight on 1,-2 without being there"),
    (start_war, lambda war: _with_force(war, FLEET, at=war.forces[SQUADRON].at), "would both be on"),
    (start_war, lambda war: _with_force(war, FLEET, at=Hex(9, 9)), "1st Fleet would be on 9,9, off the map"),
    (start_war, lambda war: _with_force(war, FLEET, units=war.forces[SQUADRON].units), "unit u12 would exist twice"),
    (start_war, lambda war: _without_players(war, "Ann"), "Ann, commander of 1st Fleet, wouldn't be in the war"),
    (start_war, lambda war: _without_players(war, "Ann"), "Ann, with a post of Earth Federation"),
    (start_war, lambda war: war.with_side("Z", colour=war.factions["E"].colour), "two factions would be coloured"),
    (start_war, lambda war: war.with_side("Z", name="earth federation"), "two factions would be called"),
    (win_colony, lambda war: _without_faction(war, "R1"), "the faction of 11th Squadron would be missing"),
)


@pytest.mark.parametrize(("begun", "broken", "fault"), BROKEN)
def test_what_does_not_fit_is_told(begun: Callable[[], War], broken: Callable[[War], War], fault: str) -> None:
    """Older misfits aren't reported."""
    war = begun()
    then = broken(war)
    assert any(fault in told for told in find_misfits(RULES, then, war))
    assert find_misfits(RULES, then, then) == []
