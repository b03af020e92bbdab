"""What the books cover of their pages, and what golden cases cover."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import iter_modules

from msgspec import Struct, field
from msgspec.structs import replace

from rules.errors import RollError
from rules.loader import BOOKS, HEAD, book_ids, load_book
from rules.modifiers import JsonObject, KnownFact, Origin
from rules.procedure import Part, Procedure
from rules.ruleset import RuleSet, prepare_part
from rules.tables import Number, RollTable
from tests.rules.case_files import cases_in

Case = JsonObject
Need = tuple[str, str]
"""One thing that a golden case must show: its kind and its name."""
CASES = Path(__file__).parent / "cases"
TYPED = Origin("typed", "written down")
WHOLE = "(whole roll)"
_SPACED = 2
"""How far lines are apart with a blank one between them."""

HEADER = """\
# What the rule books cover

Made from the books and the golden cases under `tests/rules/cases`. A test fails when it is stale. Refresh it with

```sh
uv run python -m tests.rules.coverage > rules/COVERAGE.md
```

*Lines* are those of the source page that the data names: rows, modifiers, scores, list entries and anything else printed
with them. Code, such as what follows a row, names its lines in its module and isn't counted. A *golden case* is a roll
from the page, with its dice and its result. Answers to lines of JSON, such as those under `tests/rules/roe`, aren't
counted. *State* shows what the cases cover:

- A table is **complete** when cases reach each row and each printed end of it, tick each modifier alone, and have each
  natural face decide against the total.
- A whole roll (all tables of a family together) is complete when cases take each option and each fact that only a person
  decides, and reach each outcome that is possible by the exact odds.
- **partial, 7 of 9** means that cases show seven of nine such things.
- **not begun**: no case rolls it yet.
"""


class Cases(Struct, frozen=True):
    """Golden cases of tables by id, and of rolls by book and family."""

    of_tables: Mapping[str, Sequence[Case]] = field(default_factory=dict)
    of_families: Mapping[tuple[str, str], Sequence[Case]] = field(default_factory=dict)


class Entry(Struct, frozen=True):
    """What is printed of a table or family, and what cases show."""

    family: str
    table: str
    rows: int
    modifiers: int
    others: str
    lines: frozenset[int]
    cases: int
    needs: frozenset[Need]
    met: frozenset[Need]


def coverage_page() -> str:
    """Write the page of all shipped books."""
    cases = read_cases(CASES)
    by_book = {book: entries(load_book(book), cases) for book in book_ids()}
    blocks = [
        HEADER,
        _table(
            ("Book", "Source", "Tables", "Rows", "Modifiers", "Lines", "Golden cases", "State"),
            (_summary(book, parts) for book, parts in by_book.items()),
        ),
        *(_section(load_book(book), parts) for book, parts in by_book.items()),
    ]
    return "\n".join(blocks)


def read_cases(folder: Path) -> Cases:
    """Read all cases below the folder."""
    of_tables: dict[str, list[Case]] = {}
    of_families: dict[tuple[str, str], list[Case]] = {}
    for path in sorted(folder.rglob("*.toml")):
        for case in cases_in(path):
            if "table" in case:
                of_tables.setdefault(case["table"], []).append(case)
            else:
                of_families.setdefault((case.get("book", "campaign"), case["family"]), []).append(case)
    return Cases(of_tables, of_families)


def entries(book: RuleSet, cases: Cases) -> list[Entry]:
    """List tables and families, then tables that no family rolls."""
    rows: list[Entry] = []
    for family, procedure in book.procedures.items():
        tables = [book.table(table) for table in procedure.method.tables]
        rows.extend(_table_entry(table, family, cases.of_tables.get(table.id, ())) for table in tables)
        rows.append(_family_entry(procedure, book, cases.of_families.get((book.id, family), ())))
    used = {table for procedure in book.procedures.values() for table in procedure.method.tables}
    others = [table for table in book.tables.values() if table.id not in used]
    return [*rows, *(_table_entry(table, "", cases.of_tables.get(table.id, ())) for table in others)]


def state(parts: Iterable[Entry]) -> str:
    """Describe how much of these needs is met."""
    needed = [(need in part.met) for part in parts for need in part.needs]
    if not needed:
        return "not begun"
    return "complete" if all(needed) else f"partial, {sum(needed)} of {len(needed)}"


def ranges(lines: Iterable[int]) -> str:
    """Return line numbers as ranges: `4, 6-8`; blank lines between don't count."""
    rest = sorted(set(lines))
    texts: list[str] = []
    while rest:
        beside, spaced = _run(rest, 1), _run(rest, _SPACED)
        length = spaced if beside == 1 and spaced > _SPACED else beside
        first, last = rest[0], rest[length - 1]
        rest = rest[length:]
        texts.append(f"{first}" if length == 1 else f"{first}-{last}{' (every other)' if length != beside else ''}")
    return ", ".join(texts)


def _run(lines: Sequence[int], step: int) -> int:
    return next((place for place, line in enumerate(lines) if line != lines[0] + place * step), len(lines))


def list_printed_lines(thing: object) -> Iterator[int]:
    """Yield all lines of a thing."""
    if isinstance(thing, Mapping):
        thing = tuple(thing.values())
    if isinstance(thing, tuple):
        for item in thing:
            yield from list_printed_lines(item)
    elif isinstance(thing, Struct):
        for name in thing.__struct_fields__:
            value = getattr(thing, name)
            if name == "line" and value is not None:
                yield value
            yield from list_printed_lines(value)


