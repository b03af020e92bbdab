from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.books.headlines import HEADLINES
from rules.dice import ScriptedDice
from rules.errors import UnknownModifier, UnknownOption
from rules.loader import load_book
from rules.modifiers import Adjustment, KnownFact, Origin, list_mentioned_facts
from rules.procedure import Conclusion, Part, PartResult, Request
from rules.ruleset import prepare_part, resolve
from rules.stages import family_tickables
from rules.tables import Consequence

BOOK = load_book("campaign")
ROLLED = [family for family, procedure in BOOK.procedures.items() if procedure.method.tables]
TYPED = Origin("typed", "written down")
SUBJECTS = {
    "newtype": {"character": "Lalah"},
    "complications": {"side": "Red", "battle": "Jaburo", "base": "Fort Basalt"},
    "interrogation": {"captive": "Amuro", "interrogator": "Hauer, Stahl", "base": "Fort Basalt"},
    "escape": {"captive": "Amuro", "base": "Fort Basalt"},
}
CRACKED = "captive.cracked"
INTERROGATION_FACTS = sorted(
    {
        fact
        for modifier in BOOK.table("campaign.interrogation").modifiers
        for fact in list_mentioned_facts(modifier.when)
    }
)


def _make_part(family: str, *facts: str, choices: Mapping[str, str] | None = None, plus: int = 0) -> Part:
    known = {fact: KnownFact(1, TYPED) for fact in facts}
    return Part("one", SUBJECTS[family], known, {}, (Adjustment(plus, "test"),), choices or {})


def _roll_part(family: str, of: Part, face: int) -> PartResult:
    return resolve(Request(family, (of,)), BOOK, ScriptedDice.of([face])).parts[0]


def _conclude_part(family: str, of: Part, face: int) -> Conclusion:
    conclusion = _roll_part(family, of, face).conclusion
    assert conclusion is not None
    return conclusion


def _list_odds(family: str, *facts: str, choices: Mapping[str, str] | None = None) -> dict[str, Fraction]:
    procedure = BOOK.procedure(family)
    of = prepare_part(_make_part(family, *facts, choices=choices), procedure, BOOK)
    return {chance.conclusion.text: 100 * chance.chance for chance in procedure.method.odds(of, BOOK)}


def _read_deeds(conclusion: Conclusion) -> dict[str, int | None]:
    return {item.do: item.amount for item in conclusion.consequences}


@given(facts=st.sets(st.sampled_from(INTERROGATION_FACTS)), face=st.integers(1, 20), plus=st.integers(-20, 20))
def test_nobody_cracks_twice_and_only_the_cracked_talk(facts: set[str], face: int, plus: int) -> None:
    """Except at 23 and 24."""
    result = _roll_part("interrogation", _make_part("interrogation", *facts, plus=plus), face)
    assert result.conclusion is not None
    done = _read_deeds(result.conclusion)
    assert "crack-or-reveal" not in done
    assert not (CRACKED in facts and "crack" in done)
    assert "reveal-passwords" not in done or CRACKED in facts or result.on_tables[0].total in {23, 24}


def test_one_outcome_of_an_interrogation_is_one_thing() -> None:
    """Name, words and tone mean the same deeds."""
    found: dict[str, set[object]] = {}
    for facts in ((), (CRACKED,)):
        for plus in range(-10, 20):
            conclusion = _conclude_part("interrogation", _make_part("interrogation", *facts, plus=plus), 10)
            told = (conclusion.text, conclusion.tone, conclusion.consequences)
            found.setdefault(conclusion.outcome, set()).add(told)
    assert {outcome for outcome, things in found.items() if len(things) > 1} == set()
    assert len({text for things in found.values() for text in things}) == len(found)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            (),
            {
                "Nothing happens": 60,
                "Injury 1": 5,
                "The captive begins to crack": 20,
                "Injury 1, and the captive begins to crack": 5,
                "The captive is accidentally killed": 5,
                "The captive is accidentally seriously injured": 5,
            },
        ),
        (
            (CRACKED,),
            {
                "Nothing happens": 50,
                "Injury 1": 5,
                "The captive had already cracked": 10,
                "Injury 1, and the captive had already cracked": 5,
                "The captive is accidentally killed": 5,
                "The captive is accidentally seriously injured": 5,
                "The captive reveals one board password": 5,
                "The captive reveals every board password": 5,
                "Injury 1, and the captive reveals every board password": 10,
            },
        ),
        (
            ("interrogator.merciless",),
            {
                "Injury 1, and the captive begins to crack": 15,
                "The captive is accidentally killed": 5,
                "The captive is accidentally seriously injured": 5,
                "The captive begins to crack": 10,
                "Injury 1, and every board password, cracked or not": 10,
                "Driven too far, the captive is accidentally killed": 55,
            },
        ),
    ],
)
def test_the_card_shows_what_would_happen_to_this_very_captive(
    facts: tuple[str, ...], expected: dict[str, int]
) -> None:
    """Odds know who has cracked, and sum to 1."""
    found = _list_odds("interrogation", *facts)
    assert found == expected
    assert sum(found.values()) == 100


