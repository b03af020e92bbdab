"""The check of a turn as it is told, its exact odds, and what holds in a long battle whatever falls. Single rolls are golden cases."""

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


def unit(name: str, side: str, *tags: str, spells: int | None = None) -> Unit:
    """A unit of a roster."""
    return {"name": name, "side": side, "tags": list(tags), "spells": spells}


ROSTER = (
    unit("Knights", "Red"),
    unit("Bows", "Red", "missile"),
    unit("Slings", "Red", "missile"),
    unit("Orcs", "Blue"),
    unit("Dragon", "Blue", "flying"),
    unit("Mage", "Blue", "caster", spells=3),
)


def part(roster: Sequence[Unit] = ROSTER, **inputs: object) -> Part:
    """The check of a battle between Red and Blue."""
    return Part("hill", {"battle": "The hill"}, inputs={"roster": list(roster), "sides": list(SIDES), **inputs})


def played(asked: Part, *dice: tuple[int, int]) -> PartResult:
    """The check with these dice; every one of them must be asked for."""
    script = ScriptedDice(dice)
    (result,) = resolve(Request("random-events", (asked,)), BOOK, script).parts
    script.finish()
    return result


def struck(*names: str, roster: Sequence[Unit] = ROSTER) -> list[tuple[int, int]]:
    """The first dice, of which these units have a 1."""
    return [(4, 1 if each["name"] in names else 3) for each in roster]


def told(result: PartResult) -> list[tuple[str, str, list[int]]]:
    """Title, text and faces of each throw."""
    throws = [step for step in result.steps if isinstance(step, Throw)]
    assert len(throws) == len(result.steps)
    return [(throw.title, throw.text, [face for roll in throw.rolls for face in roll.faces]) for throw in throws]


def concluded(result: PartResult) -> str:
    """What the whole check came to, in words."""
    assert result.conclusion is not None
    assert result.conclusion.audience == "results"
    return result.conclusion.text


