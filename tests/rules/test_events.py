from __future__ import annotations

import re
import zlib
from collections import Counter
from pathlib import Path

import pytest

from rules.book import Book
from rules.books.battlesystem.book import TABLE
from rules.books.battlesystem.turn import event_face, number, row_at, unit_die
from rules.dice import DiceTerm
from rules.errors import WrongDice
from rules.loader import load_book
from rules.ruleset import canonical_book, dump_book
from rules.tables import Event, EventPart, TableRow

BOOK = load_book("battlesystem")
EVENTS = BOOK.table(TABLE)
RUNS = Path(__file__).parent / "event_runs.txt"
"""Checksums of every eight words in a row that the page's events have."""

LETTERS = {
    **dict.fromkeys((6, 30, 31, 32, 33, 39, 40, 41), "M"),
    **dict.fromkeys((7, 8, 50), "I"),
    **dict.fromkeys((42, 47), "F"),
}
LASTS = {
    **dict.fromkeys((3, 4, 43, 50, 51, 59), "battle"),
    **dict.fromkeys((52, 53, 56, 63, 64), "instant"),
    **dict.fromkeys((54, 55), "held_until_used"),
    35: "permanent",
    45: "until_condition",
}
SCOPES = {42: "all_flying_both_sides", 54: "player", 55: "player", 56: "enemy", 63: "two_friendly_units"}
CHANGES = {
    **{key: {"ml": 1} for key in (3, 4, 12)},
    **{key: {"ml": -1} for key in (13, 51, 62)},
    **{key: {"ad": -1} for key in (45, 48)},
    **{key: {"ad": 1} for key in (49, 50)},
    59: {"ar": 1},
}
EXTRA = {23: DiceTerm(1, 8), 39: DiceTerm(1, 8)}
SAME = ({2, 5, 17, 37}, {15, 22})  # what the page says in the same words
FIGURES = {  # numbers of the event's effect
    3: ["1"],
    4: ["1"],
    12: ["1"],
    13: ["1"],
    18: ["45"],
    19: ["45"],
    23: ["8"],
    39: ["2", "8"],
    40: ["1"],
    41: ["1"],
    51: ["1"],
    59: ["1"],
    61: ["1"],
    62: ["1"],
}


def _find_event(face: int) -> Event:
    event = row_at(EVENTS, face).event
    assert event is not None
    return event


def _list_events() -> list[tuple[TableRow, Event]]:
    return [(row, row.event) for row in EVENTS.rows if row.event]


@pytest.mark.parametrize("face", range(1, 101))
def test_a_face_is_its_own_event_or_nothing(face: int) -> None:
    """1 to 65 are events, 66 to 100 nothing."""
    row = row_at(EVENTS, face)
    if face >= 66:
        assert (row.event, row.line) == (None, 146)
        return
    assert (number(EVENTS, row), row.line) == (face, 14 + 2 * face)
    event = _find_event(face)
    assert (event.letter, event.lasts, event.scope, event.die) == (
        LETTERS.get(face),
        LASTS.get(face, "turn"),
        SCOPES.get(face, "unit"),
        EXTRA.get(face),
    )


@pytest.mark.parametrize("face", [0, 101, -1])
def test_a_face_that_the_die_has_not_is_refused(face: int) -> None:
    """Below 1 and above 100; 00 is 100."""
    with pytest.raises(WrongDice, match=f"a d100 has no face {face}"):
        row_at(EVENTS, face)


def test_letters_durations_and_what_else_is_needed() -> None:
    """Counts by letter, duration and spells."""
    events = {number(EVENTS, row): event for row, event in _list_events()}
    assert Counter(event.letter for event in events.values()) == {None: 52, "M": 8, "I": 3, "F": 2}
    assert Counter(event.lasts for event in events.values()) == {
        "turn": 50,
        "battle": 6,
        "instant": 5,
        "held_until_used": 2,
        "permanent": 1,
        "until_condition": 1,
    }
    assert {place for place, event in events.items() if event.needs} == {64, 65}
    assert {place for place, event in events.items() if event.pick} == {64}
    assert {place: event.token for place, event in events.items() if event.token} == {54: "chosen", 55: "next"}
    assert {place for place, event in events.items() if event.removes} == {35}


