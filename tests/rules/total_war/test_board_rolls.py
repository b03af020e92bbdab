from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.books.total_war.board import Attack
from rules.books.total_war.catalog import Refused
from rules.books.total_war.combat import Die
from rules.books.total_war.storage import read
from rules.books.total_war.war import War
from rules.dice import DiceTerm, Roll, ScriptedDice
from rules.effects import SCENE
from rules.procedure import Part
from tests.rules.total_war import boards
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.test_battle_odds import Tree, add_up

RULES = boards.rules_with()
FLEETS = boards.battle_war(RULES, ("1st Fleet",), ("2nd Fleet",))
SUITS = boards.battle_war(RULES)
NEAR = boards.on_board(SUITS, u12="E5", u13="F6", u14="D6", u22="E6", u15="H6", u23="B12")
LANE = boards.on_board(FLEETS, u9="A6", u10="C6", u19="E6", u20="F7", u21="G7")
"""Federation: warship u9, fighter u10. Zeon: warship u19, fighter u20, supply ship u21."""
CLASH = boards.on_board(SUITS, u12="E5", u22="F6")


def _set_attacks(war: War, **attacks: Attack) -> War:
    battle = war.battles[boards.AT]
    fight = battle.fight
    for name, attack in attacks.items():
        fight = fight.with_units((name,), attack=attack)
    return replace(war, battles={**war.battles, boards.AT: replace(battle, fight=fight)})


class _Branches:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def roll(self, term: DiceTerm) -> Roll:
        return Roll(term, (self._tree(Die("damage", term.sides)),), "tree")


def _make_act(war: War, unit: str, target: str | None = None, **inputs: object) -> Part:
    subjects = {"unit": unit} | ({"target": target} if target else {})
    return boards.make_part(boards.store_war(RULES, war), subjects, **{"by": boards.FEDERATION, **inputs})


ACTS = {
    "shot": ("shoot", _make_act(NEAR, "u12", "u22")),
    "combined": ("shoot", _make_act(NEAR, "u12", "u22", others=["u13"])),
    "accuracy": ("shoot", _make_act(boards.on_board(NEAR, u15="G6", u13="A1"), "u15", "u22")),
    "both, aimed": ("shoot", _make_act(_set_attacks(boards.on_board(NEAR, u15="F5"), u15=Attack(1, 3, 60), u13=Attack(1, 4)), "u15", "u22", others=["u13"])),
    "melee": ("melee", _make_act(CLASH, "u12", "u22", call="tails")),
    "broadside": ("broadside", _make_act(boards.on_board(LANE, u20="F6", u21="D6"), "u9", toward="E")),
}  # fmt: skip


@pytest.mark.no_cover
@pytest.mark.parametrize("name", [*ACTS])
def test_the_odds_of_an_act_are_those_of_all_faces(name: str) -> None:
    """D3 to D6, L1 to L3, W1 to W7: odds match all faces."""
    family, part = ACTS[name]
    told = {item.conclusion.outcome: item.chance for item in boards.find_odds(family, part)}
    ways = Tree().ways(lambda tree: boards.roll_part(family, part, _Branches(tree))[0].conclusion.outcome)  # type: ignore[union-attr]
    assert sum(told.values()) == 1
    assert told == {outcome: chance for outcome, chance in add_up(ways).items() if chance}


def test_each_die_of_a_shot_is_a_step_with_its_line() -> None:
    """D2, D4: dice are explained, and stop after a hit."""
    war = boards.on_board(NEAR, u15="G6", u13="A1", u12="E5")
    result, _, after = boards.roll_part("shoot", _make_act(war, "u15", "u22"), ScriptedDice([(100, 60), (6, 5)]))
    steps = boards.list_dice(result)
    assert steps == [("Try 1 of 1x 1d6", "60 hits (accuracy 60%), 5 against defense 4: destroyed", 182)]
    assert "u22" not in boards.find_fight(after).units
    missed, _, after = boards.roll_part("shoot", _make_act(war, "u15", "u22"), ScriptedDice([(100, 61)]))
    assert [item[1] for item in boards.list_dice(missed)] == ["61 misses (accuracy 60%)"]
    assert boards.find_fight(after).units["u15"].attacked


def test_two_that_touch_their_target_attack_as_one() -> None:
    """D5, D6: combined units roll one larger die."""
    result, _, after = boards.roll_part("shoot", ACTS["combined"][1], ScriptedDice([(12, 4), (12, 5)]))
    assert [item[1] for item in boards.list_dice(result)] == [
        "Amuro Ray (u12 gm) and u13 gm: 2x 1d12",
        "4 against defense 4: survives",
        "5 against defense 4: destroyed",
    ]
    fight = boards.find_fight(after)
    assert fight.kills == {"u12": 1}
    assert all(fight.units[name].attacked for name in ("u12", "u13"))


