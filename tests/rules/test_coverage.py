from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from rules.loader import BOOKS, book_ids, load_book, load_folder
from rules.procedure import Choice, Procedure
from rules.ruleset import RuleSet
from rules.stages import TableMethod, conclude_by_row
from tests.rules.coverage import (
    CASES,
    Cases,
    Entry,
    coverage_page,
    entries,
    list_printed_lines,
    ranges,
    read_cases,
    state,
)

HERE = Path(__file__).parent
PAGE = BOOKS.parent / "COVERAGE.md"
REFRESH = "rules/COVERAGE.md is stale: uv run python -m tests.rules.coverage > rules/COVERAGE.md"
CATCH = """
[[case]]
name = "It is missed."
table = "small.catch"
faces = [17]
expect = { total = 17, outcome = "missed" }

[[case]]
name = "A fleet catches it."
table = "small.catch"
faces = [13]
modifiers = { "patrol.fleet" = 1 }
expect = { total = 18, outcome = "caught" }

[[case]]
name = "A natural one misses."
table = "small.catch"
faces = [1]
modifiers = { "patrol.ship" = 1, "service.balloons" = 3 }
expect = { total = 1, outcome = "missed" }

[[case]]
name = "No patrol has two sizes."
table = "small.catch"
faces = [1]
modifiers = { "patrol.ship" = 1, "patrol.fleet" = 1 }
expect = { refused = "Contradiction" }
"""


@pytest.fixture(scope="module")
def small() -> RuleSet:
    """Load the small test book."""
    return load_folder(HERE / "overlays" / "small")


def _describe_table(book: RuleSet, table: str, folder: Path) -> Entry:
    (entry,) = (entry for entry in entries(book, read_cases(folder)) if entry.table == f"`{table}`")
    return entry


def _describe_family(procedure: Procedure, case: dict[str, object]) -> Entry:
    book = replace(load_book("campaign"), procedures={procedure.family: procedure})
    return entries(book, Cases(of_families={("campaign", procedure.family): [case]}))[len(procedure.method.tables)]


def test_the_page_is_fresh_and_has_every_book() -> None:
    """Each has a line and a section."""
    assert coverage_page() == PAGE.read_text(encoding="utf-8"), REFRESH
    page = PAGE.read_text(encoding="utf-8")
    assert [book for book in book_ids() if f"(`{book}`)\n" not in page or f"| `{book}` |" not in page] == []
    assert state([]) == "not begun"


def test_the_campaign_book_is_complete() -> None:
    """Its tables and rolls have all their cases."""
    lacking = {
        (part.family, part.table): sorted(part.needs - part.met)
        for part in entries(load_book("campaign"), read_cases(CASES))
        if state([part]) != "complete"
    }
    assert lacking == {}


def test_everything_printed_is_counted(small: RuleSet, tmp_path: Path) -> None:
    """All kinds of lines count; without cases nothing is met."""
    entry = _describe_table(small, "small.catch", tmp_path)
    assert (entry.rows, entry.modifiers, entry.others) == (2, 7, "1 natural, 1 number, 1 reading")
    assert ranges(entry.lines) == "2-13"
    assert (entry.cases, state([entry])) == (0, "partial, 0 of 12")


def test_what_stands_beside_tables_is_counted() -> None:
    """Scores, contests and list entries count once each."""
    roe = load_book("roe")
    listed = [entry for entries in roe.catalog.values() for entry in entries.values()]
    (told,) = (line for line in PAGE.read_text(encoding="utf-8").splitlines() if f", {len(listed)} entries" in line)
    assert f"{len(roe.scores)} scores, {len(roe.contests)} contests" in told
    lines = {*list_printed_lines((roe.scores, roe.contests, roe.strikes, roe.acts, roe.catalog))}
    assert told.endswith(f"(lines {ranges(lines)}).")


def test_cases_show_rows_ends_modifiers_and_naturals(small: RuleSet, tmp_path: Path) -> None:
    """Only clear cases count; refusals show nothing."""
    below = tmp_path / "procedures"
    below.mkdir()
    (below / "catch.toml").write_text(CATCH)
    first = _describe_table(small, "small.catch", tmp_path)
    assert first.needs & first.met == {
        *(("row", "missed"), ("row", "caught"), ("total", "17"), ("total", "18")),
        ("modifier", "patrol.fleet"),
    }
    assert (first.cases, state([first])) == (4, "partial, 5 of 12")
    decided = CATCH.replace('"service.balloons" = 3', '"target.newtype" = 1').replace("total = 1,", "total = 18,")
    (below / "catch.toml").write_text(decided)
    assert ("natural", "1") in _describe_table(small, "small.catch", tmp_path).met


def test_a_whole_roll_needs_its_options_and_outcomes() -> None:
    """Cases need each option, listed fact and possible outcome."""
    scouting = load_book("campaign").procedure("scouting")
    method = TableMethod(scouting.method.tables, conclude_by_row("staff"), manual_facts=("scene.night",))
    asking = replace(scouting, choices=(Choice("light", "Light", ("day", "night")),), method=method)
    part = {"key": "Ito", "subjects": {"scouter": "Ito", "base": "Odessa"}, "facts": ["scene.night"]}
    entry = _describe_family(asking, {"parts": [part], "expect": [{"outcome": "attacked", "totals": [5], "deeds": []}]})
    assert entry.needs - entry.met == {
        ("light", "night"),
        *(("outcome", name) for name in ("failed-noticed", "failed-unnoticed", "scouted-noticed", "scouted-unnoticed")),
    }
    assert {("case", "one at least"), ("light", "day"), ("told", "scene.night"), ("outcome", "attacked")} <= entry.met
    part = {"key": "Ito", "subjects": {"scouter": "Ito"}, "marks": {"no.such-line": 1}}
    entry = _describe_family(scouting, {"parts": [part], "expect": {"refused": "UnknownModifier"}})
    assert (entry.cases, entry.needs) == (1, frozenset({("case", "one at least")}))
    assert state([entry]) == "complete"


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ((), ""),
        ((4,), "4"),
        ((8, 6, 7, 4, 6), "4, 6-8"),
        ((1, 2, 4, 5), "1-2, 4-5"),
        ((6, 8, 11), "6, 8, 11"),
        ((16, 18, 20, 22, 23), "16-22 (every other), 23"),
    ],
)
def test_lines_are_told_as_ranges(lines: tuple[int, ...], told: str) -> None:
    """Consecutive lines are one range, over blanks too."""
    assert ranges(lines) == told