def test_what_an_event_adds_lasts_as_long_as_its_part() -> None:
    """Changes are as printed; event 4 depends on the closest enemy."""
    found = {number(EVENTS, row): dict(event.parts[0].changes) for row, event in _list_events()}
    assert {place: changes for place, changes in found.items() if changes} == CHANGES
    assert _find_event(4).parts == (
        EventPart("ML +1 until the battle ends", "battle", {"ml": 1}),
        EventPart("May fight only the closest enemy unit, until either is gone", "until_gone"),
    )
    row = row_at(EVENTS, 4)
    assert "; ".join(part.text for part in _find_event(4).parts).casefold() == row.text.casefold()
    others = [(row, event) for row, event in _list_events() if number(EVENTS, row) != 4]
    assert all([part.text for part in event.parts] == [row.text] for row, event in others)
    assert all(part.lasts == event.lasts for _, event in others for part in event.parts)


@pytest.mark.parametrize(
    ("letter", "struck", "spared"),
    [
        ("M", {"missile"}, {"flying"}),
        ("I", {"flying"}, {"missile", "flying"}),
        ("F", {"flying", "missile"}, {"missile"}),
    ],
)
def test_a_letter_tells_whom_it_can_strike(letter: str, struck: set[str], spared: set[str]) -> None:
    """M takes missile units, I others, F flying ones."""
    assert (EVENTS.letters[letter].fits(struck), EVENTS.letters[letter].fits(spared)) == (True, False)


def test_the_page_gives_the_dice_of_the_check() -> None:
    """A 1 on d4 brings a d100; lines are kept."""
    assert (unit_die(EVENTS), event_face(EVENTS), EVENTS.die) == (DiceTerm(1, 4), 1, DiceTerm(1, 100))
    assert {item.line for item in EVENTS.numbers.values()} == {6}
    assert {letter: item.line for letter, item in EVENTS.letters.items()} == {"M": 8, "I": 9, "F": 10}


def test_the_texts_carry_the_figures_of_the_page_in_our_own_words() -> None:
    """No text shares eight words in a row with the page."""
    texts = {number(EVENTS, row): row.text for row, _ in _list_events()}
    figures = {place: re.findall(r"\d+", text) for place, text in texts.items()}
    assert {place: found for place, found in figures.items() if found} == FIGURES
    for numbers in SAME:
        assert len({texts[place] for place in numbers}) == 1
    printed = set(RUNS.read_text().split())
    assert len(printed) == 367
    for row, event in _list_events():
        words = re.findall(r"[a-z0-9']+", f"{event.cause} {row.text}".lower())
        runs = {f"{zlib.crc32(' '.join(words[at : at + 8]).encode()):08x}" for at in range(len(words) - 7)}
        assert runs.isdisjoint(printed), row.text


def test_the_dump_tells_of_events_where_there_are_any() -> None:
    """Only their tables have letters and events."""
    (table,) = dump_book(BOOK)["tables"]
    assert table["letters"][1] == {"id": "I", "tag": "!missile", "line": 9}
    assert (table["rows"][41]["event"]["letter"], table["rows"][22]["event"]["die"]) == ("F", "1d8")
    assert "event" not in table["rows"][65]
    assert '"removes":true' in canonical_book(BOOK)
    campaign = load_book("campaign")
    assert not re.search('"(event|letters)":', canonical_book(campaign))
    assert all("letters" not in table for table in dump_book(campaign)["tables"])


OVERLAY = """
[overlay]
id = "house"
extends = "battlesystem"
source = { book = "House rules", section = "Weather" }

[[change]]
table = "battlesystem.random-events"
remove-rows = ["nothing"]
rows = [
  { max = 1, outcome = "bees", text = "Hornets!", line = 1, event = { cause = "Swarm", lasts = "battle", changes = { ml = -2 } } },
  { min = 5, max = 5, outcome = "commander-wavers", text = "Nothing happens", line = 2 },
  { min = 66, max = 70, outcome = "rain", text = "Fires no missiles", line = 3, event = { cause = "Rain", letter = "M" } },
  { min = 71, outcome = "calm", text = "All is quiet", line = 4 },
]
"""


@pytest.fixture
def changed(tmp_path: Path) -> Book:
    """Load the book under house rules about events."""
    file = tmp_path / "house.toml"
    file.write_text(OVERLAY)
    return load_book("battlesystem", overlays=[file])


def test_an_overlay_changes_events(changed: Book) -> None:
    """Rows change, go and come, so the book differs."""
    table = changed.table(TABLE)
    bees, rain = row_at(table, 1), row_at(table, 70)
    assert bees.event == Event("Swarm", "battle", parts=(EventPart("Hornets!", "battle", {"ml": -2}),))
    assert (row_at(table, 5).event, row_at(table, 71).event) == (None, None)
    assert (number(table, rain), rain.event and rain.event.letter) == (66, "M")
    assert changed.fingerprint != BOOK.fingerprint