@pytest.mark.parametrize(
    ("dice", "outcome", "gone"),
    [([(2, 2)], "destroyed", {"u22"}), ([(2, 1), (6, 1)], "countered", {"u12"}), ([(2, 1), (6, 2)], "nobody", set())],
)
def test_a_melee_attack_has_three_ends(dice: list[tuple[int, int]], outcome: str, gone: set[str]) -> None:
    """L2, L3: hit, counterattack, or nothing."""
    result, _, after = boards.roll_part("melee", ACTS["melee"][1], ScriptedDice(dice))
    assert result.conclusion is not None
    assert result.conclusion.outcome == outcome
    assert {*boards.find_fight(CLASH).units} - {*boards.find_fight(after).units} == gone


def test_a_broadside_tells_each_unit_in_its_lane_before_and_after() -> None:
    """W1 to W5: friend and foe with chances."""
    family, part = ACTS["broadside"]
    told = boards.find_lines(family, part)
    assert "half of turn" in told[0]
    assert told[2:] == (
        "Fires toward E",
        "u10 saberfish on C6 (own side): 100%",
        "u21 columbus on D6: 100%",
        "u19 musai on E6: 50%",
        "u20 gattle on F6: 100%",
    )
    result, _, after = boards.roll_part(family, part, ScriptedDice([(100, 51)]))
    assert [item[:2] for item in boards.list_dice(result)] == [
        ("u10 saberfish on C6", "destroyed (no die)"),
        ("u21 columbus on D6", "destroyed (no die)"),
        ("u19 musai on E6", "50%: survives"),
        ("u20 gattle on F6", "destroyed (no die)"),
    ]
    assert [line for _, _, line in boards.list_dice(result)] == [202, 202, 204, 202]
    assert boards.find_fight(after).kills == {"u9": 2}
    assert sum(item.chance for item in boards.find_odds(family, part) if item.conclusion.outcome != "0") == 1


def test_a_shot_cites_the_row_by_which_it_reads_a_unit() -> None:
    """AMB-57: aces in suits have their own rows."""
    lane = boards.on_board(LANE, u20="F6", u21="D6")
    battle = lane.battles[boards.AT]
    fight = (
        battle.fight.with_units(("u10", "u19"), ace=3).with_units(("u20", "u21"), kind="ms").with_units(("u21",), ace=3)
    )
    war = replace(lane, battles={boards.AT: replace(battle, fight=fight)})
    result, _, _ = boards.roll_part("broadside", _make_act(war, "u9", toward="E"), ScriptedDice([(100, 100)] * 3))
    cited = {title.split()[0]: line for title, _, line in boards.list_dice(result)}
    assert cited == {"u10": 202, "u21": 214, "u19": 204, "u20": 206}


@pytest.mark.parametrize("first", ["move", "attack"])
def test_a_unit_moves_and_attacks_in_either_order(first: str) -> None:
    """N5, AMB-69: the attack counts from where the unit is then."""
    at = {"move": "E2", "attack": "E5"}[first]
    war = boards.on_board(NEAR, u12=at, u13="A1", u14="B1")
    to = {"move": "E4", "attack": "E3"}[first]
    part = _make_act(war, "u12", "u22", to=to, first=first)
    result, _, after = boards.roll_part("shoot", part, ScriptedDice([(6, 6)]))
    assert boards.find_text(result).splitlines() == [
        "Char Aznable (u22 zaku) is destroyed.",
        f"Amuro Ray (u12 gm) moves to {to} (2 steps).",
    ]
    unit = boards.find_fight(after).units["u12"]
    assert (str(unit.at), unit.moved, unit.attacked) == (to, True, True)


def test_whoever_falls_to_a_counterattack_does_not_move_any_more() -> None:
    """L3, AMB-69: its move is left out."""
    part = _make_act(CLASH, "u12", "u22", call="tails", to="E3", first="attack")
    result, _, after = boards.roll_part("melee", part, ScriptedDice([(2, 1), (6, 1)]))
    assert boards.find_text(result).endswith("Amuro Ray (u12 gm) doesn't move to E3 any more.")
    assert "u12" not in boards.find_fight(after).units


REFUSED = {
    "E_OUT_OF_RANGE": ("shoot", _make_act(SUITS, "u12", "u22")),
    "E_NOT_YOURS": ("shoot", _make_act(NEAR, "u22", "u12")),
    "E_NOT_MELEE_TILE": ("melee", _make_act(NEAR, "u12", "u22", call="heads")),
    "E_NO_CALL": ("melee", _make_act(CLASH, "u12", "u22")),
    "E_NOT_WARSHIP": ("broadside", _make_act(NEAR, "u12", toward="N")),
    "E_BAD_DIRECTION": ("broadside", _make_act(LANE, "u9", toward="up")),
    "E_TOO_FAR": ("shoot", _make_act(NEAR, "u12", "u22", to="E1", first="attack")),
    "E_OCCUPIED": ("melee", _make_act(CLASH, "u12", "u22", call="heads", to="F6", first="attack")),
    "E_OFF_BOARD": ("maneuver", _make_act(NEAR, "u12", to="M1")),
    "E_NO_MOVE": ("maneuver", _make_act(NEAR, "u12")),
    "E_NO_TARGET": ("shoot", _make_act(NEAR, "u12", "u99")),
    "E_OWN_UNIT": ("shoot", _make_act(NEAR, "u12", "u13")),
    "E_COMBINE_LIMIT": ("shoot", _make_act(NEAR, "u12", "u22", others=["u13", "u14"])),
    "E_NOT_CLOSE": ("shoot", _make_act(NEAR, "u12", "u22", others=["u15"])),
}


