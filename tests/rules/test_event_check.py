from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.books.battlesystem.book import TABLE
from rules.books.battlesystem.turn import LONGEST_CHAIN, UnknownSide, UnknownTag, read_muster, row_at
from rules.dice import DiceTerm, Roll, ScriptedDice
from rules.errors import RollError, UnknownOption
from rules.kinds import NEXT
from rules.loader import load_book
from rules.procedure import Part, PartResult, Request, Throw
from rules.ruleset import resolve

BOOK = load_book("battlesystem")
EVENTS = BOOK.table(TABLE)
METHOD = BOOK.procedure("random-events").method
SIDES = ("Red", "Blue")
Unit = Mapping[str, Any]


def _make_unit(name: str, side: str, *tags: str, spells: int | None = None) -> Unit:
    return {"name": name, "side": side, "tags": list(tags), "spells": spells}


ROSTER = (
    _make_unit("Knights", "Red"),
    _make_unit("Bows", "Red", "missile"),
    _make_unit("Slings", "Red", "missile"),
    _make_unit("Orcs", "Blue"),
    _make_unit("Dragon", "Blue", "flying"),
    _make_unit("Mage", "Blue", "caster", spells=3),
)


def _make_part(roster: Sequence[Unit] = ROSTER, **inputs: object) -> Part:
    return Part("hill", {"battle": "The hill"}, inputs={"roster": list(roster), "sides": list(SIDES), **inputs})


def _play_check(asked: Part, *dice: tuple[int, int]) -> PartResult:
    script = ScriptedDice(dice)
    (result,) = resolve(Request("random-events", (asked,)), BOOK, script).parts
    script.finish()
    return result


def _list_dice(*names: str, roster: Sequence[Unit] = ROSTER) -> list[tuple[int, int]]:
    return [(4, 1 if each["name"] in names else 3) for each in roster]


def _describe_throws(result: PartResult) -> list[tuple[str, str, list[int]]]:
    throws = [step for step in result.steps if isinstance(step, Throw)]
    assert len(throws) == len(result.steps)
    return [(throw.title, throw.text, [face for roll in throw.rolls for face in roll.faces]) for throw in throws]


def _conclude_check(result: PartResult) -> str:
    assert result.conclusion is not None
    assert result.conclusion.audience == "results"
    return result.conclusion.text


def test_each_side_and_each_event_is_told() -> None:
    """Each side's dice come first, then each event."""
    result = _play_check(_make_part(), *_list_dice("Knights", "Mage"), (100, 33), (2, 2), (100, 64), (3, 2))
    assert _describe_throws(result) == [
        ("Red: a d4 for each unit", "1 for Knights", [1, 3, 3]),
        ("Blue: a d4 for each unit", "1 for Mage", [3, 3, 1]),
        (
            "Knights (Red): random event",
            "33, Garbled orders: Does not fire while the enemy moves (this turn); affects Slings",
            [33, 2],
        ),
        (
            "Mage (Blue): random event",
            "64, Caster interrupted: Loses a spell picked by chance (at once); spell 2 of 3; 2 spells left",
            [64, 2],
        ),
    ]
    assert _conclude_check(result) == "2 events for Slings, Mage"
    assert [step.line for step in result.steps if isinstance(step, Throw)] == [6, 6, 80, 142]


def test_a_cut_chain_and_many_units_are_told() -> None:
    """Over six names are counted; an agitator brings one event."""
    roster = [_make_unit(f"{side} {place}", side) for side in SIDES for place in range(4)]
    first = [(4, 1)] * 8
    result = _play_check(_make_part(roster), *first, *[(100, 2)] * 8)
    assert _conclude_check(result) == "8 events for 8 units and sides"
    alone = (roster[0], roster[4])
    result = _play_check(_make_part(alone), (4, 1), (4, 2), *[(100, 56)] * LONGEST_CHAIN)
    assert _conclude_check(result) == "No events; a chain was stopped after 10 rolls"
    result = _play_check(
        _make_part((_make_unit("Trolls", "Blue"), _make_unit("Wardens", "Red"))), (4, 1), (4, 2), (100, 56), (100, 29)
    )
    assert _conclude_check(result) == "1 event for Wardens"


