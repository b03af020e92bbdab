"""Every rule, reading, refusal and switch is tested by a golden line, or a test marked for it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from rules.books.total_war.catalog import Setting, Switch
from tests.rules.total_war.asking import BOOK, HERE, RULE, ask, cases

COUNTS = {"S": 5, "H": 3, "M": 7, "T": 7, "C": 5, "Q": 5, "U": 5, "E": 6, "B": 13, "K": 6, "R": 12, "V": 3}
COUNTS |= {"G": 5, "N": 5, "F": 8, "D": 6, "L": 4, "W": 9, "X": 6, "P": 8}
READINGS = 81
CODES = """
E_TOO_FAR E_NOT_STRAIGHT E_NO_MOVE E_OFF_MAP E_OFF_BOARD E_OCCUPIED E_BLOCKED E_TERRAIN E_STATIONARY E_ALREADY_MOVED
E_BAD_DIRECTION E_NOT_ADJACENT E_NOT_ALLIED E_TAG_LIMIT E_MUST_ENTER E_CANNOT_ATTACK E_BATTLE_PENDING E_BATTLE_OVER
E_GAME_OVER E_CUT_OFF E_NOT_OWNER E_WRONG_PANEL E_NEEDS_FACILITY E_ALREADY_BUILT E_NOT_RESEARCHED E_NO_FUNDS
E_NOT_COMMANDER E_NOT_YOURS E_RANK E_SQUADRON_FULL E_ROGUE E_ROGUE_NO_PROMOTION E_NOT_A_COLONY E_NAME_IN_USE
E_COLOR_IN_USE E_OUT_OF_RANGE E_OBSTRUCTED E_TARGET_TILE E_NO_TARGET E_ONE_TARGET E_OWN_UNIT E_NO_MELEE E_NOT_MELEE_TILE
E_NO_CALL E_NOT_CLOSE E_COMBINE_LIMIT E_ALREADY_ATTACKED E_NOT_WARSHIP E_COOLDOWN E_BAD_STAT E_CLASS_FACTION E_SCENARIO
"""
"""A step over a corner is E_TOO_FAR: units are told a goal, not steps."""
CODE = re.compile(r"\bE_[A-Z_]+\b")
TOLD = {"AMB-72": "pictures that the page has lost: nothing follows from them"}
"""Readings without an answer, and why."""
PLAYED = Path(__file__).parents[2] / "cogs" / "war"
MARK = "pytest.mark.shows"


def rules() -> set[str]:
    """Return all rules, S1 to P8."""
    return {f"{letter}{number}" for letter, most in COUNTS.items() for number in range(1, most + 1)}


def readings() -> set[str]:
    """Return all readings."""
    return {f"AMB-{number:02}" for number in range(1, READINGS + 1)}


def _list_marked() -> Iterator[tuple[str, set[str], ast.AST]]:
    for file in (*HERE.rglob("test_*.py"), *PLAYED.rglob("test_*.py")):
        for item in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
                marks = [
                    one for one in item.decorator_list if isinstance(one, ast.Call) and ast.unparse(one.func) == MARK
                ]
                names = {ast.literal_eval(name) for one in marks for name in one.args}
                if names:
                    yield item.name, names, item


def _find_asserts(test: ast.AST) -> str:
    return "\n".join(ast.unparse(item) for item in ast.walk(test) if isinstance(item, ast.Assert))


def _list_shown() -> set[str]:
    lines = {name for case in cases() if case.is_read for name in case.shows}
    return lines | {name for _, names, _ in _list_marked() for name in names if RULE.fullmatch(name)}


def test_every_rule_is_shown() -> None:
    """Each of the 128 rules is tested."""
    assert len(rules()) == 128
    assert sorted(rules() - _list_shown()) == []


def test_every_reading_is_shown_or_told() -> None:
    """Each reading is tested or excused."""
    assert sorted(readings() - _list_shown()) == sorted(TOLD)


def test_nothing_else_is_shown() -> None:
    """No test names an unknown rule, reading or code."""
    named = _list_shown() | {name for _, names, _ in _list_marked() for name in names}
    assert sorted(named - rules() - readings() - {*CODES.split()}) == []


def test_a_test_that_is_marked_asserts_what_it_is_marked_for() -> None:
    """Marked tests assert their codes and aren't skipped."""
    for test, names, item in _list_marked():
        assert test.startswith("test_")
        assert _find_asserts(item), test
        assert {name for name in names if CODE.fullmatch(name)} <= {*CODE.findall(_find_asserts(item))}, test
        assert not re.search(r"\b(skip|skipif|xfail)\b", ast.unparse(item)), test


def test_every_refusal_is_shown() -> None:
    """Each code is tested."""
    codes = {code for case in cases() if case.is_read for code in CODE.findall(case.expected)}
    codes |= {name for _, names, _ in _list_marked() for name in names if CODE.fullmatch(name)}
    assert sorted({*CODES.split()} - codes) == []


def sides(switch: Switch) -> set[str]:
    """Return the values of a switch that matter."""
    if isinstance(switch.default, tuple):
        return set()
    if isinstance(switch.default, bool):
        every: set[Setting] = {False, True}
    else:
        every = {*switch.options} or {end for end in (switch.least, switch.most) if end is not None}
    return {json.dumps(side) for side in every - {switch.default}}


def test_each_side_of_each_switch_is_shown() -> None:
    """Each value changes the answer of a golden line."""
    questions = [case.asked for case in cases() if case.is_read]
    for name, switch in BOOK.entries_of(Switch).items():
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
