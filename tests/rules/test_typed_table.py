from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from rules import house
from rules.errors import BookError
from rules.loader import load_books, load_with_house_rules
from rules.odds import table_odds
from rules.ruleset import list_reserved_names
from rules.tables import RollTable
from rules.typed_table import TYPED_NAME, table_file
from tests.rules.test_loader import copy_small_book, list_faults

TAKEN = list_reserved_names(load_books().values())
LOOT = "1-5 It blows up\n6-19 Nothing\n20 Jackpot"


def _make_table(typed: str, die: str = "", title: str = "Loot!") -> RollTable:
    document = house.read_house_file("typed", table_file(title, die, typed).encode())
    (table,) = load_with_house_rules(house.find_book(document), [document], others=TAKEN).tables.values()
    return table


def test_lines_make_a_table() -> None:
    """The die is the highest number; ids come from texts."""
    table = _make_table(LOOT)
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
    """In any order, with common separators."""
    rows = _make_table(typed, die).rows
    assert [(row.min, row.max, row.text) for row in rows] == [
        (None, 5, "It blows up"),
        (6, 19, "Nothing"),
        (20, None, "Jackpot"),
    ]


WEATHER = [(None, 2, "Calm"), (3, 5, "Rain"), (6, None, "Storm")]
SIX_LINES = "11-16 Calm\n21-26 Rain\n31-36 Fog\n41-46 Mud\n51-56 Storm\n61-66 Flare"


@pytest.mark.parametrize(
    ("typed", "die", "rows"),
    [
        ("**1-2** Calm\n**3-5** Rain\n**6** Storm", "1d6", WEATHER),
        ("**1-2:** Calm\n*3-5*: Rain\n**6 Storm**", "1d6", WEATHER),
        ("- 1-2: Calm\n* 3-5: Rain\n\N{BULLET} 6: Storm", "1d6", WEATHER),
        ("1-2 - Calm\n3-5 \N{EM DASH} Rain\n6 -> Storm", "1d6", WEATHER),
        ("1-2 \N{RIGHTWARDS ARROW} Calm\n3-5 => Rain\n6 -- Storm", "1d6", WEATHER),
        ("1-2 | Calm\n3-5 | Rain\n6 | Storm", "1d6", WEATHER),
        ("| d6 | Weather |\n|---|---|\n| 1-2 | Calm |\n| 3-5 | Rain |\n| 6 | Storm |", "1d6", WEATHER),
        ("| Roll | Weather |\n|:--|--:|\n| 1-2 | Calm |\n| 3-5 | Rain |\n| 6 | Storm |", "1d6", WEATHER),
        ("```\nd6\tWeather\n1-2\tCalm\n3-5\tRain\n6\tStorm\n```", "1d6", WEATHER),
        ("1-2 Calm\n3-5 Rain\n6+ Storm", "1d6", WEATHER),
        ("2 or less: Calm\n3..5: Rain\n6 or more: Storm", "1d6", WEATHER),
        ("\uff11\uff5e\uff12 Calm\n\uff13\uff0d\uff15\uff1aRain\n\uff16\u3000Storm", "1d6", WEATHER),
        ("d6 Weather\n1-2 Calm\n3-5 Rain\n6 Storm", "1d6", WEATHER),
        ("2d6 Event\n2-5 Calm\n6-8 Rain\n9-12 Storm", "2d6", [(None, 5, "Calm"), (6, 8, "Rain"), (9, None, "Storm")]),
        ("Weather (1D6)\n1-2 Calm\n3-5 Rain\n6 Storm", "1d6", WEATHER),
        (
            "01\N{EN DASH}50\n\nFog comes up\n\n51\N{EN DASH}100\n\nIt clears\n",
            "1d100",
            [(None, 50, "Fog comes up"), (51, None, "It clears")],
        ),
        ("01-95 Fog\n96-00 It clears", "1d100", [(None, 95, "Fog"), (96, None, "It clears")]),
        ("d%\n01-99 Fog\n00 It clears", "1d100", [(None, 99, "Fog"), (100, None, "It clears")]),
        (
            "11-36 Calm\n41-66 **Bold** \N{EN DASH} rain |",
            "d66",
            [(None, 40, "Calm"), (41, None, "**Bold** \N{EN DASH} rain")],
        ),
    ],
)
def test_pasted_tables_are_read(typed: str, die: str, rows: list[tuple[int | None, int | None, str]]) -> None:
    """Markup isn't part of a text."""
    table = _make_table(typed)
    assert str(table.die) == die
    assert [(row.min, row.max, row.text) for row in table.rows] == rows


def test_open_ranges_several_dice_and_texts_that_repeat_or_have_no_letters() -> None:
    """Ids stay unique, characters stay."""
    assert [(row.min, row.max) for row in _make_table("5 or less Bad\n6+ Good", "d10").rows] == [(None, 5), (6, None)]
    table = _make_table(
        '2-6 Nothing\n7 "So \\ so"\n8-11 Nothing\n12 \N{CYRILLIC CAPITAL LETTER DE}\N{CYRILLIC CAPITAL LETTER A}',
        "2d6",
        "\N{CYRILLIC CAPITAL LETTER DE}",
    )
    assert [row.outcome for row in table.rows] == ["nothing", "so-so", "nothing-2", "row"]
    assert table.rows[1].text == '"So \\ so"'
    assert table.id.startswith("table-")


