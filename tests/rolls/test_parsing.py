"""Reading what people type: names, stances, modifiers, counts."""

from __future__ import annotations

import pytest

from bot.errors import BadInput
from bot.rolls.parsing import parse_count, parse_modifiers, parse_targets, suggest_modifiers
from bot.ui import parsing
from rules.books.campaign.patrol import STANCE
from rules.errors import BadCount
from rules.stages import Tickable, family_tickables
from tests.support.world import BOOKS

BOOK = BOOKS["campaign"]
KNOWN = {family: family_tickables(BOOK.procedure(family), BOOK) for family in ("patrol", "scouting", "detection")}
PATROL = KNOWN["patrol"]


def test_names_are_trimmed_and_keep_their_order() -> None:
    """Blanks around and within names are evened out; order and case stay."""
    assert parsing.names("  Zaku   column ,dom,Ärger ", "target", 10) == ("Zaku column", "dom", "Ärger")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ghost", ("Ghost", "hostile")),
        ("Ghost:neutral", ("Ghost", "neutral")),
        ("Ghost : ALLIED ", ("Ghost", "allied")),
        ("MS: Ghost: friendly", ("MS: Ghost", "friendly")),
        ("RX:78", ("RX:78", "hostile")),
        ("Base: Alpha", ("Base: Alpha", "hostile")),
        ("Base: ", ("Base:", "hostile")),
    ],
)
def test_a_target_may_have_its_own_stance(name: str, expected: tuple[str, str]) -> None:
    """The last colon parts name and stance when what follows is one; else it belongs to the name."""
    assert parse_targets(name, STANCE, None, 10) == (expected,)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Ghost:unfrendly", "Did you mean unfriendly"),
        ("Ghost: unfrendly", "Did you mean unfriendly"),
        ("T1:angry", "Pick one: hostile, unfriendly, neutral, friendly, allied"),
    ],
)
def test_a_stance_that_is_none_is_not_taken_for_a_name(name: str, hint: str) -> None:
    """A word right behind the colon is meant for a stance: a slip is refused with the nearest or with all there are."""
    with pytest.raises(BadInput, match=hint):
        parse_targets(name, STANCE, None, 10)


@pytest.mark.parametrize(("some", "others"), [(["Kilo"], ["Zaku", " kilo "]), (["Owl", "Lynx"], [None, "LYNX"])])
def test_nobody_stands_on_both_sides(some: list[str], others: list[str | None]) -> None:
    """A name on both sides is refused whatever its case and blanks; different names and nobody are not."""
    with pytest.raises(BadInput, match="is on both sides"):
        parsing.refuse_both(some, others)
    parsing.refuse_both(some, [None, "Somebody else"])


@pytest.mark.parametrize("family", KNOWN)
def test_every_modifier_is_found_by_id_and_by_label(family: str) -> None:
    """Whatever can be ticked can be typed, by id or label, alone or in a row, also where the label has a comma."""
    known = KNOWN[family]
    for words in (list(known), [item.label.upper() for item in known.values()]):
        marks, adjustments = parse_modifiers(", ".join(words), known)
        assert (marks, adjustments) == (dict.fromkeys(known, 1), ())


def test_labels_are_told_apart() -> None:
    """No two things that can be ticked for one roll have the same label."""
    for known in KNOWN.values():
        labels = [item.label.casefold() for item in known.values()]
        assert len(labels) == len(set(labels))


@pytest.mark.parametrize("mark", ["*3", " * 3", "x3", " x 3", "\N{MULTIPLICATION SIGN}3"])
def test_a_count_stands_behind_its_line(mark: str) -> None:
    """A star, an x or a multiplication sign, with or without blanks."""
    assert parse_modifiers(f"service.balloon{mark}", PATROL)[0] == {"service.balloon": 3}


@pytest.mark.parametrize("typed", ["Kilo, Lima", "Kilo\nLima", "Kilo,\r\n Lima\n"])
def test_names_are_separated_by_commas_or_line_breaks(typed: str) -> None:
    """A pasted list, a name on each line, is a list; no name has a line break in it."""
    assert parsing.names(typed, "name", 2) == ("Kilo", "Lima")


