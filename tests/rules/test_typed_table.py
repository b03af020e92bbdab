"""Tables as people type them: what lines mean, and what is told of those that mean nothing."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from rules import house
from rules.errors import BookError
from rules.loader import load_books, load_with_house_rules
from rules.odds import table_odds
from rules.own import reserved_names
from rules.tables import RollTable
from rules.typed_table import NAME, table_file
from tests.rules.test_loader import copy_of_small, faults_of

TAKEN = reserved_names(load_books().values())
LOOT = "1-5 It blows up\n6-19 Nothing\n20 Jackpot"


def made(typed: str, die: str = "", title: str = "Loot!") -> RollTable:
    """The table that lines make."""
    document = house.read("typed", table_file(title, die, typed).encode())
    (table,) = load_with_house_rules(house.extends(document), [document], others=TAKEN).tables.values()
    return table


def test_lines_make_a_table() -> None:
    """Ranges, texts and lines are as typed; the die is the highest number, ids come from the texts."""
    table = made(LOOT)
    assert (table.id, table.title, str(table.die)) == ("loot", "Loot!", "1d20")
    assert [(row.min, row.max, row.text, row.line) for row in table.rows] == [
        (None, 5, "It blows up", 1),
        (6, 19, "Nothing", 2),
        (20, None, "Jackpot", 3),
    ]
    assert table_odds(table, 0) == {
        "it-blows-up": Fraction(1, 4),
        "nothing": Fraction(7, 10),
        "jackpot": Fraction(1, 20),
    }
    assert (table.source.book, table.source.section) == ("House rules", "Loot!")


@pytest.mark.parametrize(
    ("typed", "die"),
    [
        ("\n20: Jackpot\n\n 6\N{EN DASH}19) Nothing\n1 - 5.  It blows up  \n", ""),
        ("1 to 5 = It blows up\n6 to 19 Nothing\n20 Jackpot", "D20"),
        ("1-5\tIt blows up\n6-19\tNothing\n20\tJackpot", "1d20"),
    ],
)
def test_lines_are_read_as_people_write_them(typed: str, die: str) -> None:
    """In any order, with empty lines, with a colon, bracket, dash or tab."""
    rows = made(typed, die).rows
    assert [(row.min, row.max, row.text) for row in rows] == [
        (None, 5, "It blows up"),
        (6, 19, "Nothing"),
        (20, None, "Jackpot"),
    ]


def test_several_dice_and_texts_that_repeat_or_have_no_letters() -> None:
    """2d6 begins at 2; rows of one text have ids of their own; quotes, backslashes and other alphabets are kept."""
    table = made(
        '2-6 Nothing\n7 "So \\ so"\n8-11 Nothing\n12 \N{CYRILLIC CAPITAL LETTER DE}\N{CYRILLIC CAPITAL LETTER A}',
        "2d6",
        "\N{CYRILLIC CAPITAL LETTER DE}",
    )
    assert [row.outcome for row in table.rows] == ["nothing", "so-so", "nothing-2", "row"]
    assert table.rows[1].text == '"So \\ so"'
    assert table.id.startswith("table-")


@pytest.mark.parametrize(
    ("typed", "die", "told"),
    [
        ("1-5 It blows up\nNothing\n6 x", "", [(2, "'Nothing': it begins with no number: write it like 6-19 Nothing")]),
        ("1-5 Bad\n6-20", "", [(2, "'6-20': it begins with no number")]),
        ("1-5 Bad\n6", "", [(2, "nothing stands behind the number")]),
        ("1-5 Bad\n20-6 Good", "", [(2, "20 is more than 6: write 6-20")]),
        ("1-5 Bad\n8-20 Good", "", [(2, "no line says what 6-7 means")]),
        ("1-5 Bad\n5-20 Good", "", [(2, "5 stands in line 1 already")]),
        ("1-20 Bad\n3 Good", "", [(2, "3 stands in line 1 already")]),
        ("1-5 Bad\n6-19 Good", "20", [(2, "no line says what 20 means: 1d20 gives 1 to 20")]),
        ("2-5 Bad\n6-20 Good", "", [(1, "no line says what 1 means")]),
        ("1-6 Bad\n7-13 Good", "2d6", [(1, "1 never comes: 2d6 gives 2 to 12"), (2, "13 never comes")]),
        ("1-5 Bad\n6-20 Good", "many", [(2, "'many' is no die: write 20 or 2d6")]),
        ("0 Bad\n1 Good", "", [(2, "no die has 1 sides")]),
        ("1-5 Bad", "", [(1, "a table has two lines at least")]),
        ("", "", [(1, "a table has two lines at least")]),
        (f"1 Bad\n2 {'x' * 301}", "", [(2, "301 characters, and 300 fit")]),
        (
            "1-2 A\n4 B\n6-8 C\n8-9 D",
            "10",
            [(2, "what 3 means"), (3, "what 5 means"), (4, "8 stands"), (4, "what 10 means")],
        ),
    ],
)
def test_bad_lines_gaps_and_overlaps_are_told_with_their_lines(
    typed: str, die: str, told: list[tuple[int, str]]
) -> None:
    """Each fault names its line as typed, what is wrong and what would be right; all are told at once."""
    with pytest.raises(BookError) as caught:
        table_file("Loot", die, typed)
    found = caught.value.faults
    assert all(fault.file == NAME for fault in found)
    assert [fault.line for fault in found] == [line for line, _ in told], found
    for fault, (_, words) in zip(found, told, strict=True):
        assert words in fault.what
    assert len(found) == len(told)


def test_a_file_of_ones_own_needs_no_source_outcome_or_line() -> None:
    """Left out, they come from title, text and the file itself, in tables and in changes of a book; stated, they stay."""
    text = (
        '[[table]]\nid = "coin"\ntitle = "Coin"\ndie = 2\nrows = [\n  { max = 1, text = "Tails" },\n'
        '  { min = 2, text = "Heads", outcome = "won", line = 77 },\n]\n'
        'modifiers = [\n  { id = "coin.luck", value = 1, label = "Luck", group = "luck", when = [["!roller.newtype"]] },\n]\n'
    )
    facts = 'facts = [\n  { trait = "newtype", label = "newtype", roles = ["roller"] },\n]\n'
    document = house.read("coin", (facts + text).encode())
    table = load_with_house_rules(house.extends(document), [document], others=TAKEN).tables["coin"]
    assert (table.source.book, table.source.section) == ("House rules", "Coin")
    assert [(row.outcome, row.line) for row in table.rows] == [("tails", 9), ("won", 77)]
    assert [item.line for item in table.modifiers] == [13]
    overlay = (
        '[overlay]\nid = "ours"\nextends = "campaign"\n[[change]]\ntable = "campaign.patrol.catch"\nmodifiers = [\n'
        '  { id = "target.lucky", value = -2, label = "Lucky", group = "target" },\n]\n'
    )
    changed = house.read("ours", overlay.encode())
    book = load_with_house_rules("campaign", [changed], others=TAKEN)
    lucky = next(item for item in book.tables["campaign.patrol.catch"].modifiers if item.id == "target.lucky")
    assert (lucky.value, lucky.line) == (-2, 7)


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ('source = { book = "small-page", section = "Catching" }\n', "missing source"),
        ('outcome = "caught", ', "missing outcome"),
        (", line = 4", "missing line"),
    ],
)
def test_a_book_states_what_game_masters_may_leave_out(tmp_path: Path, old: str, words: str) -> None:
    """Where something is printed, which row it is and on which line is missing in a book, as a fault of its own."""
    faults = faults_of(copy_of_small(tmp_path, "catch.toml", old, ""))
    assert any(words in fault.what for fault in faults), faults