def _table_entry(table: RollTable, family: str, cases: Sequence[Case]) -> Entry:
    met = frozenset(need for case in cases for need in _needs_met(case, table))
    table = replace(table, deeds={})  # those are the book's
    others = {name: getattr(table, name) for name in table.__struct_fields__ if name not in {"rows", "modifiers"}}
    return Entry(
        family=family,
        table=f"`{table.id}`",
        rows=len(table.rows),
        modifiers=len(table.modifiers),
        others=_counts_text(others),
        lines=frozenset(list_printed_lines(table)),
        cases=len(cases),
        needs=frozenset(_table_needs(table)),
        met=met,
    )


def _table_needs(table: RollTable) -> Iterator[Need]:
    for row in table.rows:
        yield "row", row.outcome
        yield from (("total", str(end)) for end in (row.min, row.max) if end is not None)
    yield from (("modifier", modifier.id) for modifier in table.modifiers)
    yield from (("natural", str(natural.face)) for natural in table.naturals)


def _needs_met(case: Case, table: RollTable) -> Iterator[Need]:
    expected = case["expect"]
    if "refused" in expected:
        return
    yield "row", expected["outcome"]
    yield "total", str(expected["total"])
    marks = case.get("modifiers", {})
    if len(marks) == 1:
        yield "modifier", next(iter(marks))
    if not table.row(expected["outcome"]).holds(expected["total"]):
        yield "natural", str(sum(case["faces"]))


def _family_entry(procedure: Procedure, book: RuleSet, cases: Sequence[Case]) -> Entry:
    needs = {("case", "one at least"), *(("told", fact) for fact in procedure.method.manual_facts)}
    needs |= {(choice.id, option) for choice in procedure.choices for option in choice.options}
    met = {("case", "one at least")} if cases else set()
    for part in (part for case in cases for part in case["parts"]):
        needs |= {("outcome", outcome) for outcome in _possible_outcomes(part, procedure, book)}
        met |= {(choice.id, part.get("choices", {}).get(choice.id, choice.options[0])) for choice in procedure.choices}
        met |= {("told", fact) for fact in (*part.get("facts", ()), *part.get("marks", {}))}
    results = [result for case in cases if isinstance(case["expect"], list) for result in case["expect"]]
    met |= {("outcome", result["outcome"]) for result in results if "outcome" in result}
    lines = () if procedure.method.tables else list_printed_lines(_numbers(book))
    return Entry(procedure.family, WHOLE, 0, 0, "", frozenset(lines), len(cases), frozenset(needs), frozenset(met))


def _possible_outcomes(raw: Case, procedure: Procedure, book: RuleSet) -> Iterator[str]:
    part = Part(
        raw["key"],
        raw["subjects"],
        {fact: KnownFact(1, TYPED) for fact in raw.get("facts", ())},
        raw.get("marks", {}),
        choices=raw.get("choices", {}),
        inputs=raw.get("inputs", {}),
    )
    try:
        chances = procedure.method.odds(prepare_part(part, procedure, book), book)
    except RollError:
        return
    yield from (chance.conclusion.outcome for chance in chances)


def _numbers(book: RuleSet) -> tuple[Number, ...]:
    package = f"rules.books.{book.id}"
    names = [package, *(f"{package}.{module.name}" for module in iter_modules([str(BOOKS / book.id)]))]
    values = [value for name in names for value in vars(importlib.import_module(name)).values()]
    return tuple({value.id: value for value in values if isinstance(value, Number)}.values())


def _beside(book: RuleSet) -> dict[str, object]:
    return {
        "numbers": _numbers(book),
        "zones": book.zones,
        "regions": tuple(region for zone in book.zones.values() for region in zone.regions),
        "scores": book.scores,
        "contests": book.contests,
        "strikes": tuple(book.strikes.values()),
        "acts": book.acts,
        "entries": tuple(entry for entries in book.catalog.values() for entry in entries.values()),
    }


def _counts_text(things: Mapping[str, object]) -> str:
    counts = {
        kind: len(items)
        for kind, items in things.items()
        if isinstance(items, Mapping | tuple) and any(list_printed_lines(items))
    }
    return ", ".join(f"{count} {kind if count > 1 else kind.removesuffix('s')}" for kind, count in counts.items())


def _summary(book_id: str, parts: Sequence[Entry]) -> tuple[str, ...]:
    book = load_book(book_id)
    source = tomllib.loads((BOOKS / book_id / HEAD).read_text(encoding="utf-8"))["book"]["source"]
    lines = {*list_printed_lines(tuple(_beside(book).values())), *(line for part in parts for line in part.lines)}
    counts = [sum(getattr(part, name) for part in parts) for name in ("rows", "modifiers")]
    cases = sum(part.cases for part in parts)
    numbers = (len(book.tables), *counts, len(lines), cases)
    return (f"`{book_id}`", f"`{source}`", *map(str, numbers), state(parts))


def _section(book: RuleSet, parts: Sequence[Entry]) -> str:
    header = ("Family", "Table", "Rows", "Modifiers", "Others", "Lines", "Golden cases", "State")
    rows = (
        (
            part.family,
            part.table,
            *("" if part.table == WHOLE else str(count) for count in (part.rows, part.modifiers)),
            part.others,
            ranges(part.lines),
            str(part.cases),
            state([part]),
        )
        for part in parts
    )
    others = _beside(book)
    what, lines = _counts_text(others), ranges(list_printed_lines(tuple(others.values())))
    outside = f"\nBesides the tables: {what} (lines {lines}).\n" if what else ""
    return f"## {book.title} (`{book.id}`)\n\n{_table(header, rows)}{outside}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (header, ["---"] * len(header), *rows)
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(coverage_page())
