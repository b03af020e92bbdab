"""What units do on a board, as rolls: each with its dice, its exact odds and what it leaves in the war."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.books.total_war import storage
from rules.books.total_war.combat import Die
from rules.books.total_war.fight import Attack
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import War
from rules.dice import DiceTerm, Roll, ScriptedDice
from rules.effects import SCENE
from rules.procedure import Part
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.boards import (
    AT,
    FEDERATION,
    ZEON,
    battle_war,
    by_code,
    fight_of,
    kept_of,
    lines_of,
    odds_of,
    on_board,
    part_of,
    rolled,
    rules_with,
    text_of,
    thrown,
)
from tests.rules.total_war.test_battle_odds import Tree, added_up

RULES = rules_with()
FLEETS = battle_war(RULES, ("1st Fleet",), ("2nd Fleet",))
SUITS = battle_war(RULES)
NEAR = on_board(SUITS, u12="E5", u13="F6", u14="D6", u22="E6", u15="H6", u23="B12")
LANE = on_board(FLEETS, u9="A6", u10="C6", u19="E6", u20="F7", u21="G7")
"""u9 is a warship of the Federation, u10 its fighter; u19, u20 and u21 a warship, a fighter and a supply ship of Zeon."""
CLASH = on_board(SUITS, u12="E5", u22="F6")


def armed(war: War, **attacks: Attack) -> War:
    """The war with other attacks of units of its battle."""
    battle = war.battles[AT]
    fight = battle.fight
    for name, attack in attacks.items():
        fight = fight.changed((name,), attack=attack)
    return replace(war, battles={**war.battles, AT: replace(battle, fight=fight)})


class Branches:
    """Dice that go through every way in which they can fall."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def roll(self, term: DiceTerm) -> Roll:
        """Return the face of this way."""
        return Roll(term, (self._tree(Die("damage", term.sides)),), "tree")


class NoDice:
    """Dice that nobody may throw."""

    def roll(self, term: DiceTerm) -> Roll:
        """Fail."""
        raise AssertionError(term)


def acted(war: War, unit: str, target: str | None = None, **inputs: object) -> Part:
    """A part of an act of the Federation."""
    subjects = {"unit": unit} | ({"target": target} if target else {})
    return part_of(kept_of(RULES, war), subjects, **{"by": FEDERATION, **inputs})


ACTS = {
    "shot": ("shoot", acted(NEAR, "u12", "u22")),
    "combined": ("shoot", acted(NEAR, "u12", "u22", others=["u13"])),
    "accuracy": ("shoot", acted(on_board(NEAR, u15="G6", u13="A1"), "u15", "u22")),
    "both, aimed": (
        "shoot",
        acted(armed(on_board(NEAR, u15="F5"), u15=Attack(1, 3, 60), u13=Attack(1, 4)), "u15", "u22", others=["u13"]),
    ),
    "melee": ("melee", acted(CLASH, "u12", "u22", call="tails")),
    "broadside": ("broadside", acted(on_board(LANE, u20="F6", u21="D6"), "u9", toward="E")),
}


@pytest.mark.no_cover
@pytest.mark.parametrize("name", [*ACTS])
def test_the_odds_of_an_act_are_those_of_all_faces(name: str) -> None:
    """D3 to D6, L1 to L3, W1 to W7: each end is as likely as the ways in which its dice can fall, and all add up to 1."""
    family, part = ACTS[name]
    told = {item.conclusion.outcome: item.chance for item in odds_of(family, part)}
    ways = Tree().ways(lambda tree: rolled(family, part, Branches(tree))[0].conclusion.outcome)  # type: ignore[union-attr]
    assert sum(told.values()) == 1
    assert told == {outcome: chance for outcome, chance in added_up(ways).items() if chance}


