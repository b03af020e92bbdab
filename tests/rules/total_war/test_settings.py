from __future__ import annotations

from typing import Union

import msgspec
import pytest
from msgspec.structs import replace

from rules.books.total_war.actions import list_details, list_targets
from rules.books.total_war.aftermath import FightAction
from rules.books.total_war.catalog import Refused
from rules.books.total_war.fight import Withdraw
from rules.books.total_war.orders.command import Promote, Rogue
from rules.books.total_war.orders.movement import MoveForce
from rules.books.total_war.orders.production import Build, Buy
from rules.books.total_war.rulings.units import AddUnits, RemoveUnit, SetSource, SetUnit, Strike
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
from rules.books.total_war.war import Ruling, supply
from rules.geometry import Hex
from tests.answers.random_play import OrderAction
from tests.rules.total_war import wars
from tests.rules.total_war.test_whole_games import sound
from tests.rules.total_war.wars import RULES, after, find_code, start_war

HERE, CAPITOL = Hex(0, 0), Hex(3, -3)
EVERY = Union[OrderAction, *Ruling.__subclasses__()]  # type: ignore[valid-type] # told apart by their tags


def test_a_panel_gets_another_owner_as_it_stands() -> None:
    """S2, Q5: facilities stay, others' works end."""
    war = after(start_war(), SetOwner(at=wars.MINE, faction="Z"))
    assert (war.panels[wars.MINE].owner, war.panels[wars.MINE].facility) == ("Z", "mining_station")
    assert after(war, SetOwner(at=wars.MINE, faction="N")).panels[wars.MINE].owner == "N"
    special = start_war().with_panel(Hex(0, -3), owner="E").with_side("E", gold=400)
    begun = after(special, Build(actor="Ann", faction="E", item="superweapon", at=Hex(0, -3)))
    assert after(begun, SetOwner(at=Hex(0, -3), faction="Z")).works == ()
    assert "R1" not in after(wars.win_colony(), SetOwner(at=wars.COLONY, faction="E")).factions


def test_gold_ranks_and_posts_are_set() -> None:
    """E6, K3, K4, AMB-30: leaders come from the faction."""
    war = after(wars.go_rogue(), SetGold(faction="E", gold=7), SetRank(player="Bob", rank="Admiral"))
    assert (war.factions["E"].gold, war.players["Bob"].rank) == (7, "Admiral")
    war = after(start_war(), Rogue(actor="Ann", player="Ann"))
    war = after(war, SetPost(faction="E", post="leader", player="Bob"))
    assert war.factions["E"].leader == "Bob"
    assert after(war, Promote(actor="Bob", player="Bob", rank="Captain")).players["Bob"].rank == "Captain"
    assert after(war, SetPost(faction="E", post="leader")).factions["E"].leader is None
    fleet = war.with_forces(replace(war.forces["1st Fleet"], commander="Bob"))
    assert after(fleet, SetPost(faction="E", post="delegate", player="Bob")).factions["E"].delegate == "Bob"


def test_units_come_and_go() -> None:
    """B8, K1: a force ends with its last unit."""
    war = after(start_war(), AddUnits(to="11th Squadron", model="gm", number=9))
    assert len(war.forces["11th Squadron"].units) == 13
    war = after(war, AddUnits(to=wars.COLONY, model="guncannon"))
    assert [unit.model for unit in war.panels[wars.COLONY].garrison] == ["gm", "guncannon"]
    (guard, _) = war.panels[wars.COLONY].garrison
    assert len(after(war, RemoveUnit(unit=guard.id)).panels[wars.COLONY].garrison) == 1
    for unit in war.forces["12th Squadron"].units:
        war = after(war, RemoveUnit(unit=unit.id))
    assert "12th Squadron" not in war.forces


def test_kills_and_pilots_are_set() -> None:
    """P6, L4: a pilot has one unit."""
    war = start_war()
    amuro, other, *_ = war.forces["11th Squadron"].units
    assert amuro.pilot == "Amuro Ray"
    assert find_code(war, SetUnit(unit=other.id, pilot="Amuro Ray")) == "E_NAME_IN_USE"
    war = after(war, SetUnit(unit=amuro.id, pilot=""), SetUnit(unit=other.id, pilot="Amuro Ray", kills=12))
    first, second, *_ = war.forces["11th Squadron"].units
    assert (first.pilot, second.pilot, second.kills) == (None, "Amuro Ray", 12)
    assert after(war, SetUnit(unit=other.id, kills=3)).forces["11th Squadron"].units[1].pilot == "Amuro Ray"