def test_each_side_and_each_event_is_told() -> None:
    """First the dice of each side, then every d100 with its unit, number, cause, duration and what was drawn."""
    result = played(part(), *struck("Knights", "Mage"), (100, 33), (2, 2), (100, 64), (3, 2))
    assert told(result) == [
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
    assert concluded(result) == "2 events for Slings, Mage"
    assert [step.line for step in result.steps if isinstance(step, Throw)] == [6, 6, 80, 142]


def test_a_cut_chain_and_many_units_are_told() -> None:
    """More than six names are counted, and the limit of a chain is named."""
    roster = [unit(f"{side} {place}", side) for side in SIDES for place in range(4)]
    first = [(4, 1)] * 8
    result = played(part(roster), *first, *[(100, 2)] * 8)
    assert concluded(result) == "8 events for 8 units and sides"
    alone = (roster[0], roster[4])
    result = played(part(alone), (4, 1), (4, 2), *[(100, 56)] * LONGEST_CHAIN)
    assert concluded(result) == "No events; a chain was stopped after 10 rolls"


def test_an_event_that_only_brings_another_is_not_counted_beside_it() -> None:
    """An agitator among the enemy brings one event: one event befalls the unit on which it falls."""
    result = played(part((unit("Trolls", "Blue"), unit("Wardens", "Red"))), (4, 1), (4, 2), (100, 56), (100, 29))
    assert concluded(result) == "1 event for Wardens"


def test_what_is_asked_for_is_told_before_the_dice() -> None:
    """A card shows who rolls what: units of each side, or sides."""
    assert METHOD.lines(part(), BOOK) == ("A d4 for each unit: Red 3, Blue 3", "Each 1 brings a d100")
    assert METHOD.lines(part(only="Blue"), BOOK) == ("A d4 for each unit: Blue 3", "Each 1 brings a d100")
    assert METHOD.lines(part(mode="side"), BOOK) == ("A d100 for each of Red, Blue",)
    assert METHOD.stages(part(), BOOK) == ()


@pytest.mark.parametrize(
    ("roster", "inputs", "error", "words"),
    [
        ((), {}, RollError, "The roster is empty"),
        ((*ROSTER, unit("ORCS", "Red")), {}, RollError, "names 'ORCS' twice"),
        ((unit("Elves", "Read"),), {}, UnknownSide, "the side 'Read'. Did you mean 'Red'?"),
        ((unit("Bats", "Red", "fliyng"),), {}, UnknownTag, "the tag 'fliyng'. Did you mean 'flying'?"),
        ((unit("Mage", "Red", "caster", spells=-1),), {}, RollError, "Mage can't have -1 spells"),
        (ROSTER, {"mode": "sides"}, UnknownOption, "the option 'sides'. Did you mean 'side'?"),
        (ROSTER, {"only": "Green"}, UnknownSide, "the side 'Green'"),
        (ROSTER[:3], {"only": "Blue"}, RollError, "Blue has no units to roll"),
        (ROSTER, {"tokens": {"Bleu": {NEXT: 1}}}, UnknownSide, "the side 'Bleu'. Did you mean 'Blue'?"),
    ],
)
def test_what_cannot_be_checked_is_refused_before_any_die(
    roster: Sequence[Unit], inputs: Mapping[str, object], error: type[RollError], words: str
) -> None:
    """What is wrong is told by the roll, by its odds and by its card alike."""
    asked = part(roster, **inputs)
    for ask in (lambda: played(asked), lambda: METHOD.odds(asked, BOOK), lambda: METHOD.stages(asked, BOOK)):
        with pytest.raises(error, match=re.escape(words)):
            ask()
    with pytest.raises(error, match=re.escape(words)):
        METHOD.lines(asked, BOOK)


def chances(asked: Part) -> dict[str, Fraction]:
    """The exact odds of a check."""
    return {chance.conclusion.outcome: chance.chance for chance in METHOD.odds(asked, BOOK)}


class _First:
    """The dice of one unit's check up to its d100; of what the event asks for besides, the lowest faces."""

    def __init__(self, *faces: int) -> None:
        self._faces = list(faces)

    def roll(self, term: DiceTerm) -> Roll:
        """The next face; afterwards numbers without an event."""
        face = self._faces.pop(0) if self._faces else {100: 100}.get(term.sides, 1)
        return Roll(term, (face,), "written down")


@pytest.mark.parametrize("only", SIDES)
def test_odds_agree_with_every_d100_of_one_side(only: str) -> None:
    """For each unit alone: the share of d100 that bring something is what the odds of one event at least count with."""
    none = Fraction(1)
    for place in range(3):
        outcomes = []
        for face in range(1, 101):
            first = [1 if each == place else 2 for each in range(3)]
            (result,) = resolve(Request("random-events", (part(only=only),)), BOOK, _First(*first, face)).parts
            assert result.conclusion is not None
            outcomes.append(result.conclusion.outcome)
        none *= 1 - Fraction(outcomes.count("events"), 400)
    assert chances(part(only=only)) == {"events": 1 - none, "quiet": none}


def test_odds_know_who_can_suffer() -> None:
    """By sides a caster's event counts for as much as there are casters; a roster that nothing fits has fewer events."""
    assert chances(part(mode="side", only="Red"))["events"] == Fraction(65 - 2 - 1, 100)  # 64, 65; 47
    # Blue has no missile unit (8 events), and one unit of three has spells (64, 65).
    assert chances(part(mode="side", only="Blue"))["events"] == Fraction(65 - 8 - 2, 100) + Fraction(2, 300)
    lonely = (unit("Knights", "Red"),)
    # Nobody shoots, flies or casts, and there is no enemy (56).
    assert chances(part(lonely))["events"] == Fraction(65 - 8 - 2 - 2 - 1, 400)


class _Noted:
    """Faces out of a generator with a seed, written down as they are drawn."""

    def __init__(self, seed: int, favoured: Sequence[int]) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a test that can be run again, no roll of anybody's
        self._favoured = favoured
        self.script: list[tuple[int, int]] = []

    def roll(self, term: DiceTerm) -> Roll:
        """A face; of the d100 one in three is a favoured one."""
        favoured = term.sides == 100 and self._random.random() < 1 / 3
        face = self._random.choice(self._favoured) if favoured else self._random.randint(1, term.sides)
        self.script.append((term.sides, face))
        return Roll(term, (face,), "scripted")


def forty(seed: int) -> list[Unit]:
    """Forty units of two sides with random tags."""
    chance = random.Random(seed)  # noqa: S311 - as above
    tags = [[tag for tag in ("missile", "flying", "caster") if chance.random() < 1 / 3] for _ in range(40)]
    return [
        unit(
            f"{SIDES[place % 2]} {place}", SIDES[place % 2], *tags[place], spells=2 if "caster" in tags[place] else None
        )
        for place in range(40)
    ]


def check_happening(
    happening: Mapping[str, Any], roster: Mapping[str, Unit], gone: set[str], tokens: dict[str, int]
) -> None:
    """Whatever fell, nobody is struck who may not be, and tokens are spent as they must be."""
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
    """Whatever falls: each 1 has its chain of ten at most, only who fits is struck, and the dice written down are all used."""
    settings(max_examples=examples * times, deadline=None)(given(seed=st.integers(0, 2**32))(play_ten_turns))()


def play_ten_turns(seed: int) -> None:
    """Claim that of ten turns of forty units."""
    roster = {each["name"]: each for each in forty(seed)}
    gone: set[str] = set()
    for turn in range(10):
        tokens = {"Red": turn % 2, "Blue": 0}
        standing = [each for each in roster.values() if each["name"] not in gone]
        asked = part(standing, tokens={side: {NEXT: count} for side, count in tokens.items()})
        noted = _Noted(seed + turn, (35, 42, 54, 55, 56, 63, 64))
        (result,) = resolve(Request("random-events", (asked,)), BOOK, noted).parts
        assert played(asked, *noted.script) == result
        assert json.loads(json.dumps(result.record)) == result.record
        check_turn(result.record, roster, gone, tokens)


def check_turn(record: Mapping[str, Any], roster: Mapping[str, Unit], gone: set[str], tokens: dict[str, int]) -> None:
    """Every unit that still stands rolls once, in the roster's order; each 1 has one chain, and no spell is lost twice."""
    assert [name for name, _ in record["checks"]] == [name for name in roster if name not in gone]
    firsts = [happening["struck"] for happening in record["happenings"] if happening["after"] is None]
    assert firsts == [name for name, face in record["checks"] if face == 1]
    length, spells = 0, dict.fromkeys(roster, 2)
    for happening in record["happenings"]:
        length = 1 if happening["after"] is None else length + 1
        assert length <= LONGEST_CHAIN
        check_happening(happening, roster, gone, tokens)
        for name, left in happening["spells"].items():
            assert left == spells[name] - 1 >= 0
            spells[name] = left


def test_only_the_units_of_one_side_roll() -> None:
    """With one side asked for, the others keep their dice."""
    muster = read_muster(part(only="Red").inputs)
    assert [each.name for each in muster.rolling_units] == ["Knights", "Bows", "Slings"]
    assert (muster.rolling_sides, len(muster.units)) == (("Red",), 6)
