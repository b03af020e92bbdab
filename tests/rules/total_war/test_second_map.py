from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war.catalog import Refused
from rules.books.total_war.course import Advance, add_player, begin_second_map, require_second
from rules.books.total_war.orders.command import Allot, AnswerCapitol, Assign, Delegate, Petition, Promote, Rogue
from rules.books.total_war.orders.production import Build, Buy, Research
from rules.books.total_war.rulings.values import SetPost
from rules.books.total_war.storage import begin_war
from rules.books.total_war.war import War
from rules.geometry import Hex
from tests.rules.total_war.test_whole_games import sound
from tests.rules.total_war.wars import RULES, after, go_rogue, rules, start_war, win_colony


def _on_earth(data: dict[str, Any]) -> None:
    data["scenario"]["id"] = "earth"
    data["factions"][0]["gold"] = 500
    data["forces"][1]["commander"] = 42


FIRST, EARTH = rules(lambda data: data["scenario"].update(second="earth")), rules(_on_earth)


def _answer_all(answer: str = "on") -> War:
    war = replace(start_war(), asked="E", turn=9).with_player("Bob", rank="Captain", owner="42")
    war = war.with_side("E", models=frozenset({"guncannon", "nowhere"}), gold=3)
    zeon = AnswerCapitol(actor="Cid", faction="Z", answer="end" if answer == "end" else "on")
    return after(war, AnswerCapitol(faction="E", answer="end"), zeon, by=FIRST)


def test_a_war_that_goes_on_has_a_wholly_new_map() -> None:
    """V2, V3: people stay, map and gold are new."""
    war = _answer_all()
    require_second(FIRST, war, "earth")
    earth = begin_second_map(EARTH, war)
    assert earth.players == war.players
    assert (earth.factions["E"].leader, earth.factions["E"].gold, earth.factions["E"].models) == (
        "Ann",
        500,
        frozenset({"guncannon"}),
    )
    assert (earth.turn, earth.answers, earth.asked, earth.winner) == (9, {}, None, None)
    assert earth.panels == begin_war(EARTH).panels
    assert {item.name: item.commander for item in earth.forces.values() if item.faction == "E"} == {
        "1st Fleet": "Ann", "11th Squadron": "Bob", "12th Squadron": "Ann", "Solar System": "Ann",
    }  # fmt: skip
    sound(earth)
    assert after(earth, Advance(), by=EARTH).turn == 10


def test_rogues_are_alone_on_the_new_map() -> None:
    """V3, R9: they lose faction and forces."""
    earth = begin_second_map(EARTH, win_colony())
    assert (earth.players["Bob"].faction, earth.players["Bob"].former) == (None, "E")
    assert "R1" not in earth.factions
    assert "Bob" not in {item.faction for item in earth.forces.values()}
    asked = after(earth, Petition(actor="Bob", player="Bob", faction="Z"), by=EARTH)
    assert asked.players["Bob"].petition == "Z"
    alone = begin_second_map(EARTH, go_rogue())
    assert (alone.players["Bob"].faction, alone.players["Bob"].former) == (None, "E")
    war = start_war()
    war = replace(war, factions={**war.factions, "Y": replace(war.factions["Z"], name="Axis", leader="Cid")})
    war = war.with_player("Cid", faction="Y").with_side("Z", leader=None)
    earth = begin_second_map(EARTH, war)
    assert (earth.players["Cid"].faction, earth.factions["Z"].leader) == (None, None)


@pytest.mark.parametrize(
    ("war", "by", "scenario", "refusal", "words"),
    [
        (start_war(), FIRST, "earth", "E_NO_TARGET", "A capitol has to fall"),
        (replace(start_war(), asked="E"), FIRST, "earth", "E_NO_TARGET", "A capitol has to fall"),
        (_answer_all("end"), FIRST, "earth", "E_NO_TARGET", "A capitol has to fall"),
        (_answer_all(), RULES, "earth", "E_SCENARIO", "has no second scenario"),
        (_answer_all(), FIRST, "moon", "E_SCENARIO", "goes on with earth, not moon"),
    ],
)
def test_no_other_map_comes_before_it_is_due(war: War, by: Any, scenario: str, refusal: str, words: str) -> None:  # noqa: ANN401 - rules
    """V2, V3, AMB-38: both leaders have to answer."""
    with pytest.raises(Refused, match=words) as caught:
        require_second(by, war, scenario)
    assert caught.value.code == refusal


def test_a_refusal_says_who_leads_and_who_acts_where_nobody_does() -> None:
    """B1, K3, AMB-30: a game master appoints a leader."""
    for action in (
        Research(actor="Bob", faction="E", model="guncannon"),
        Buy(actor="Bob", faction="E", model="gm", at=Hex(3, -3)),
        Build(actor="Bob", faction="E", item="ms_facility_upgrade", at=Hex(2, -1)),
        Promote(actor="Bob", player="Bob", rank="Captain"),
        Assign(actor="Bob", who="1st Fleet", player="Bob"),
        Delegate(actor="Bob", faction="E", player="Bob"),
        Allot(actor="Bob", who="12th Squadron", model="gm"),
    ):
        with pytest.raises(Refused, match=r"Only the supreme commander .* \(Ann\)\."):
            after(start_war(), action)
        gone = after(start_war(), Rogue(actor="Ann", player="Ann"))
        gone = gone.with_forces(replace(gone.forces["1st Fleet"], name="12th Squadron"))
        with pytest.raises(Refused, match=r"Earth Federation has none\. A game master appoints one"):
            after(gone, action)
    appointed = after(gone, SetPost(faction="E", post="leader", player="Bob"))
    research = Research(actor="Bob", faction="E", model="guncannon")
    assert after(appointed, research).factions["E"].models == {"guncannon"}


def test_forces_of_a_scenario_go_to_who_plays_them() -> None:
    """S4, M7: by Discord id."""
    war = add_player(EARTH, begin_war(EARTH), "Ann", "E", "7")
    assert war.forces["11th Squadron"].commander == "42"
    war = add_player(EARTH, war, "Bob", "E", "42")
    assert (war.forces["11th Squadron"].commander, war.players["Bob"].owner) == ("Bob", "42")
    assert add_player(EARTH, begin_war(EARTH), "Cid", "Z", "42").forces["11th Squadron"].commander == "42"