def test_forces_come_move_and_go() -> None:
    """S4, AMB-06: placing takes nothing."""
    new = AddForce(name=" 3rd  Fleet ", piece="fleet", faction="E", at=HERE, units=("magellan",), commander="Bob")
    war = after(start_war(), new)
    assert (war.forces["3rd Fleet"].commander, war.panels[HERE].owner) == ("Bob", "N")
    war = after(war, PlaceForce(who="3rd Fleet", at=Hex(1, 0)))
    assert (war.forces["3rd Fleet"].at, war.forces["3rd Fleet"].moved, war.panels[Hex(1, 0)].owner) == (
        Hex(1, 0),
        False,
        "N",
    )
    assert "3rd Fleet" not in after(war, RemoveForce(who="3rd Fleet")).forces
    weapon = AddForce(name="Ray", piece="superweapon", faction="Z", at=HERE)
    assert after(start_war(), weapon).forces["Ray"].units == ()
    assert after(wars.go_rogue(), replace(new, faction="Bob")).forces["3rd Fleet"].faction == "Bob"


def test_a_price_is_set_where_the_scenario_has_none() -> None:
    """B10, B11, AMB-26: units and items have separate prices."""
    by = wars.rules(
        lambda data: [
            item.pop("cost") for item in (*data["units"], *data["items"]) if item["id"] in {"gm", "guncannon"}
        ]
    )
    war = start_war(by)
    buy = Buy(actor="Ann", faction="E", model="gm", at=CAPITOL)
    assert find_code(war, buy, by) == "E_NO_FUNDS"
    assert by.apply_settings(war) is by
    priced = after(war, SetPrice(of="unit", name="gm", cost=30), by=by)
    assert after(priced, buy, by=by).factions["E"].gold == 70
    assert "gm (30 gold)" in list_details(by, priced, "buy", "E", str(CAPITOL))
    assert list_targets(by, priced, "research", "E") == []
    item = after(priced, SetPrice(of="item", name="guncannon", cost=1), by=by)
    assert "guncannon (1 gold)" in list_targets(by, item, "research", "E")
    assert by.apply_settings(item).scenario.units["guncannon"].cost is None
    assert wars.reread(item) == item


def test_a_switch_is_set_otherwise() -> None:
    """AMB-53, AMB-06: stacks prevent `stacking`."""
    war = after(start_war(), SetSwitch(name="stacking", value=0))
    war = after(war, PlaceForce(who="11th Squadron", at=war.forces["1st Fleet"].at))
    assert RULES.apply_settings(war).terms.setting("stacking", int) == 0
    assert find_code(war, SetSwitch(name="stacking", value=1)) == "E_OCCUPIED"
    war = after(start_war(), SetSwitch(name="ace-kills", value=(1, 2, 3, 4, 5)))
    assert RULES.apply_settings(war).terms.ace_kills == (1, 2, 3, 4, 5)
    assert wars.reread(war) == war


def test_a_game_master_names_a_new_source_of_supply() -> None:
    """U1, U4, AMB-22: while the faction owns it."""
    war = start_war().with_panel(CAPITOL, owner="Z", garrison=())
    assert supply(RULES, war, "E") == set()
    fed = after(war, SetSource(faction="E", at=wars.MINE))
    assert len(supply(RULES, fed, "E")) == 7
    assert supply(RULES, after(fed, SetOwner(at=wars.MINE, faction="Z")), "E") == set()
    assert supply(RULES, after(fed, SetSource(faction="E")), "E") == set()
    assert find_code(war, SetSource(faction="E", at=CAPITOL)) == "E_NOT_OWNER"


@pytest.mark.shows("AMB-79")
def test_a_strike_destroys_units_and_panels() -> None:
    """AMB-79, B3: with everything on them."""
    war = start_war()
    hit = war.forces["2nd Fleet"].units[0].id
    war = after(war, Strike(units=(hit,), panels=(wars.MINE, CAPITOL)))
    assert hit not in {unit.id for unit in war.forces["2nd Fleet"].units}
    assert {wars.MINE, CAPITOL}.isdisjoint(war.panels)
    assert "1st Fleet" not in war.forces
    assert (war.factions["E"].seat, supply(RULES, war, "E")) == (None, set())
    sound(war)
    assert find_code(war, MoveForce(who="11th Squadron", path=("SE",))) == "E_OFF_MAP"
    assert after(war, Promote(actor="Ann", player="Bob", rank="Captain")).players["Bob"].rank == "Captain"
    assert "R1" not in after(wars.win_colony(), Strike(panels=(wars.COLONY,))).factions