def test_the_odds_of_the_other_families_are_those_of_their_rows() -> None:
    """In percent of the die."""
    escape = {
        "Killed in the attempt": 5,
        "Seriously injured in the attempt": 5,
        "Injured in the attempt": 10,
        "Failed and noticed": 10,
        "Failed, no write-up": 65,
        "Escaped": 5,
    }
    assert _list_odds("escape") == escape
    assert _list_odds("complications", "side.one-pc-squad") == {"Nothing unexpected": 100}
    assert _list_odds("newtype", choices={"affiliation": "NT Korps pilot"}) == {"NT2": 65, "NT3": 25, "NT4": 10}


def test_a_natural_one_is_in_the_odds_of_a_sure_escape() -> None:
    """One face in twenty kills."""
    found = _list_odds(
        "escape",
        "base.under-siege",
        "base.surprise-attack-today",
        "captive.surprise-attack-today",
        "captive.rescue-attempt",
        "base.urban",
    )
    assert found["Killed in the attempt"] == 5
    assert found["Escaped"] == 65


@pytest.mark.parametrize(
    ("affiliation", "face", "level"),
    [("other EF", 1, 0), ("EF enlisted", 15, 1), ("civilian", 18, 2), ("rogue", 20, 3), ("NT Korps pilot", 19, 4)],
)
def test_a_newtype_level_is_told_with_whom_it_belongs_to(affiliation: str, face: int, level: int) -> None:
    """Oldtypes have level 0."""
    of = _make_part("newtype", choices={"affiliation": affiliation})
    assert _conclude_part("newtype", of, face).consequences == (Consequence("set-newtype", "character", level),)


def test_the_affiliation_is_told_as_the_reason_of_the_plus() -> None:
    """Zeon's plus names it; misspellings get suggestions."""
    step = _roll_part("newtype", _make_part("newtype", choices={"affiliation": "other Zeon"}), 10).on_tables[0]
    assert [item.origin for item in step.modifiers] == [Origin("choice", "affiliation other Zeon")]
    with pytest.raises(UnknownOption, match="'rogue'"):
        resolve(
            Request("newtype", (_make_part("newtype", choices={"affiliation": "rouge"}),)), BOOK, ScriptedDice.of([])
        )


@pytest.mark.parametrize("family", SUBJECTS)
def test_a_tick_of_another_family_is_refused(family: str) -> None:
    """Its tables have no such modifier."""
    of = Part("one", SUBJECTS[family], marks={"target.charisma": 1})
    with pytest.raises(UnknownModifier):
        resolve(Request(family, (of,)), BOOK, ScriptedDice.of([]))


def test_a_complication_befalls_its_side() -> None:
    """Quiet battles have none; defenders can be ticked."""
    of = _make_part("complications")
    assert _conclude_part("complications", of, 1).consequences == (Consequence("complication", "side"),)
    assert _conclude_part("complications", of, 2).consequences == ()
    assert "side.defends-base" in family_tickables(BOOK.procedure("complications"), BOOK)


@pytest.mark.parametrize(
    ("family", "facts", "audience"),
    [
        ("newtype", (), "results"),
        ("complications", (), "staff"),
        ("interrogation", (), "staff"),
        ("interrogation", (CRACKED,), "staff"),
        ("escape", (), "results"),
    ],
)
def test_results_go_to_whom_the_design_sends_them(family: str, facts: tuple[str, ...], audience: str) -> None:
    """Staff or everyone, on every face."""
    assert {_conclude_part(family, _make_part(family, *facts), face).audience for face in range(1, 21)} == {audience}


def test_a_scouted_base_keeps_an_escape_s_die_secret() -> None:
    """Its modifier would reveal the scouting."""
    assert _roll_part("escape", _make_part("escape", "base.scouted"), 10).secret
    assert not _roll_part("escape", _make_part("escape", "base.urban"), 10).secret


@pytest.mark.parametrize("family", SUBJECTS)
def test_a_headline_speaks_of_roles_that_are_handed_in(family: str) -> None:
    """Each result has a sentence."""
    procedure = BOOK.procedure(family)
    alone = {role: name for role, name in SUBJECTS[family].items() if role != procedure.subject}
    assert not re.search(r"[{}]", procedure.headline.format(**SUBJECTS[family]))
    assert not re.search(r"[{}]", procedure.headline_alone.format(**alone))
    texts = {_conclude_part(family, _make_part(family), face).text for face in range(1, 21)}
    assert texts <= HEADLINES["campaign", family].keys()


@pytest.mark.parametrize("family", ROLLED)
def test_a_captive_rolls_once_in_an_update_wherever_held(family: str) -> None:
    """A second roll's place doesn't matter."""
    procedure = BOOK.procedure(family)
    assert (procedure.policy.again == "update") == (procedure.actor == "captive")
