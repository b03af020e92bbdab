from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rules import errors
from rules.dice import ScriptedDice
from rules.loader import load_book
from rules.modifiers import KnownFact, Origin
from rules.procedure import Part, PartResult, Request
from rules.ruleset import RuleSet, resolve
from rules.tables import RollTable
from tests.answers.tables import roll_table
from tests.rules.case_files import cases_in

Case = Mapping[str, Any]
FOLDER = Path(__file__).parent / "cases"
TYPED = Origin("typed", "written down")
book_of = cache(load_book)


def _read_cases(folder: Path) -> Iterator[tuple[str, Case]]:
    for path in sorted(folder.glob("*.toml")):
        for case in cases_in(path):
            yield f"{path.stem}: {case['name']}", case


TABLE_CASES = dict(_read_cases(FOLDER))
PROCEDURE_CASES = dict(_read_cases(FOLDER / "procedures"))


def _make_facts(facts: Iterable[str], book: RuleSet) -> dict[str, KnownFact]:
    assert set(facts) <= set(book.facts)
    return {fact: KnownFact(1, TYPED) for fact in facts}


DEFAULTS = """
[defaults]
family = "scouting"
note = { light = "night", tags = ["cold", "wet"] }

[[defaults.parts]]
subjects = { base = "Odessa" }

[[case]]
name = "Ito"
note = { tags = ["dry"] }
parts = [ { key = "Ito", subjects = { scouter = "Ito" } }, { key = "Sato" } ]

[[case]]
name = "Nobody"
family = "patrol"
note = "none"
parts = []

[[case]]
name = "Whoever"
"""


def test_defaults_stand_where_a_case_says_nothing(tmp_path: Path) -> None:
    """Tables, and tables in lists, are filled up."""
    file = tmp_path / "scouting.toml"
    file.write_text(DEFAULTS)
    note, odessa = {"light": "night", "tags": ["cold", "wet"]}, {"base": "Odessa"}
    parts = [{"key": "Ito", "subjects": {"scouter": "Ito"} | odessa}, {"key": "Sato", "subjects": odessa}]
    assert list(cases_in(file)) == [
        {"name": "Ito", "family": "scouting", "note": note | {"tags": ["dry"]}, "parts": parts},
        {"name": "Nobody", "family": "patrol", "note": "none", "parts": []},
        {"name": "Whoever", "family": "scouting", "note": note, "parts": [{"subjects": odessa}]},
    ]


@pytest.mark.parametrize("case", TABLE_CASES.values(), ids=TABLE_CASES.keys())
def test_a_table_reads_as_printed(case: Case) -> None:
    """Faces, facts and ticks lead to the page's row, or a refusal."""
    book = book_of(case["table"].partition(".")[0])
    table = book.table(case["table"])
    marks = case.get("modifiers", {})
    assert set(marks) <= {modifier.id for modifier in table.modifiers}
    part = Part("case", {}, _make_facts(case.get("facts", ()), book), marks)
    dice = ScriptedDice.of(case["faces"], table.die.sides)
    if "refused" in case["expect"]:
        with pytest.raises(getattr(errors, case["expect"]["refused"])):
            roll_table(table, part, dice)
        return
    step = roll_table(table, part, dice)
    dice.finish()
    assert {"total": step.total, "outcome": step.row.outcome} == case["expect"]


def _make_part(written: Case, book: RuleSet) -> Part:
    return Part(
        written["key"],
        written["subjects"],
        _make_facts(written.get("facts", ()), book),
        written.get("marks", {}),
        choices=written.get("choices", {}),
        inputs=written.get("inputs", {}),
    )


def _pick_asked(found: object, wanted: object) -> object:
    if isinstance(found, Mapping) and isinstance(wanted, Mapping):
        return {key: _pick_asked(value, wanted[key]) for key, value in found.items() if key in wanted}
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        return [_pick_asked(*pair) for pair in zip(found, wanted, strict=True)]
    return found


def _describe_result(result: PartResult, wanted: Case) -> dict[str, object]:
    if result.conclusion is None:
        return {"unrolled": result.unrolled is not None and not result.steps}
    record = {"record": _pick_asked(result.record, wanted["record"])} if "record" in wanted else {}
    return record | {
        "outcome": result.conclusion.outcome,
        "totals": [step.total for step in result.on_tables],
        "deeds": [consequence.do for consequence in result.conclusion.consequences],
    }


@pytest.mark.parametrize("case", PROCEDURE_CASES.values(), ids=PROCEDURE_CASES.keys())
def test_a_procedure_comes_to_what_the_page_says(case: Case) -> None:
    """Outcomes, totals and deeds are the page's, with exactly its dice."""
    book = book_of(case.get("book", "campaign"))
    dice = ScriptedDice((die["sides"], die["face"]) for die in case["dice"])
    request = Request(case["family"], tuple(_make_part(part, book) for part in case["parts"]))
    if "refused" in case["expect"]:
        with pytest.raises(getattr(errors, case["expect"]["refused"])):
            resolve(request, book, dice)
        return
    resolution = resolve(request, book, dice)
    dice.finish()
    assert len(resolution.parts) == len(case["expect"])
    for result, wanted in zip(resolution.parts, case["expect"], strict=True):
        assert _describe_result(result, wanted) == wanted


@pytest.mark.parametrize("table", book_of("campaign").tables.values(), ids=lambda table: table.id)
def test_no_row_edge_and_no_modifier_goes_without_a_case(table: RollTable) -> None:
    """Each row edge and modifier has its cases."""
    cases = [case for case in TABLE_CASES.values() if case["table"] == table.id and "refused" not in case["expect"]]
    alone = {mark for case in cases if len(marks := case.get("modifiers", {})) == 1 for mark in marks}
    edges = {edge for row in table.rows for edge in (row.min, row.max) if edge is not None}
    assert edges <= {case["expect"]["total"] for case in cases}
    assert {modifier.id for modifier in table.modifiers} <= alone
