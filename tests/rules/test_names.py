from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.subjects import MAX_KEY, name_key, strip_unseen

KILOS = [
    "KILO",
    "  Kilo\t",
    "Ki\u200blo",
    "Ki\u2060lo",
    "Ki\u00adlo",
    "Kilo\ufe0f",
    "K\u200dilo",
    "\u202eKilo\u202c",
    "\u2066Kilo\u2069",
    "\u200eKilo",
    "\U000e0041Kilo",
    "Kilo\u3164",
    "Kil\N{CYRILLIC SMALL LETTER O}",
    "Kil\N{GREEK SMALL LETTER OMICRON}",
    "KIL\N{CYRILLIC CAPITAL LETTER O}",
    "\N{CYRILLIC CAPITAL LETTER KA}\N{CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I}LO",
    "\N{GREEK CAPITAL LETTER KAPPA}\N{CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I}lo",
    "\uff2b\uff49\uff4c\uff4f",
    "\U0001d40a\U0001d422\U0001d425\U0001d428",
    "Ki\N{SCRIPT SMALL L}o",
]


@pytest.mark.parametrize("name", KILOS, ids=ascii)
def test_names_that_look_alike_are_one(name: str) -> None:
    """Case, spaces, invisible and similar letters don't matter."""
    assert name_key(name) == name_key("Kilo") == "kilo"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zaku II", "Zaku 11"),
        ("Kai", "Kal"),
        ("RX-0", "RX-O"),
        ("Burn", "Bum"),
        ("\u00d6l", "Ol"),
        ("Team A", "TeamA"),
        ("\u041c\u0438\u0440", "Mir"),
        ("\u30ac\u30f3", "\u30ab\u30f3"),
        ("\N{BLACK HEART SUIT}", "\N{BLACK SPADE SUIT}"),
    ],
)
def test_names_that_differ_to_the_eye_are_two(one: str, other: str) -> None:
    """ASCII letters, accents and other scripts do."""
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u0412\u041e\u0414\u0410", "\u0432\u043e\u0434\u0430"),
        ("\u041d\u0415\u0411\u041e", "\u043d\u0435\u0431\u043e"),
        ("\u0395\u039b\u039b\u0391\u03a3", "\u03b5\u03bb\u03bb\u03b1\u03c2"),
        ("Stra\u00dfe", "STRASSE"),
        ("A\u0301gnes", "\u00c1GNES"),
        ("\u30cb\u30e5\u30fc", "\u4e8c\u30e5\u30fc"),
        ("RX\N{NON-BREAKING HYPHEN}78", "rx-78"),
        ("O\N{RIGHT SINGLE QUOTATION MARK}Neil", "O'Neil"),
        ("\N{RIGHT DOUBLE QUOTATION MARK}Ox", '"Ox'),
        ("\N{HEAVY BLACK HEART}\ufe0f", "\N{HEAVY BLACK HEART}"),
    ],
)
def test_names_in_any_script_are_compared_without_case(one: str, other: str) -> None:
    """Cyrillic, Greek and Japanese too."""
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    "name",
    [
        "Kilo",
        "\u0412\u043e\u0434\u0430",
        "\u30b6\u30af\u2161",
        "\u845b\U000e0100",
        "\N{ROCKET} Team",
        "\N{WOMAN}\u200d\N{ROCKET}",
        "\N{HEAVY BLACK HEART}\ufe0f",
        "1\ufe0f\u20e3",
        "\N{WAVING BLACK FLAG}\U000e0067\U000e0062\U000e007f",
        "\u0646\u0627\u0645\u0647\u200c\u0647\u0627",
        "\u0915\u094d\u200d\u0937",
    ],
    ids=ascii,
)
def test_a_name_is_shown_as_it_was_typed(name: str) -> None:
    """Scripts, emoji and joiners stay."""
    assert strip_unseen(name) == name


@pytest.mark.parametrize("name", KILOS, ids=ascii)
def test_nothing_unseen_is_shown(name: str) -> None:
    """Invisible and direction characters go."""
    assert not set(strip_unseen(name)) & set(
        "\u200b\u2060\u00ad\ufe0f\u200d\u202e\u202c\u2066\u2069\u200e\U000e0041\u3164\t"
    )


@given(st.text())
def test_whatever_is_typed_has_one_form_and_one_key(name: str) -> None:
    """Showing is stable, keys are short."""
    assert strip_unseen(strip_unseen(name)) == strip_unseen(name)
    assert name_key(strip_unseen(name)) == name_key(name) == name_key(name.casefold())
    assert len(name_key(name)) <= MAX_KEY


def test_a_long_name_has_a_short_key_of_its_own() -> None:
    """Long expansions stay distinct."""
    wide = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 59
    keys = {name_key(wide + end) for end in "ab"}
    assert {len(key) for key in keys} == {MAX_KEY}
    assert len(keys) == 2