def test_each_die_of_a_shot_is_a_step_with_its_line() -> None:
    """D2, D4: a try that misses throws no damage die, one that beats is the last; each is told as it was read."""
    war = on_board(NEAR, u15="G6", u13="A1", u12="E5")
    result, _, after = rolled("shoot", acted(war, "u15", "u22"), ScriptedDice([(100, 60), (6, 5)]))
    steps = thrown(result)
    assert steps == [("Try 1 of 1x 1d6", "60 hits (accuracy 60%), 5 against defense 4: destroyed", 182)]
    assert "u22" not in fight_of(after).units
    missed, _, after = rolled("shoot", acted(war, "u15", "u22"), ScriptedDice([(100, 61)]))
    assert [item[1] for item in thrown(missed)] == ["61 misses (accuracy 60%)"]
    assert fight_of(after).units["u15"].attacked


def test_two_that_touch_their_target_attack_as_one() -> None:
    """D5, D6: 2x 1d6 and 2x 1d6 are 2x 1d12, both have attacked, and the kill is the first one's."""
    result, _, after = rolled("shoot", ACTS["combined"][1], ScriptedDice([(12, 4), (12, 5)]))
    assert [item[1] for item in thrown(result)] == [
        "Amuro Ray (u12 gm) and u13 gm: 2x 1d12",
        "4 against defense 4: survives",
        "5 against defense 4: destroyed",
    ]
    fight = fight_of(after)
    assert fight.kills == {"u12": 1}
    assert all(fight.units[name].attacked for name in ("u12", "u13"))


@pytest.mark.parametrize(
    ("dice", "outcome", "gone"),
    [([(2, 2)], "destroyed", {"u22"}), ([(2, 1), (6, 1)], "countered", {"u12"}), ([(2, 1), (6, 2)], "nobody", set())],
)
def test_a_melee_attack_has_three_ends(dice: list[tuple[int, int]], outcome: str, gone: set[str]) -> None:
    """L2, L3: called right the target falls, called wrong a 1 fells the attacker, and else nobody falls."""
    result, _, after = rolled("melee", ACTS["melee"][1], ScriptedDice(dice))
    assert result.conclusion is not None
    assert result.conclusion.outcome == outcome
    assert {*fight_of(CLASH).units} - {*fight_of(after).units} == gone


def test_a_broadside_tells_each_unit_in_its_lane_before_and_after() -> None:
    """W1 to W5: friend and foe in the lane each with its chance; vehicles fall without a die."""
    family, part = ACTS["broadside"]
    told = lines_of(family, part)
    assert "half of turn" in told[0]
    assert told[2:] == (
        "Fires toward E",
        "u10 saberfish on C6 (own side): 100%",
        "u21 columbus on D6: 100%",
        "u19 musai on E6: 50%",
        "u20 gattle on F6: 100%",
    )
    result, _, after = rolled(family, part, ScriptedDice([(100, 51)]))
    assert [item[:2] for item in thrown(result)] == [
        ("u10 saberfish on C6", "destroyed (no die)"),
        ("u21 columbus on D6", "destroyed (no die)"),
        ("u19 musai on E6", "50%: survives"),
        ("u20 gattle on F6", "destroyed (no die)"),
    ]
    assert [line for _, _, line in thrown(result)] == [202, 202, 204, 202]
    assert fight_of(after).kills == {"u9": 2}
    assert sum(item.chance for item in odds_of(family, part) if item.conclusion.outcome != "0") == 1


def test_a_shot_cites_the_row_by_which_it_reads_a_unit() -> None:
    """AMB-57: an ace has a row of its own in a suit; in a craft or a ship there is the row of the class, and a suit has its own too."""
    lane = on_board(LANE, u20="F6", u21="D6")
    battle = lane.battles[AT]
    fight = battle.fight.changed(("u10", "u19"), ace=3).changed(("u20", "u21"), kind="ms").changed(("u21",), ace=3)
    war = replace(lane, battles={AT: replace(battle, fight=fight)})
    result, _, _ = rolled("broadside", acted(war, "u9", toward="E"), ScriptedDice([(100, 100)] * 3))
    assert [(title.split()[0], line) for title, _, line in thrown(result)] == [
        ("u10", 202),
        ("u21", 214),
        ("u19", 204),
        ("u20", 206),
    ]