@pytest.mark.parametrize(
    ("action", "refusal"),
    [
        (SetOwner(at=Hex(9, 9), faction="E"), "E_OFF_MAP"),
        (SetOwner(at=HERE, faction="Y"), "E_NO_TARGET"),
        (SetOwner(at=wars.MINE, faction="E"), "E_NOT_OWNER"),
        (SetGold(faction="E", gold=-1), "E_NO_FUNDS"),
        (SetGold(faction="E", gold=10**7), "E_NO_FUNDS"),
        (SetGold(faction="Y", gold=1), "E_NO_TARGET"),
        (AddUnits(to="11th Squadron", model="rx", number=1), "E_NO_TARGET"),
        (AddUnits(to="11th Squadron", model="gm", number=0), "E_NO_TARGET"),
        (AddUnits(to="11th Squadron", model="gm", number=51), "E_NO_TARGET"),
        (AddUnits(to="9th Squadron", model="gm"), "E_NO_TARGET"),
        (AddUnits(to="Solar System", model="gm"), "E_SQUADRON_FULL"),
        (AddUnits(to=Hex(9, 9), model="gm"), "E_OFF_MAP"),
        (RemoveUnit(unit="u999"), "E_NO_TARGET"),
        (SetUnit(unit="u10", kills=-1), "E_BAD_STAT"),
        (SetUnit(unit="u10", pilot="Amuro"), "E_NO_TARGET"),
        (AddForce(name="1ST fleet", piece="fleet", faction="E", at=HERE, units=("gm",)), "E_NAME_IN_USE"),
        (AddForce(name="\u200b", piece="fleet", faction="E", at=HERE, units=("gm",)), "E_NAME_IN_USE"),
        (AddForce(name="X", piece="facility", faction="E", at=HERE), "E_NO_TARGET"),
        (AddForce(name="X", piece="fleet", faction="Y", at=HERE, units=("gm",)), "E_NO_TARGET"),
        (AddForce(name="X", piece="fleet", faction="E", at=HERE), "E_SQUADRON_FULL"),
        (AddForce(name="X", piece="superweapon", faction="E", at=HERE, units=("gm",)), "E_SQUADRON_FULL"),
        (AddForce(name="X", piece="fleet", faction="E", at=HERE, units=("rx",)), "E_NO_TARGET"),
        (
            AddForce(name="X", piece="fleet", faction="E", at=HERE, units=("gm",), commander="Cid"),
            "E_NOT_ALLIED",
        ),
        (AddForce(name="X", piece="fleet", faction="E", at=wars.MINE, units=("gm",)), "E_OCCUPIED"),
        (AddForce(name="X", piece="fleet", faction="E", at=Hex(-3, 3), units=("gm",)), "E_OCCUPIED"),
        (PlaceForce(who="1st Fleet", at=Hex(1, -2)), "E_OCCUPIED"),
        (PlaceForce(who="1st Fleet", at=wars.MINE), "E_NO_MOVE"),
        (PlaceForce(who="1st Fleet", at=Hex(9, 9)), "E_OFF_MAP"),
        (RemoveForce(who="9th Fleet"), "E_NO_TARGET"),
        (SetRank(player="Bob", rank="King"), "E_RANK"),
        (SetRank(player="Eve", rank="Captain"), "E_NO_TARGET"),
        (SetPost(faction="E", post="leader", player="Cid"), "E_NOT_ALLIED"),
        (SetPost(faction="E", post="delegate", player="Bob"), "E_RANK"),
        (SetPrice(of="unit", name="rx", cost=1), "E_NO_TARGET"),
        (SetPrice(of="item", name="gm", cost=1), "E_NO_TARGET"),
        (SetPrice(of="unit", name="gm", cost=-1), "E_NO_FUNDS"),
        (SetSwitch(name="speed", value=1), "E_SCENARIO"),
        (SetSwitch(name="cooldown", value=9), "E_SCENARIO"),
        (SetSource(faction="Y"), "E_NO_TARGET"),
        (Strike(), "E_NO_TARGET"),
        (Strike(units=("u999",)), "E_NO_TARGET"),
        (Strike(panels=(Hex(9, 9),)), "E_OFF_MAP"),
    ],
)
def test_what_cannot_be_set_is_refused(action: Ruling, refusal: str) -> None:
    """S1, E6, K1, B13: players set nothing."""
    assert find_code(start_war(), action) == refusal
    assert find_code(start_war(), replace(action, actor="Ann")) == "E_NOT_COMMANDER"
    assert msgspec.convert(msgspec.to_builtins(action), EVERY) == action


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (
            SetGold(faction="E", gold=-1),
            "Earth Federation can't have -1 gold: write a number from 0 to 1,000,000.",
        ),
        (SetUnit(unit="u10", kills=-3), "u10 can't have -3 kills: write a number from 0 to 1,000,000."),
        (SetPrice(of="unit", name="gm", cost=-1), "gm can't cost -1 gold: write a number from 0 to 1,000,000."),
        (SetPrice(of="unit", name="zakuu", cost=1), "zakuu isn't a unit, did you mean zaku?"),
        (AddUnits(to="11th Squadron", model="zakuu"), "zakuu isn't a model, did you mean zaku?"),
        (SetUnit(unit="u10", pilot="Amuro Rai"), "Amuro Rai isn't a pilot, did you mean Amuro Ray?"),
        (SetSwitch(name="cooldwn", value=1), "'cooldwn' isn't a switch, did you mean cooldown?"),
    ],
)
def test_a_refusal_says_in_one_sentence_what_would_be_right(action: Ruling, words: str) -> None:
    """A question ends without a full stop."""
    with pytest.raises(Refused) as refused:
        after(start_war(), action)
    assert str(refused.value) == words