@pytest.mark.parametrize("code", [*REFUSED])
def test_a_refusal_tells_its_code_and_throws_nothing(code: str) -> None:
    """§5: roll and preview refuse before any die."""
    family, part = REFUSED[code]
    with pytest.raises(Refused, check=boards.by_code(code)):
        boards.roll_part(family, part)
    with pytest.raises(Refused, check=boards.by_code(code)):
        boards.find_odds(family, part)


def test_the_other_side_and_strangers_do_not_act_and_a_game_master_does() -> None:
    """X1, N5: only the active side acts."""
    kept = boards.store_war(RULES, NEAR)
    for by in (boards.ZEON, "Nobody"):
        with pytest.raises(Refused, check=boards.by_code("E_NOT_YOURS")):
            boards.roll_part("maneuver", boards.make_part(kept, {"unit": "u12"}, by=by, to="E4"))
    _, _, after = boards.roll_part("maneuver", boards.make_part(kept, {"unit": "Amuro Ray (u12 gm)"}, to="E4"))
    assert str(boards.find_fight(after).units["u12"].at) == "E4"


@pytest.mark.parametrize("typed", ["u12", "U12", "u12 gm Amuro Ray", "Amuro Ray (u12 gm)", "amuro ray", "gm Amuro Ray"])
def test_a_unit_is_meant_by_id_label_or_pilot(typed: str) -> None:
    """Doubtful names ask for an id."""
    _, _, after = boards.roll_part("maneuver", _make_act(NEAR, typed, to="E4"))
    assert boards.find_fight(after).units["u12"].moved
    with pytest.raises(Refused, match="could be Amuro Ray \\(u12 gm\\), u13 gm"):
        boards.roll_part("maneuver", _make_act(NEAR, "gm", to="E4"))


def test_the_last_kill_closes_the_battle_when_nothing_is_left_to_retreat() -> None:
    """X4, C3, P1: the winner takes the panel at once."""
    squadron = NEAR.force("21st Squadron")
    alone = NEAR.with_forces(replace(squadron, units=squadron.units[:2]))
    war = boards.on_board(alone, u23=None, u24=None)
    result, _, after = boards.roll_part("shoot", _make_act(war, "u12", "u22"), ScriptedDice([(6, 6)]))
    assert "Earth Federation won the battle on 0,0 in turn 1." in boards.find_text(result)
    assert not after.battles
    assert after.panels[boards.AT].owner == "E"
    assert (after.force("11th Squadron").won, "21st Squadron" in after.forces) == (1, False)


TILES = st.sampled_from([f"{column}{row}" for column in "CDEFGH" for row in range(3, 9)])
UNITS = st.sampled_from(["u12", "u13", "u14", "u15", "u22", "u23", "u24", "u99"])


@st.composite
def acts(draw: st.DrawFn) -> tuple[str, Part]:
    """Any act of any unit."""
    places = draw(st.lists(TILES, min_size=7, max_size=7, unique=True))
    war = boards.on_board(SUITS, **dict(zip(sorted(boards.find_fight(SUITS).units), places, strict=True)))
    inputs = {
        "to": draw(st.none() | TILES),
        "first": draw(st.sampled_from(["move", "attack"])),
        "others": draw(st.lists(UNITS, max_size=2)),
        "call": draw(st.sampled_from([None, "heads", "tails"])),
        "by": draw(st.sampled_from([None, boards.FEDERATION, boards.ZEON])),
    }
    given_ = {name: value for name, value in inputs.items() if value}
    subjects = {"unit": draw(UNITS), "target": draw(UNITS)}
    family = draw(st.sampled_from(["shoot", "melee", "broadside", "maneuver"]))
    return family, boards.make_part(boards.store_war(RULES, war), subjects, **given_, toward="E")


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=150)
@given(act=acts(), seed=st.integers(0, 999))
def test_an_act_is_refused_without_a_die_or_comes_to_one_of_its_ends(act: tuple[str, Part], seed: int) -> None:
    """§5, AMB-69: check, preview and roll agree."""
    family, part = act
    code = _refusal_of(family, part)
    if code is not None:
        for again in (boards.roll_part, boards.find_odds, boards.find_lines):
            with pytest.raises(Refused, check=boards.by_code(code)):
                again(family, part)
        return
    ends = {item.conclusion.outcome: item.chance for item in boards.find_odds(family, part)}
    result, _, after = boards.roll_part(family, part, boards.Seeded(seed))
    assert sum(ends.values()) == 1
    assert result.conclusion is not None
    assert ends[result.conclusion.outcome] > 0
    assert after != read(BOOK, part.kept[SCENE])[1]


def _refusal_of(family: str, part: Part) -> str | None:
    try:
        BOOK.procedure(family).method.check(part, BOOK)
    except Refused as error:
        return error.code
    return None
