"""Every rule of Total War, every reading of it, every refusal and every side of every switch is run by a golden line or by a test that is marked for it.

What a docstring or a comment says counts for nothing: a golden line counts for what it stands under, as it is asked and
has an answer to be held against; a test for what it is marked with, if it asserts something.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from rules.books.total_war.catalog import Setting, Switch
from tests.rules.total_war.asking import BOOK, HERE, RULE, ask, cases

COUNTS = {
    "S": 5,
    "H": 3,
    "M": 7,
    "T": 7,
    "C": 5,
    "Q": 5,
    "U": 5,
    "E": 6,
    "B": 13,
    "K": 6,
    "R": 12,
    "V": 3,
    "G": 5,
    "N": 5,
    "F": 8,
    "D": 6,
    "L": 4,
    "W": 9,
    "X": 6,
    "P": 8,
}
"""How many rules each letter has."""
READINGS = 81
"""How many readings of what the page leaves open there are."""
CODES = """
E_TOO_FAR E_NOT_STRAIGHT E_NO_MOVE E_OFF_MAP E_OFF_BOARD E_OCCUPIED E_BLOCKED E_TERRAIN E_STATIONARY E_ALREADY_MOVED
E_BAD_DIRECTION E_NOT_ADJACENT E_NOT_ALLIED E_TAG_LIMIT E_MUST_ENTER E_CANNOT_ATTACK E_BATTLE_PENDING E_BATTLE_OVER
E_GAME_OVER E_CUT_OFF E_NOT_OWNER E_WRONG_PANEL E_NEEDS_FACILITY E_ALREADY_BUILT E_NOT_RESEARCHED E_NO_FUNDS
E_NOT_COMMANDER E_NOT_YOURS E_RANK E_SQUADRON_FULL E_ROGUE E_ROGUE_NO_PROMOTION E_NOT_A_COLONY E_NAME_IN_USE
E_COLOR_IN_USE E_OUT_OF_RANGE E_OBSTRUCTED E_TARGET_TILE E_NO_TARGET E_ONE_TARGET E_OWN_UNIT E_NO_MELEE E_NOT_MELEE_TILE
E_NO_CALL E_NOT_CLOSE E_COMBINE_LIMIT E_ALREADY_ATTACKED E_NOT_WARSHIP E_COOLDOWN E_BAD_STAT E_CLASS_FACTION E_SCENARIO
"""
"""By which codes orders are refused. A step over a corner has none of its own: units are told where to, not by which steps, so that it is E_TOO_FAR."""
CODE = re.compile(r"\bE_[A-Z_]+\b")
TOLD = {"AMB-72": "pictures that the page has lost: nothing follows from them"}
"""Readings that are told only, and why no answer shows them."""
PLAYED = Path(__file__).parents[2] / "cogs" / "war"
"""Where the game is played through the bot."""
MARK = "pytest.mark.shows"


def rules() -> set[str]:
    """What the rules are called, S1 to P8."""
    return {f"{letter}{number}" for letter, most in COUNTS.items() for number in range(1, most + 1)}


def readings() -> set[str]:
    """What the readings are called."""
    return {f"AMB-{number:02}" for number in range(1, READINGS + 1)}


def marked() -> Iterator[tuple[str, set[str], ast.AST]]:
    """Yield the tests that are marked for rules and codes: what they are called, which those are, and their text."""
    for file in (*HERE.rglob("test_*.py"), *PLAYED.rglob("test_*.py")):
        for item in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                marks = [
                    one for one in item.decorator_list if isinstance(one, ast.Call) and ast.unparse(one.func) == MARK
                ]
                names = {ast.literal_eval(name) for one in marks for name in one.args}
                if names:
                    yield item.name, names, item


def asserted(test: ast.AST) -> str:
    """The text of what a test asserts."""
    return "\n".join(ast.unparse(item) for item in ast.walk(test) if isinstance(item, ast.Assert))


def shown() -> set[str]:
    """The rules and readings that golden lines and tests run."""
    lines = {name for case in cases() if case.is_read for name in case.shows}
    return lines | {name for _, names, _ in marked() for name in names if RULE.fullmatch(name)}


def test_every_rule_is_shown() -> None:
    """Each of the 128 rules, S1 to P8, stands over a golden line that runs it, or is run by a test that is marked for it."""
    assert len(rules()) == 128
    assert sorted(rules() - shown()) == []


def test_every_reading_is_shown_or_told() -> None:
    """Each reading of what the page leaves open is shown too, but for those listed with the reason."""
    assert sorted(readings() - shown()) == sorted(TOLD)


def test_nothing_else_is_shown() -> None:
    """No golden line and no test names a rule, a reading or a code that there is not."""
    named = shown() | {name for _, names, _ in marked() for name in names}
    assert sorted(named - rules() - readings() - {*CODES.split()}) == []


def test_a_test_that_is_marked_asserts_what_it_is_marked_for() -> None:
    """Whoever is marked for a rule asserts something, whoever is marked for a code asserts that code, and none is left out of a run."""
    for test, names, item in marked():
        assert test.startswith("test_")
        assert asserted(item), test
        assert {name for name in names if CODE.fullmatch(name)} <= {*CODE.findall(asserted(item))}, test
        assert not re.search(r"\b(skip|skipif|xfail)\b", ast.unparse(item)), test


def test_every_refusal_is_shown() -> None:
    """Each code by which an order is refused is the answer to a golden line, or asserted by a test that is marked for it."""
    codes = {code for case in cases() if case.is_read for code in CODE.findall(case.expected)}
    codes |= {name for _, names, _ in marked() for name in names if CODE.fullmatch(name)}
    assert sorted({*CODES.split()} - codes) == []


def sides(switch: Switch) -> set[str]:
    """The settings of a switch that make a difference, but for its default: every option, or both ends of a range."""
    if isinstance(switch.default, tuple):
        return set()
    if isinstance(switch.default, bool):
        every: set[Setting] = {False, True}
    else:
        every = {*switch.options} or {end for end in (switch.least, switch.most) if end is not None}
    return {json.dumps(side) for side in every - {switch.default}}


def test_each_side_of_each_switch_is_shown() -> None:
    """Whatever a switch may be set to, a golden line is asked with it and another one as it is by default, alike in all else, and the answers differ."""
    questions = [case.asked for case in cases() if case.is_read]
    for name, switch in BOOK.listed(Switch).items():
        found = set()
        for asked in questions:
            given = dict(asked.get("switches") or {})
            if name in given:
                side, plain = json.dumps(given.pop(name)), {**asked, "switches": given}
                if not given:
                    del plain["switches"]
                if plain in questions and ask(**asked) != ask(**plain):
                    found.add(side)
        assert found, name
        assert sorted(sides(switch) - found) == [], name
