from __future__ import annotations

from contextlib import suppress
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.books.total_war.actions import fill_example, list_settings, read_setting
from rules.books.total_war.catalog import Refused
from rules.books.total_war.order_kinds import EXAMPLES
from rules.books.total_war.rulings.units import AddUnits, RemoveUnit, SetSource, SetUnit, Strike, read_rulings
from rules.books.total_war.rulings.values import (
    AddForce,
    PlaceForce,
    RemoveForce,
    SetGold,
    SetOwner,
    SetPost,
    SetPrice,
    SetRank,
    SetSwitch,
)
from rules.books.total_war.war import Ruling, War
from rules.geometry import Hex
from tests.rules.total_war.wars import COLONY, RULES, after, go_rogue, start_war

WAR = start_war()


@pytest.mark.parametrize(
    ("what", "text", "action"),
    [
        ("owner", "0,0 E", SetOwner(at=Hex(0, 0), faction="E")),
        ("owner", "0,0 = earth federation", SetOwner(at=Hex(0, 0), faction="E")),
        ("owner", "2,-2 nobody", SetOwner(at=Hex(2, -2), faction="N")),
        ("gold", "E 150", SetGold(faction="E", gold=150)),
        ("gold", "Earth Federation = 0", SetGold(faction="E", gold=0)),
        ("unit", "1st Fleet + 2 gm", AddUnits(to="1st Fleet", model="gm", number=2)),
        ("unit", "1,-3 + gm", AddUnits(to=COLONY, model="gm")),
        ("unit", "- U17", RemoveUnit(unit="u17")),
        ("unit", "remove u17", RemoveUnit(unit="u17")),
        ("unit", "u17 kills 4", SetUnit(unit="u17", kills=4)),
        ("unit", "u17 pilot amuro ray", SetUnit(unit="u17", pilot="Amuro Ray")),
        ("unit", "u17 pilot nobody", SetUnit(unit="u17", pilot="")),
        ("force", "+ 3rd Fleet; fleet; E; 0,0; magellan; 2 gm", AddForce(name="3rd Fleet", piece="fleet", faction="E", at=Hex(0, 0), units=("magellan", "gm", "gm"))),
        ("force", "+ Ray; Superweapon; Zeon; 0,0", AddForce(name="Ray", piece="superweapon", faction="Z", at=Hex(0, 0))),
        ("force", "1st fleet to 0,0", PlaceForce(who="1st Fleet", at=Hex(0, 0))),
        ("force", "1st Fleet 0,0", PlaceForce(who="1st Fleet", at=Hex(0, 0))),
        ("force", "- 1st Fleet", RemoveForce(who="1st Fleet")),
        ("rank", "Bob Captain", SetRank(player="Bob", rank="Captain")),
        ("post", "E leader Bob", SetPost(faction="E", post="leader", player="Bob")),
        ("post", "E delegate nobody", SetPost(faction="E", post="delegate")),
        ("price", "gm 25", SetPrice(of="unit", name="gm", cost=25)),
        ("price", "unit guncannon 25", SetPrice(of="unit", name="guncannon", cost=25)),
        ("price", "item guncannon = 25", SetPrice(of="item", name="guncannon", cost=25)),
        ("price", "mining_station 9", SetPrice(of="item", name="mining_station", cost=9)),
        ("switch", "cooldown 2", SetSwitch(name="cooldown", value=2)),
        ("switch", "flyers-over-water = yes", SetSwitch(name="flyers-over-water", value=True)),
        ("switch", "range king", SetSwitch(name="range", value="king")),
        ("switch", "ace-kills 1, 2, 3 4 5", SetSwitch(name="ace-kills", value=(1, 2, 3, 4, 5))),
    ],
)  # fmt: skip
def test_each_setting_is_read(what: str, text: str, action: Ruling) -> None:
    """S2, E6, B10, K3, K4, P6, AMB-30: in any case, with or without "="."""
    assert read_setting(RULES, WAR, what, text) == action


@pytest.mark.parametrize("what", EXAMPLES)
def test_what_cannot_be_read_is_refused_with_an_example(what: str) -> None:
    """E_NO_TARGET: every example is readable."""
    for text in ("", "?", "E", "1,1", "u1", "E leader", "gm many", "X; fleet"):
        with pytest.raises(Refused) as caught:
            read_setting(RULES, WAR, what, text)
        assert str(caught.value)
    *_, last = fill_example(RULES, _rename_bob(WAR), what, "").split(", or ")
    assert read_setting(RULES, _rename_bob(WAR), what, last).actor is None


@pytest.mark.parametrize("side", ["E", "Z"])
def test_the_example_of_a_unit_is_one_that_the_force_may_have(side: str) -> None:
    """S2: one of the faction's models."""
    war = replace(WAR, forces={name: item for name, item in WAR.forces.items() if item.faction == side})
    model = fill_example(RULES, war, "unit", "").partition(",")[0].rpartition(" ")[2]
    assert RULES.scenario.units[model].faction in {None, side}


