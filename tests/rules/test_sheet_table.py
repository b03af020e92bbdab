"""Tables from spreadsheets: rows, then modifiers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.dice import DiceTerm
from rules.editable_table import MODIFIERS, EditableRow, EditableTable
from rules.errors import BookError
from rules.house import read_house_file
from rules.loader import load_with_house_rules
from rules.sheet_table import (
    find_sheet_line,
    is_sheet,
    join_condition,
    open_draft,
    plain_lines,
    read_draft,
    sheet_file,
    split_condition,
    type_again,
)
from tests.architecture.source import ROOT

OMENS = """\
die,2d6
min,max,text,tone,then
2,5,The gods are silent,failure,
6,8,"A sign, perhaps",,presence-known roller
9,12,A blessing,success,reveal target; injure roller 1

modifier,value,when,times
Temple,+2,,
Devout,1,,devotion
Storm,\N{MINUS SIGN}1,weather.storms and not weather.fog or target.cursed,
"""


def test_a_sheet_becomes_a_table_with_modifiers() -> None:
    """Ends are open, a bare modifier is ticked by hand, a number multiplies, and a condition is a fact."""
    text = sheet_file("Omens", "omens", OMENS)
    book = load_with_house_rules("house", [read_house_file("omens", text.encode())], others={})
    table = book.tables["omens"]
    rows = [(row.min, row.max, row.text, row.tone, [item.do for item in row.then]) for row in table.rows]
    assert (str(table.die), rows) == (
        "2d6",
        [
            (None, 5, "The gods are silent", "failure", []),
            (6, 8, "A sign, perhaps", "neutral", ["presence-known"]),
            (9, None, "A blessing", "success", ["reveal", "injure"]),
        ],
    )
    temple, devout, storm = table.modifiers
    assert (temple.value, temple.label, temple.when) == (2, "Temple", (("roller.temple",),))
    assert (devout.value, devout.times) == (1, "roller.devotion")
    assert (storm.value, storm.when) == (-1, (("weather.storms", "!weather.fog"), ("target.cursed",)))


def test_the_template_is_a_sound_table() -> None:
    """Which people copy from the docs."""
    text = sheet_file("Omens", "omens", (ROOT / "docs" / "games" / "table.csv").read_text("utf-8"))
    assert (
        load_with_house_rules("house", [read_house_file("omens", text.encode())], others={}).tables["omens"].modifiers
    )


@pytest.mark.parametrize("delimiter", ["\t", ";"])
def test_cells_may_be_parted_otherwise(delimiter: str) -> None:
    """By tabs, as a paste has them, or by semicolons."""
    text = OMENS.replace('"A sign, perhaps"', "A sign").replace(",", delimiter).replace("; injure", " injure")
    text = text.replace("target injure roller 1", "target")
    assert is_sheet(text)
    assert "A blessing" in sheet_file("Omens", "omens", text)


def test_a_table_is_typed_again_as_it_is() -> None:
    """As a sheet if it has more than texts, else as lines."""
    text = sheet_file("Omens", "omens", OMENS)
    draft = open_draft(text)
    assert draft is not None
    assert draft.is_whole
    again = sheet_file("Omens", "omens", draft.write_sheet(), draft.die_text)
    before, after = (
        load_with_house_rules("house", [read_house_file("omens", it.encode())], others={}) for it in (text, again)
    )
    unplaced = [
        [(item.id, item.value, item.when, item.times, item.label) for item in book.tables["omens"].modifiers]
        + [(row.min, row.max, row.text, row.tone, row.then) for row in book.tables["omens"].rows]
        for book in (before, after)
    ]
    assert unplaced[0] == unplaced[1]
    plain = open_draft('[[table]]\ndie = 6\nrows = [{ max = 3, text = "a" }, { min = 4, text = "b" }]')
    assert plain is not None
    assert type_again(plain) == ("6", "1-3 a\n4-6 b")
    assert open_draft("\n".join(type_again(plain))) == plain


@pytest.mark.parametrize(
    ("right", "wrong", "line", "told"),
    [
        ("6,8,", "six,8,", 4, "min: 'six' isn't a whole number"),
        ("The gods are silent", "", 3, "text: this cell is empty"),
        ("Temple,+2", "Temple,", 8, "a modifier has a name and a value"),
        ("die,2d6", "die,2d", 1, "'2d' isn't a die"),
        ("tone,then", "tone,thne", 2, "unknown column thne: write min, max, text, tone, then"),
        ("9,12,", "9,11,", 5, "no row says what 12 means: 2d6 gives 2 to 12"),
        ("min,max,text,tone,then\n", "", 2, "the first row names the columns"),
        ("weather.storms and", "(weather.storms or fog) and", 10, "when: '(weather.storms' isn't a fact"),
        ("weather.storms and not weather.fog or", "a and or", 10, "isn't a fact"),
        ("weather.storms and not weather.fog or target.cursed", "not not a", 10, "'not not a' isn't a fact"),
    ],
)
def test_a_slip_in_a_sheet_has_its_line(right: str, wrong: str, line: int, told: str) -> None:
    """Cells are checked before the table is made."""
    with pytest.raises(BookError) as refusal:
        sheet_file("Omens", "omens", OMENS.replace(right, wrong, 1))
    assert any(fault.line == line and told in fault.what for fault in refusal.value.faults), refusal.value.faults


def test_later_faults_have_the_line_of_the_sheet() -> None:
    """What only the linter finds, such as an unknown deed, is said of the row."""
    text = sheet_file("Omens", "omens", OMENS.replace("presence-known", "presence-unknown"))
    with pytest.raises(BookError) as refusal:
        load_with_house_rules("house", [read_house_file("omens", text.encode())], others={})
    assert {find_sheet_line(text, fault.line) for fault in refusal.value.faults} == {4}


def test_a_row_takes_its_numbers_from_others() -> None:
    """What it covers goes, what it cuts stays on both sides; gaps are what is left of the die."""
    draft = open_draft("20\n1-10 Low\n15 Odd")
    assert draft is not None
    assert [*draft.list_gaps()] == [(11, 14), (16, 20)]
    assert draft.chance(11, 14) == Fraction(1, 5)
    cut = draft.put_row(None, EditableRow(4, 16, "New"))
    assert [(row.low, row.high, row.text) for row in cut.rows] == [(1, 3, "Low"), (4, 16, "New")]
    inside = draft.put_row(None, EditableRow(3, 4, "New"))
    assert [(row.low, row.high) for row in inside.rows] == [(1, 2), (3, 4), (5, 10), (15, 15)]
    assert [row.text for row in draft.put_row(0, None).rows] == ["Odd"]
    assert not draft.is_whole
    assert draft.put_row(None, EditableRow(11, 14, "a")).put_row(None, EditableRow(16, 20, "b")).is_whole


CELL = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.just(" "), max_size=12).map(
    lambda text: " ".join(text.split())
)


@given(
    st.sampled_from(["6", "66", "d66", "2d6", "d%"]),
    st.lists(st.tuples(CELL.filter(bool), st.sampled_from(["", "success"]), CELL), max_size=6),
    st.lists(st.tuples(CELL.filter(bool), CELL, CELL), max_size=3),
)
def test_a_draft_is_read_as_it_was_written(
    die: str, texts: list[tuple[str, str, str]], modifiers: list[tuple[str, str, str]]
) -> None:
    """Whatever its words are: each step writes it and reads it again."""
    term = DiceTerm.parse(die)
    numbers = [number for number in range(term.low, term.high + 1) if term.ways().get(number)]
    rows = [EditableRow(low, low, *row) for low, row in zip(numbers, texts, strict=False)]
    cells = [{**dict.fromkeys(MODIFIERS, ""), "modifier": a, "value": b, "when": c} for a, b, c in modifiers]
    draft = EditableTable(term, tuple(rows), tuple(cells))
    assert read_draft(draft.die_text, draft.write_sheet()) == draft
    assert read_draft(*type_again(draft)) == draft


@pytest.mark.parametrize("text", ["6\n1-3 a\n2-6 b", "6\n1-7 a", "6\nno number", "d\n1-3 a", "", "20"])
def test_only_gaps_make_a_draft(text: str) -> None:
    """Anything else wrong with lines is a fault of the whole text; nothing typed is an empty d20."""
    draft = open_draft(text)
    assert (draft is not None and not draft.rows) == (text in {"", "20"})


def test_a_condition_is_picked_or_typed() -> None:
    """Picked facts count with each typed alternative, and are found again if there is only one."""
    assert join_condition(["a.x"], "b or not c") == "a.x and b or a.x and not c"
    assert join_condition(["a.x", "a.y"], "") == "a.x and a.y"
    assert split_condition("a.x and not b", {"a.x"}) == (["a.x"], "not b")
    assert split_condition("a.x or b", {"a.x"}) == ([], "a.x or b")


def test_far_numbers_cost_nothing() -> None:
    """Millions between two rows are one gap, found without counting them."""
    draft = read_draft("20", "min,max,text\n1,1,a\n9999999,9999999,b\n-9999999,-9999998,c")
    assert draft is not None
    assert [*draft.list_gaps()] == [(-9999997, 0), (2, 9999998)]
    assert draft.chance(2, 9999998) == Fraction(19, 20)


@pytest.mark.parametrize("lost", ['audience = "staff"', 'pool = { reads = "highest" }'])
def test_what_cells_cannot_say_is_not_edited(lost: str) -> None:
    """Editing such a table would lose it."""
    rows = 'rows = [{ max = 3, text = "a" }, { min = 4, text = "b" }]'
    assert open_draft(f"[[table]]\ndie = 6\n{lost}\n{rows}") is None
    named = rows.replace("text", 'outcome = "x", text')
    assert open_draft(f"[[table]]\ndie = 6\n{named}") is None
    assert open_draft(f"[[table]]\ndie = 6\n{rows}") is not None


def test_a_cell_without_a_column_is_refused() -> None:
    """A semicolon in a cell without quotes would lose what is behind it."""
    with pytest.raises(BookError) as caught:
        sheet_file("Omens", "omens", OMENS.replace('"A sign, perhaps"', "A sign").replace(",", ";"))
    assert "5: 'injure roller 1' is beyond the columns: leave it out" in str(caught.value)


@pytest.mark.parametrize("sheet", ["d8,Sky\n1,Sun\n2-8,Rain, cold", "d8;Sky\n1;Sun\n2-8;Rain, cold"])
def test_two_columns_name_their_die(sheet: str) -> None:
    """In the heading, with commas or semicolons."""
    assert plain_lines(sheet).splitlines() == ["d8 Sky", "1 Sun", "2-8 Rain, cold"]
