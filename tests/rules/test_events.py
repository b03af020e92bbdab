"""The random events held against their page: numbers, letters, durations, scopes and lines; and what a faulty page is told."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from pathlib import Path

import pytest

from rules.dice import DiceTerm
from rules.errors import BookError, WrongDice
from rules.events import PAGE, load_events
from rules.loader import book_ids

TABLE = load_events()
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
SCOPES = {
    42: "all_flying_both_sides",
    54: "player",
    55: "player",
    56: "enemy",
    63: "two_friendly_units",
}
EXTRA = {23: DiceTerm(1, 8), 39: DiceTerm(1, 8)}
SAME = ({2, 5, 17, 37}, {15, 22})  # what the page says in the same words
FIGURES = {  # numbers that the event's effect has, beside words
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


@pytest.mark.parametrize("face", range(1, 101))
def test_a_face_is_its_own_event_or_nothing(face: int) -> None:
    """The faces 1 to 65 are the events of the same number, each from its printed line; 66 to 100 are nothing."""
    event = TABLE.event(face)
    if face >= 66:
        assert event is None
        return
    assert event is not None
    assert (event.id, event.line) == (face, 14 + 2 * face)
    assert (event.restriction, event.lasts, event.scope, event.die) == (
        LETTERS.get(face),
        LASTS.get(face, "turn"),
        SCOPES.get(face, "unit"),
        EXTRA.get(face),
    )


@pytest.mark.parametrize("face", [0, 101, -1])
def test_a_face_that_the_die_has_not_is_refused(face: int) -> None:
    """Below 1 and above 100 there is nothing to look up; 00 is written 100."""
    with pytest.raises(WrongDice, match=f"a d100 has no face {face}"):
        TABLE.event(face)


def test_letters_durations_and_what_else_is_needed() -> None:
    """So many events bear each letter and last so long; spells are asked for by two and drawn by one."""
    events = TABLE.events.values()
    assert Counter(event.restriction for event in events) == {None: 52, "M": 8, "I": 3, "F": 2}
    assert Counter(event.lasts for event in events) == {
        "turn": 50,
        "battle": 6,
        "instant": 5,
        "held_until_used": 2,
        "permanent": 1,
        "until_condition": 1,
    }
    assert {event.id for event in events if event.needs} == {64, 65}
    assert {event.id for event in events if event.pick} == {64}


@pytest.mark.parametrize(
    ("number", "struck", "spared"),
    [(6, {"missile"}, {"flying"}), (7, {"flying"}, {"missile", "flying"}), (47, {"flying", "missile"}, {"missile"})],
)
def test_a_letter_tells_whom_it_can_strike(number: int, struck: set[str], spared: set[str]) -> None:
    """M takes missile units, I those that are none, F flying units; an event without a letter takes anyone."""
    event, anyone = TABLE.event(number), TABLE.event(1)
    assert event is not None
    assert anyone is not None
    assert (TABLE.fits(event, struck), TABLE.fits(event, spared)) == (True, False)
    assert TABLE.fits(anyone, set())


def test_the_page_gives_the_dice_of_the_check() -> None:
    """Each unit rolls a d4 and a 1 brings a d100; where these and the letters are printed is kept."""
    page = TABLE.page
    assert (page.check.die, page.check.face, page.check.line) == (DiceTerm(1, 4), 1, 6)
    assert (page.die, page.nothing.min, page.nothing.line) == (DiceTerm(1, 100), 66, 146)
    assert {letter: item.line for letter, item in TABLE.restrictions.items()} == {"M": 8, "I": 9, "F": 10}


def test_the_texts_carry_the_figures_of_the_page() -> None:
    """Every number that an effect needs stands in its text, and no other; equal effects are told alike."""
    figures = {number: re.findall(r"\d+", event.text) for number, event in TABLE.events.items()}
    assert {number: found for number, found in figures.items() if found} == FIGURES
    for numbers in SAME:
        assert len({TABLE.events[number].text for number in numbers}) == 1


def test_the_texts_are_our_own() -> None:
    """No text has eight words in a row of the page."""
    printed = set(RUNS.read_text().split())
    assert len(printed) == 367
    for event in TABLE.events.values():
        words = re.findall(r"[a-z0-9']+", f"{event.cause} {event.text}".lower())
        runs = {f"{zlib.crc32(' '.join(words[at : at + 8]).encode()):08x}" for at in range(len(words) - 7)}
        assert runs.isdisjoint(printed), event.text


def test_events_are_no_book_to_choose() -> None:
    """Until the events have commands, no campaign is offered them as a book."""
    assert "battlesystem" not in book_ids()


FAULTS = [
    ("id = 13,", "id = 12,", "event 12: 13 is due here, the numbers run without gaps", 26),
    ('lasts = "permanent"', 'lasts = "permanant"', "event 35: unknown lasts permanant, did you mean permanent?", 48),
    ('restriction = "F", scope', 'restriction = "X", scope', "event 42: unknown restriction X", 55),
    ('scope = "enemy"', 'skope = "enemy"', "event 56: skope: unknown key, did you mean scope?", 69),
    ('text = "Casts no spell", ', "", "event 65: missing text", 78),
    ("min = 66", "min = 70", "nothing: from 70 on, but the events end at 65: write min = 66", 7),
    ("die = 4, face = 1", "die = 4, face = 5", "check: a 1d4 has no 5", 6),
    ("die = 100", "die = 50", "nothing: a 1d50 has no 66", 7),
    ('  { id = "F", tag = "flying", line = 10 },\n', "", "event 42: restriction F is not declared", 54),
    ('id = "F", tag', 'id = "I", tag', "restriction I: written twice", 11),
    ('tag = "flying"', 'tag = "fliyng"', "restriction F: unknown tag fliyng, did you mean flying?", 11),
    ("restrictions = [", "restrictions = 3\nletters = [", "restrictions: 3 is not a list in [ ]", 8),
    ("die = 8 }", 'die = "8x" }', 'event 23: die: "8x" is not a die: write die = 8', 36),
]


@pytest.mark.parametrize(("old", "new", "words", "line"), FAULTS, ids=[words for _, _, words, _ in FAULTS])
def test_a_fault_is_told_with_its_line(tmp_path: Path, old: str, new: str, words: str, line: int) -> None:
    """What is wrong with a page of events is said with file and line."""
    text = PAGE.read_text()
    assert old in text
    path = tmp_path / "events.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BookError) as caught:
        load_events(path)
    assert any(fault.line == line and words in fault.what for fault in caught.value.faults), str(caught.value)


def test_letters_that_cannot_be_read_bring_no_more_faults(tmp_path: Path) -> None:
    """While a restriction itself is faulty, the events that bear letters are left alone."""
    path = tmp_path / "events.toml"
    path.write_text(PAGE.read_text().replace('id = "F", tag', 'id = "Q", tag'))
    with pytest.raises(BookError) as caught:
        load_events(path)
    assert [fault.line for fault in caught.value.faults] == [11]


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    """Faults of two events and of the head come together; a page that is missing is one fault."""
    path = tmp_path / "events.toml"
    text = PAGE.read_text().replace('title = "Random events"', "title = 1")
    path.write_text(text.replace("line = 16 }", "line = 0 }").replace("line = 18 }", "line = true }"))
    with pytest.raises(BookError) as caught:
        load_events(path)
    assert [fault.line for fault in caught.value.faults] == [3, 14, 15]
    with pytest.raises(BookError, match="cannot be read"):
        load_events(tmp_path / "nowhere.toml")