@pytest.mark.parametrize("first", ["move", "attack"])
def test_a_unit_moves_and_attacks_in_either_order(first: str) -> None:
    """N5, AMB-69: the attack is made from where the unit stands when it comes to that."""
    at = {"move": "E2", "attack": "E5"}[first]
    war = on_board(NEAR, u12=at, u13="A1", u14="B1")
    to = {"move": "E4", "attack": "E3"}[first]
    part = acted(war, "u12", "u22", to=to, first=first)
    result, _, after = rolled("shoot", part, ScriptedDice([(6, 6)]))
    assert text_of(result).splitlines() == [
        "Char Aznable (u22 zaku) is destroyed.",
        f"Amuro Ray (u12 gm) moves to {to} (2 steps).",
    ]
    unit = fight_of(after).units["u12"]
    assert (str(unit.at), unit.moved, unit.attacked) == (to, True, True)


def test_whoever_falls_to_a_counterattack_does_not_move_any_more() -> None:
    """L3, AMB-69: the move after a fatal attack is left out, and said so."""
    part = acted(CLASH, "u12", "u22", call="tails", to="E3", first="attack")
    result, _, after = rolled("melee", part, ScriptedDice([(2, 1), (6, 1)]))
    assert text_of(result).endswith("Amuro Ray (u12 gm) doesn't move to E3 any more.")
    assert "u12" not in fight_of(after).units


REFUSED = {
    "E_OUT_OF_RANGE": ("shoot", acted(SUITS, "u12", "u22")),
    "E_NOT_YOURS": ("shoot", acted(NEAR, "u22", "u12")),
    "E_NOT_MELEE_TILE": ("melee", acted(NEAR, "u12", "u22", call="heads")),
    "E_NO_CALL": ("melee", acted(CLASH, "u12", "u22")),
    "E_NOT_WARSHIP": ("broadside", acted(NEAR, "u12", toward="N")),
    "E_BAD_DIRECTION": ("broadside", acted(LANE, "u9", toward="up")),
    "E_TOO_FAR": ("shoot", acted(NEAR, "u12", "u22", to="E1", first="attack")),
    "E_OCCUPIED": ("melee", acted(CLASH, "u12", "u22", call="heads", to="F6", first="attack")),
    "E_OFF_BOARD": ("maneuver", acted(NEAR, "u12", to="M1")),
    "E_NO_MOVE": ("maneuver", acted(NEAR, "u12")),
    "E_NO_TARGET": ("shoot", acted(NEAR, "u12", "u99")),
    "E_OWN_UNIT": ("shoot", acted(NEAR, "u12", "u13")),
    "E_COMBINE_LIMIT": ("shoot", acted(NEAR, "u12", "u22", others=["u13", "u14"])),
    "E_NOT_CLOSE": ("shoot", acted(NEAR, "u12", "u22", others=["u15"])),
}


@pytest.mark.parametrize("code", [*REFUSED])
def test_a_refusal_tells_its_code_and_throws_nothing(code: str) -> None:
    """§5: what is not possible is refused before any die, in words that end with the code; the same by the preview."""
    family, part = REFUSED[code]
    with pytest.raises(Refused, check=by_code(code)):
        rolled(family, part, NoDice())
    with pytest.raises(Refused, check=by_code(code)):
        odds_of(family, part)


def test_the_other_side_and_strangers_do_not_act_and_a_game_master_does() -> None:
    """X1, N5: only whose half it is acts; without a callsign it is a game master."""
    kept = kept_of(RULES, NEAR)
    for by in (ZEON, "Nobody"):
        with pytest.raises(Refused, check=by_code("E_NOT_YOURS")):
            rolled("maneuver", part_of(kept, {"unit": "u12"}, by=by, to="E4"), NoDice())
    _, _, after = rolled("maneuver", part_of(kept, {"unit": "Amuro Ray (u12 gm)"}, to="E4"), NoDice())
    assert str(fight_of(after).units["u12"].at) == "E4"