def test_nothing_and_naught_between_modifiers_are_read() -> None:
    """A count of 0 keeps a line from counting that a fact switches on; empty words are passed over, and nothing typed is nothing ticked."""
    assert parse_modifiers("patrol.scouted*0", PATROL)[0] == {"patrol.scouted": 0}
    assert parse_modifiers(" ,patrol.ship,, ", PATROL) == ({"patrol.ship": 1}, ())
    assert parse_modifiers(None, PATROL) == ({}, ())


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("+2 dust", 2, "dust"),
        ("- 3  old maps", -3, "old maps"),
        ("\N{MINUS SIGN}1 dusk", -1, "dusk"),
        ("\N{EM DASH}1 Rook\N{RIGHT SINGLE QUOTATION MARK}s dusk", -1, "Rook\N{RIGHT SINGLE QUOTATION MARK}s dusk"),
        ("\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH DIGIT TWO}\N{NO-BREAK SPACE}dust", 2, "dust"),
        ("+100 1st day", 100, "1st day"),
    ],
)
def test_an_adjustment_has_sign_number_and_reason(text: str, value: int, reason: str) -> None:
    """The sign comes first, then the number, then why."""
    marks, (found,) = parse_modifiers(text, PATROL)
    assert (marks, found.value, found.reason, found.table) == ({}, value, reason, None)


def test_unknown_modifiers_name_the_nearest() -> None:
    """The nearest is named by its label; nothing is named when nothing is near, such as what shares the role alone."""
    with pytest.raises(BadInput, match=r"the modifier 'patrol\.outpots'\. Did you mean Patrol is an outpost\?"):
        parse_modifiers("patrol.outpots*2", PATROL)
    for far in ("zzzz", "patrol.zzzz"):
        with pytest.raises(BadInput) as refused:
            parse_modifiers(far, PATROL)
        assert "Did you mean" not in str(refused.value)


@pytest.mark.parametrize(("text", "expected"), [("", 0), (" 7 ", 7), ("100", 100)])
def test_a_count_in_a_field_is_a_whole_number(text: str, expected: int) -> None:
    """An empty field is zero."""
    assert parse_count(text, PATROL["service.balloon"]) == expected


def test_counts_that_cannot_be_are_refused() -> None:
    """Words, fractions, negative and absurd counts are refused in fields as in options."""
    balloon = PATROL["service.balloon"]
    for text in ("two", "1.5", "101", "1234567"):
        with pytest.raises(BadInput):
            parse_count(text, balloon)
    with pytest.raises(BadCount):
        parse_count("-1", balloon)


def test_suggestions_complete_the_last_word() -> None:
    """What stands before the last comma is kept, what is taken already is not offered, by whatever name it was typed."""
    found = suggest_modifiers(
        "Patrol is a fleet, Mud/Flood, target partly on land, service.balloon*2, patrol.n", PATROL
    )
    kept = "Patrol is a fleet, Mud/Flood, target partly on land, service.balloon*2, "
    assert [value for _, value in found] == [f"{kept}patrol.newtype"]
    offered = [value for _, value in suggest_modifiers("patrol.fleet, service.balloon*2, ", PATROL)]
    assert offered
    assert not any(value.endswith(("patrol.fleet", "service.balloon")) for value in offered)


def test_suggestions_fit_into_discord() -> None:
    """At most 25, and none longer than 100 characters to show or to send."""
    before = ""
    for name in PATROL:
        found = suggest_modifiers(before, PATROL)
        assert len(found) <= 25
        assert all(1 <= len(shown) <= 100 and 1 <= len(value) <= 100 for shown, value in found)
        before = f"{before}{name}, "
    assert suggest_modifiers(before, PATROL) == []
    assert len(suggest_modifiers("", PATROL)) == 25


def test_suggestions_show_value_and_label() -> None:
    """A choice shows the value on each table and the label; a bare fact has no value in front, and no blank either."""
    assert suggest_modifiers("target.lucky", PATROL) == [("\N{MINUS SIGN}1/+1 Target has Lucky", "target.lucky")]
    bare = {"target.ambushed-today": Tickable("target.ambushed-today", "Ambushed today", "also true", ())}
    assert suggest_modifiers("ambush", bare) == [("Ambushed today", "target.ambushed-today")]


def test_a_text_is_trimmed_and_limited() -> None:
    """Five hundred characters fit; a region may hold commas; blanks are neither."""
    assert parsing.region(" Sea of  Sand, north ") == "Sea of Sand north"
    assert parsing.region("  ") is None
    assert parsing.region(None) is None
    assert parsing.text(f" {'a' * 500} ", "note") == "a" * 500
    assert parsing.text("  ", "note") is None
    with pytest.raises(BadInput, match="501 characters"):
        parsing.text("a" * 501, "note")


def test_the_last_word_of_an_id_is_enough_where_only_one_can_be_meant() -> None:
    """`lucky` can only be the target's on a patrol; `newtype` may be either side's and is refused."""
    known = family_tickables(BOOKS["campaign"].procedure("patrol"), BOOKS["campaign"])
    assert parse_modifiers("lucky", known)[0] == {"target.lucky": 1}
    with pytest.raises(BadInput, match=r"Patrol with a newtype or Target with a newtype"):
        parse_modifiers("newtype", known)