def test_nothing_is_set_where_a_battle_is_fought() -> None:
    """C2: settings wait for its end."""
    war, at = wars.meet_fleet(), Hex(1, -2)
    fighter = war.forces["11th Squadron"].units[0].id
    for action in (
        SetOwner(at=at, faction="Z"),
        AddUnits(to="11th Squadron", model="gm"),
        AddUnits(to=at, model="gm"),
        RemoveUnit(unit=fighter),
        SetUnit(unit=fighter, kills=1),
        PlaceForce(who="11th Squadron", at=HERE),
        PlaceForce(who="12th Squadron", at=at),
        RemoveForce(who="11th Squadron"),
        Strike(units=(fighter,)),
        Strike(panels=(at,)),
    ):
        assert find_code(war, action) == "E_BATTLE_PENDING"
    guard = next(iter(wars.attack_colony().battles[wars.COLONY].garrison))
    assert find_code(wars.attack_colony(), RemoveUnit(unit=guard)) == "E_BATTLE_PENDING"


def test_a_panel_that_a_beaten_force_goes_to_is_not_struck() -> None:
    """AMB-10, AMB-79: its retreat comes first."""
    war = after(wars.meet_fleet(), FightAction(at=Hex(1, -2), order=Withdraw("Z")))
    battle = war.battles[Hex(1, -2)]
    war = replace(war, battles={Hex(1, -2): replace(battle, retreats={"2nd Fleet": Hex(1, -1)})})
    assert find_code(war, Strike(panels=(Hex(1, -1),))) == "E_BATTLE_PENDING"


def test_the_last_panel_stays() -> None:
    """S1: a war has a map."""
    war = start_war()
    alone = replace(war, panels={HERE: war.panels[HERE]}, forces={})
    assert find_code(alone, Strike(panels=(HERE,))) == "E_OFF_MAP"


def test_refusals_name_what_would_be_possible() -> None:
    """E_NO_TARGET: with known names."""
    for action, words in (
        (SetPrice(of="unit", name="guncanon", cost=1), "did you mean guncannon"),
        (SetSwitch(name="cooldown", value=9), "from 1 to 3"),
        (SetOwner(at=HERE, faction="Y"), "Earth Federation, Zeon, neutral"),
        (SetRank(player="Bob", rank="King"), "Ensign, Captain, Admiral"),
    ):
        with pytest.raises(Refused, match=words):
            after(start_war(), action)