@pytest.mark.parametrize("die", ["", "d66", "1D66"])
def test_a_d66_table_reads_two_dice_as_tens_and_ones(die: str) -> None:
    """Each six numbers are a sixth."""
    table = _make_table(SIX_LINES, die)
    assert str(table.die) == "d66"
    assert set(table_odds(table, 0).values()) == {Fraction(1, 6)}
    assert table.read(35, 35, None)[0].text == "Fog"


@pytest.mark.parametrize(
    ("typed", "die", "told"),
    [
        ("1-5 It blows up\nNothing\n6 x", "", [(2, "'Nothing': it doesn't begin with a number: write it like")]),
        ("1-5 Bad\n6-20", "", [(2, "nothing follows the number: write it like 6-19 Nothing")]),
        ("1-5 Bad\n6", "", [(2, "nothing follows the number")]),
        ("1-5 Bad\n20-6 Good", "", [(2, "20 is more than 6: write 6-20")]),
        ("1-5 Bad\n8-20 Good", "", [(2, "no line says what 6-7 means")]),
        ("1-5 Bad\n5-20 Good", "", [(2, "5 is already in line 1")]),
        ("1-20 Bad\n3 Good", "", [(2, "3 is already in line 1")]),
        ("1-5 Bad\n6-19 Good", "20", [(2, "no line says what 20 means: 1d20 gives 1 to 20")]),
        ("2-5 Bad\n6-20 Good", "", [(1, "no line says what 1 means")]),
        ("1-6 Bad\n7-13 Good", "2d6", [(1, "1 never comes: 2d6 gives 2 to 12"), (2, "13 never comes")]),
        ("1-5 Bad\n6-20 Good", "many", [(2, "'many' isn't a die: write 20 or 2d6")]),
        ("0 Bad\n1 Good", "", [(2, "a die has 2 to 1000 sides, and the highest number is 1")]),
        ("1-5 Bad", "", [(1, "a table needs at least two lines")]),
        ("", "", [(1, "a table needs at least two lines")]),
        ("1-3\n4-6\nGood", "", [(1, "nothing follows the number")]),
        ("d8 Weather\n1-5 Bad\n6-8 Good", "6", [(1, "the first line says d8, and the die is 1d6: leave one out")]),
        (f"{'-' * 3000}x\n1-5 Bad\n6 Good", "", [(1, "it doesn't begin with a number")]),
        ("00-49 Bad\n50-99 Good", "", [(1, "00 counts as 100: begin with 01")]),
        ("11-16 Bad\n31-66 Good", "d66", [(2, "no line says what 21-26 means")]),
        ("11-66 Bad\n71 Good", "d66", [(2, "71 never comes: d66 gives 11 to 66")]),
        (f"1 Bad\n2 {'x' * 301}", "", [(2, "301 characters, over the limit of 300")]),
        (
            "1-2 A\n4 B\n6-8 C\n8-9 D",
            "10",
            [(2, "what 3 means"), (3, "what 5 means"), (4, "8 is already"), (4, "what 10 means")],
        ),
    ],
)
def test_bad_lines_gaps_and_overlaps_are_told_with_their_lines(
    typed: str, die: str, told: list[tuple[int, str]]
) -> None:
    """All at once, with corrections."""
    with pytest.raises(BookError) as caught:
        table_file("Loot", die, typed)
    found = caught.value.faults
    assert all(fault.file == TYPED_NAME for fault in found)
    assert [fault.line for fault in found] == [line for line, _ in told], found
    for fault, (_, words) in zip(found, told, strict=True):
        assert words in fault.what
    assert len(found) == len(told)


def test_a_file_of_ones_own_needs_no_source_outcome_or_line() -> None:
    """They're filled in, unless stated."""
    text = (
        '[[table]]\nid = "coin"\ntitle = "Coin"\ndie = 2\nrows = [\n  { max = 1, text = "Tails" },\n'
        '  { min = 2, text = "Heads", outcome = "won", line = 77 },\n]\n'
        'modifiers = [\n  { id = "coin.luck", value = 1, label = "Luck", group = "luck", when = [["!roller.newtype"]] },\n]\n'
    )
    facts = 'facts = [\n  { trait = "newtype", label = "newtype", roles = ["roller"] },\n]\n'
    document = house.read_house_file("coin", (facts + text).encode())
    table = load_with_house_rules(house.find_book(document), [document], others=TAKEN).tables["coin"]
    assert (table.source.book, table.source.section) == ("House rules", "Coin")
    assert [(row.outcome, row.line) for row in table.rows] == [("tails", 9), ("won", 77)]
    assert [item.line for item in table.modifiers] == [13]
    overlay = (
        '[overlay]\nid = "ours"\nextends = "campaign"\n[[change]]\ntable = "campaign.patrol.catch"\nmodifiers = [\n'
        '  { id = "target.lucky", value = -2, label = "Lucky", group = "target" },\n]\n'
    )
    changed = house.read_house_file("ours", overlay.encode())
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
    """Missing ones are faults."""
    faults = list_faults(copy_small_book(tmp_path, "catch.toml", old, ""))
    assert any(words in fault.what for fault in faults), faults