@pytest.mark.parametrize("typed", ["u12", "U12", "u12 gm Amuro Ray", "Amuro Ray (u12 gm)", "amuro ray", "gm Amuro Ray"])
def test_a_unit_is_meant_by_id_label_or_pilot(typed: str) -> None:
    """A unit answers to its id, to what it is called, and to its pilot; several of one model are asked about."""
    _, _, after = rolled("maneuver", acted(NEAR, typed, to="E4"))
    assert fight_of(after).units["u12"].moved
    with pytest.raises(Refused, match="could be Amuro Ray \\(u12 gm\\), u13 gm"):
        rolled("maneuver", acted(NEAR, "gm", to="E4"))


def test_the_last_kill_closes_the_battle_when_nothing_is_left_to_retreat() -> None:
    """X4, C3, P1: who has no unit left has lost, and once nobody has to retreat the panel is the winner's."""
    squadron = NEAR.force("21st Squadron")
    alone = NEAR.with_forces(replace(squadron, units=squadron.units[:2]))
    war = on_board(alone, u23=None, u24=None)
    result, _, after = rolled("shoot", acted(war, "u12", "u22"), ScriptedDice([(6, 6)]))
    assert "Earth Federation won the battle on 0,0 in turn 1." in text_of(result)
    assert not after.battles
    assert after.panels[AT].owner == "E"
    assert (after.force("11th Squadron").won, "21st Squadron" in after.forces) == (1, False)


TILES = st.sampled_from([f"{column}{row}" for column in "CDEFGH" for row in range(3, 9)])
UNITS = st.sampled_from(["u12", "u13", "u14", "u15", "u22", "u23", "u24", "u99"])


@st.composite
def acts(draw: st.DrawFn) -> tuple[str, Part]:
    """Any act of any unit of either side, with units anywhere around the middle of the board."""
    places = draw(st.lists(TILES, min_size=7, max_size=7, unique=True))
    war = on_board(SUITS, **dict(zip(sorted(fight_of(SUITS).units), places, strict=True)))
    inputs = {
        "to": draw(st.none() | TILES),
        "first": draw(st.sampled_from(["move", "attack"])),
        "others": draw(st.lists(UNITS, max_size=2)),
        "call": draw(st.sampled_from([None, "heads", "tails"])),
        "by": draw(st.sampled_from([None, FEDERATION, ZEON])),
    }
    given_ = {name: value for name, value in inputs.items() if value}
    subjects = {"unit": draw(UNITS), "target": draw(UNITS)}
    family = draw(st.sampled_from(["shoot", "melee", "broadside", "maneuver"]))
    return family, part_of(kept_of(RULES, war), subjects, **given_, toward="E")


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=150)
@given(act=acts(), seed=st.integers(0, 999))
def test_an_act_is_refused_without_a_die_or_comes_to_one_of_its_ends(act: tuple[str, Part], seed: int) -> None:
    """§5, AMB-69: check, preview and roll refuse alike, with a code and without a die; what they allow ends as its odds say."""
    family, part = act
    code = refusal_of(family, part)
    if code is not None:
        for again in (rolled, odds_of, lines_of):
            with pytest.raises(Refused, check=by_code(code)):
                again(family, part)
        return
    ends = {item.conclusion.outcome: item.chance for item in odds_of(family, part)}
    result, _, after = rolled(family, part, Seeded(seed))
    assert sum(ends.values()) == 1
    assert result.conclusion is not None
    assert ends[result.conclusion.outcome] > 0
    assert after != storage.read(BOOK, part.kept[SCENE])[1]


def refusal_of(family: str, part: Part) -> str | None:
    """The code by which an act is refused before its dice."""
    try:
        BOOK.procedure(family).method.check(part, BOOK)
    except Refused as error:
        return error.code
    return None


class Seeded:
    """Dice that fall by a seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def roll(self, term: DiceTerm) -> Roll:
        """Return a face."""
        self._seed = (self._seed * 1103515245 + 12345) % 2**31
        return Roll(term, (self._seed // 7 % term.sides + 1,), "seeded")