def test_what_is_asked_for_is_told_before_the_dice() -> None:
    """A card shows who rolls."""
    assert METHOD.lines(_make_part(), BOOK) == ("A d4 for each unit: Red 3, Blue 3", "Each 1 brings a d100")
    assert METHOD.lines(_make_part(only="Blue"), BOOK) == ("A d4 for each unit: Blue 3", "Each 1 brings a d100")
    assert METHOD.lines(_make_part(mode="side"), BOOK) == ("A d100 for each of Red, Blue",)
    assert METHOD.stages(_make_part(), BOOK) == ()


@pytest.mark.parametrize(
    ("roster", "inputs", "error", "words"),
    [
        ((), {}, RollError, "The roster is empty"),
        ((*ROSTER, _make_unit("ORCS", "Red")), {}, RollError, "names 'ORCS' twice"),
        ((_make_unit("Elves", "Read"),), {}, UnknownSide, "the side 'Read'. Did you mean 'Red'?"),
        ((_make_unit("Bats", "Red", "fliyng"),), {}, UnknownTag, "the tag 'fliyng'. Did you mean 'flying'?"),
        ((_make_unit("Mage", "Red", "caster", spells=-1),), {}, RollError, "Mage can't have -1 spells"),
        (ROSTER, {"mode": "sides"}, UnknownOption, "the option 'sides'. Did you mean 'side'?"),
        (ROSTER, {"only": "Green"}, UnknownSide, "the side 'Green'"),
        (ROSTER[:3], {"only": "Blue"}, RollError, "Blue has no units to roll"),
        (ROSTER, {"tokens": {"Bleu": {NEXT: 1}}}, UnknownSide, "the side 'Bleu'. Did you mean 'Blue'?"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_any_die(
    roster: Sequence[Unit], inputs: Mapping[str, object], error: type[RollError], words: str
) -> None:
    """Roll, odds and card refuse it."""
    asked = _make_part(roster, **inputs)
    for ask in (lambda: _play_check(asked), lambda: METHOD.odds(asked, BOOK), lambda: METHOD.stages(asked, BOOK)):
        with pytest.raises(error, match=re.escape(words)):
            ask()
    with pytest.raises(error, match=re.escape(words)):
        METHOD.lines(asked, BOOK)


def _list_chances(asked: Part) -> dict[str, Fraction]:
    return {chance.conclusion.outcome: chance.chance for chance in METHOD.odds(asked, BOOK)}


class _First:
    """A unit's dice up to its d100; otherwise lowest faces."""

    def __init__(self, *faces: int) -> None:
        self._faces = list(faces)

    def roll(self, term: DiceTerm) -> Roll:
        """Return the next face, later ones without an event."""
        face = self._faces.pop(0) if self._faces else {100: 100}.get(term.sides, 1)
        return Roll(term, (face,), "written down")


@pytest.mark.parametrize("only", SIDES)
def test_odds_agree_with_every_d100_of_one_side(only: str) -> None:
    """Shares of d100 match the odds of one event."""
    none = Fraction(1)
    for place in range(3):
        outcomes = []
        for face in range(1, 101):
            first = [1 if each == place else 2 for each in range(3)]
            (result,) = resolve(Request("random-events", (_make_part(only=only),)), BOOK, _First(*first, face)).parts
            assert result.conclusion is not None
            outcomes.append(result.conclusion.outcome)
        none *= 1 - Fraction(outcomes.count("events"), 400)
    assert _list_chances(_make_part(only=only)) == {"events": 1 - none, "quiet": none}


def test_odds_know_who_can_suffer() -> None:
    """Events count by the units they fit."""
    assert _list_chances(_make_part(mode="side", only="Red"))["events"] == Fraction(65 - 2 - 1, 100)  # 64, 65; 47
    # Blue has no missile unit (8 events), and one unit of three has spells (64, 65).
    assert _list_chances(_make_part(mode="side", only="Blue"))["events"] == Fraction(65 - 8 - 2, 100) + Fraction(2, 300)
    lonely = (_make_unit("Knights", "Red"),)
    # No unit shoots, flies or casts, and there isn't an enemy (56).
    assert _list_chances(_make_part(lonely))["events"] == Fraction(65 - 8 - 2 - 2 - 1, 400)


class _Noted:
    """Seeded faces, written down."""

    def __init__(self, seed: int, favoured: Sequence[int]) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a test that can be run again, no roll of anybody's
        self._favoured = favoured
        self.script: list[tuple[int, int]] = []

    def roll(self, term: DiceTerm) -> Roll:
        """Return a face; one d100 in three is favoured."""
        favoured = term.sides == 100 and self._random.random() < 1 / 3
        face = self._random.choice(self._favoured) if favoured else self._random.randint(1, term.sides)
        self.script.append((term.sides, face))
        return Roll(term, (face,), "scripted")


def _make_forty_units(seed: int) -> list[Unit]:
    chance = random.Random(seed)  # noqa: S311 - as above
    tags = [[tag for tag in ("missile", "flying", "caster") if chance.random() < 1 / 3] for _ in range(40)]
    return [
        _make_unit(
            f"{SIDES[place % 2]} {place}", SIDES[place % 2], *tags[place], spells=2 if "caster" in tags[place] else None
        )
        for place in range(40)
    ]


def _check_happening(
    happening: Mapping[str, Any], roster: Mapping[str, Unit], gone: set[str], tokens: dict[str, int]
) -> None:
    row = row_at(EVENTS, happening["face"])
    on = [roster[name] for name in (*happening["units"], *happening["spared"])]
    assert gone.isdisjoint(each["name"] for each in on)
    if row.event is None or happening["why"]:
        assert (on, happening["ignored"]) == ([], [])
        return
    if row.event.letter:
        assert all(EVENTS.letters[row.event.letter].fits(each["tags"]) for each in on)
    expected = {"unit": {happening["side"]}, "two_friendly_units": {happening["side"]}, "player": set()}
    if row.event.scope == "enemy":
        assert happening["side"] not in {each["side"] for each in on}
    elif row.event.scope != "all_flying_both_sides":
        assert {each["side"] for each in on} == expected[row.event.scope]
    if row.event.needs:
        assert all("caster" in each["tags"] for each in on)
    for side in {each["side"] for each in on}:
        assert (side in happening["ignored"]) == (tokens[side] > 0)
        tokens[side] -= side in happening["ignored"]
    assert {roster[name]["side"] for name in happening["spared"]} == set(happening["ignored"])
    if happening["token"] == NEXT:
        tokens[happening["side"]] += 1
    if happening["removes"]:
        gone.update(happening["units"])


@pytest.mark.no_cover
@pytest.mark.parametrize("examples", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_forty_units_over_ten_turns(examples: int, times: int) -> None:
    """Chains are limited, victims fit, and all dice are used."""
    settings(max_examples=examples * times, deadline=None)(given(seed=st.integers(0, 2**32))(_play_ten_turns))()


def _play_ten_turns(seed: int) -> None:
    roster = {each["name"]: each for each in _make_forty_units(seed)}
    gone: set[str] = set()
    for turn in range(10):
        tokens = {"Red": turn % 2, "Blue": 0}
        standing = [each for each in roster.values() if each["name"] not in gone]
        asked = _make_part(standing, tokens={side: {NEXT: count} for side, count in tokens.items()})
        noted = _Noted(seed + turn, (35, 42, 54, 55, 56, 63, 64))
        (result,) = resolve(Request("random-events", (asked,)), BOOK, noted).parts
        assert _play_check(asked, *noted.script) == result
        assert json.loads(json.dumps(result.record)) == result.record
        _check_turn(result.record, roster, gone, tokens)


def _check_turn(record: Mapping[str, Any], roster: Mapping[str, Unit], gone: set[str], tokens: dict[str, int]) -> None:
    assert [name for name, _ in record["checks"]] == [name for name in roster if name not in gone]
    firsts = [happening["struck"] for happening in record["happenings"] if happening["after"] is None]
    assert firsts == [name for name, face in record["checks"] if face == 1]
    length, spells = 0, dict.fromkeys(roster, 2)
    for happening in record["happenings"]:
        length = 1 if happening["after"] is None else length + 1
        assert length <= LONGEST_CHAIN
        _check_happening(happening, roster, gone, tokens)
        for name, left in happening["spells"].items():
            assert left == spells[name] - 1 >= 0
            spells[name] = left


def test_only_the_units_of_one_side_roll() -> None:
    """The others keep their dice."""
    muster = read_muster(_make_part(only="Red").inputs)
    assert [each.name for each in muster.units_to_roll] == ["Knights", "Bows", "Slings"]
    assert (muster.sides_to_roll, len(muster.units)) == (("Red",), 6)