@pytest.mark.parametrize(
    ("what", "text", "words"),
    [
        ("speed", "1", "owner, gold, unit"),
        ("price", "guncannon 5", "Write unit guncannon 5, or item guncannon 5"),
        ("gold", "E lots", "isn't a number from 0 to 1,000,000. Write Earth Federation 150"),
        ("gold", "E 99999999999999999999", "isn't a number from 0 to 1,000,000. Write Earth Federation 150"),
        ("rank", "Bob King", "Admiral"),
        ("owner", "9,9 E", "off the map"),
        ("owner", "2,-1", "Write 2,-1 Earth Federation, or 2,-1 neutral"),
        ("price", "x 5", "musai, mining_station, superweapon, ms_production_facility"),
        ("post", "E king Bob", "leader, delegate"),
        ("unit", "u1 pilot Amuro", "Amuro Ray"),
        ("force", "+ X; boat; E; 0,0", "Fleet, Squadron"),
    ],
)
def test_a_refusal_of_a_setting_says_what_would_be_right(what: str, text: str, words: str) -> None:
    """E_NO_TARGET: with names or format."""
    with pytest.raises(Refused, match=words):
        read_setting(RULES, WAR, what, text)


def test_a_lone_rogue_gets_a_force() -> None:
    """R1: lone rogues own forces."""
    action = read_setting(RULES, go_rogue(), "force", "+ Pirates; squadron; Bob; 0,0; gm")
    assert isinstance(action, AddForce)
    assert after(go_rogue(), action).forces["Pirates"].faction == "Bob"


def test_a_ruling_says_what_it_removes_and_from_where_a_faction_is_supplied() -> None:
    """AMB-22, AMB-79: only `remove:` and `source:` act."""
    text = "Solar System burns the pass.\nRemove: u3, U4 and 2,-1; the fleet is dazzled. source: Earth Federation 2,-2"
    assert read_rulings(WAR, text) == (
        Strike(units=("u3", "u4"), panels=(Hex(2, -1),)),
        SetSource(faction="E", at=Hex(2, -2)),
    )
    assert read_rulings(WAR, "source: E nobody") == (SetSource(faction="E"),)
    assert read_rulings(WAR, "Nothing comes of it, u3 and 2,-1 stand.") == ()
    for wrong in ("remove: all of them", "remove:", "source: Y 2,-2", "source: E", "remove: 9,9"):
        with pytest.raises(Refused):
            read_rulings(WAR, wrong)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([*EXAMPLES, "x"]), st.text(max_size=16) | st.sampled_from([*EXAMPLES.values()]))
def test_whatever_is_typed_is_a_setting_or_a_refusal(what: str, text: str) -> None:
    """E_NO_TARGET: random text never fails otherwise."""
    with suppress(Refused):
        assert read_setting(RULES, WAR, what, text).actor is None
    with suppress(Refused):
        read_rulings(WAR, f"remove: {text}; source: {text}")


@pytest.mark.parametrize("what", EXAMPLES)
def test_whatever_is_offered_is_of_this_war_and_changes_it(what: str) -> None:
    """Every offer can be picked and changes something."""
    war = after(_rename_bob(WAR), SetGold(faction="E", gold=30))
    found = [*islice(list_settings(RULES, war, what, ""), 200)]
    assert found
    for text in found:
        assert after(war, read_setting(RULES, war, what, text)) != war, text
        assert "Bob" not in text.split()
    assert {*list_settings(RULES, war, what, "nothing like it")} == set()


def _rename_bob(war: War) -> War:
    return replace(war, players={{"Bob": "Rob"}.get(name, name): item for name, item in war.players.items()})


@pytest.mark.parametrize(
    ("what", "typed", "first"),
    [
        ("owner", "0,0 zeon", ["0,0 zeon"]),
        ("gold", "feder 75", ["Earth Federation 75"]),
        ("gold", "E 75", ["E 75", "Earth Federation 75"]),
        ("unit", "u17 kills 3", ["u17 kills 3"]),
        ("unit", "11th 2 gm", ["11th Squadron + 2 gm"]),
        ("force", "1st fleet to 9,9", []),
        ("force", "+ 3rd Fleet; fleet; E; 0,0; magellan", ["+ 3rd Fleet; fleet; E; 0,0; magellan"]),
        ("rank", "bob capt", ["Bob Captain"]),
        ("post", "zeon leader", ["Zeon leader Dan", "Zeon leader none"]),
        ("price", "gm 25", ["gm 25"]),
        ("price", "guncannon 35", ["unit guncannon 35", "item guncannon 35"]),
        ("switch", "cooldown", ["cooldown 1", "cooldown 2"]),
        ("weather", "", []),
    ],
)
def test_what_is_typed_leads_to_what_fits_it(what: str, typed: str, first: list[str]) -> None:
    """Offers contain all typed words."""
    assert [*islice(list_settings(RULES, WAR, what, typed), 25)][:2] == first
