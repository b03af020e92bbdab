from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from rules.book import Book, Effect, Trait
from rules.effects import End
from rules.loader import load_book, load_folder
from rules.modifiers import Modifier

BOOK = load_book("campaign")
SMALL = Path(__file__).parent / "overlays" / "small"
BOTH = frozenset({"unit", "character"})
UNIT, CHARACTER = frozenset({"unit"}), frozenset({"character"})
KIND = {"squad", "ship", "fleet", "outpost", "base"}
FIELDS = {"callsign", "zeon"}  # of a character, besides the newtype level
STANCE = {"hostile", "unfriendly", "neutral", "friendly", "allied"}  # towards the other side of a roll
BATTLE = {"defends-base", "one-pc-squad"}  # of a side in one battle
ELSEWHERE = {
    "captive",  # from who is held captive
    "balloon",  # bought for one roll
    "rogue-merchant-contact",  # from rogue and merchant-contact
}
SURROUNDINGS = {"scene", "weather", "last-week"}

NAMED = {
    "unit": """newtype detector-unit detector-types all-stealth all-climate-specific all-airborne all-underwater
        all-infantry perimeter-grid damaged-hq-bunker damaged-comm-tower no-cellblock enlarged-cellblock
        damaged-cellblock no-outer-wall damaged-outer-wall urban sealed island super-fortress""",
    "character": """officer ss grizzled-veteran rogue team-leader lucky smuggler charisma scout operative elite-infantry
        black-ops terrorist hardy interrogation merciless high-command""",
}


@pytest.fixture(scope="module")
def small() -> Book:
    """Load the small test book."""
    return load_folder(SMALL)


def _list_modifiers() -> Iterator[Modifier]:
    for table in BOOK.tables.values():
        yield from table.modifiers


def _list_lone_traits(modifier: Modifier) -> set[str]:
    whole = {clause[0].partition(".")[2] for clause in modifier.when if len(clause) == 1}
    return whole & BOOK.traits.keys()


def test_everything_written_of_a_trait_or_effect_is_kept(small: Book) -> None:
    """In file order, secret as its fact."""
    assert list(small.traits.values()) == [
        Trait("newtype", "Newtype aboard", BOTH, "crew"),
        Trait("balloons", "Balloons", UNIT, "stores", counted=True),
        Trait("airborne", "Airborne", UNIT, "place", "place"),
        Trait("clear", "In the clear", UNIT, "place", "place"),
    ]
    assert list(small.effects.values()) == [
        Effect("tipped-off", "Tipped off", End("update"), secret=True),
        Effect("gale", "Caught in a gale", End("cleared"), secret=False),
    ]


def test_every_fact_of_somebody_can_be_saved() -> None:
    """All but kinds, stances, battles and surroundings, each as one thing."""
    facts = {fact.trait for fact in BOOK.facts.values() if fact.role not in SURROUNDINGS}
    reachable = BOOK.traits.keys() | BOOK.effects.keys()
    assert facts - reachable == KIND | FIELDS | STANCE | BATTLE | ELSEWHERE
    assert reachable - facts == set()
    around = {fact.trait for fact in BOOK.facts.values() if fact.role in SURROUNDINGS}
    assert around & (BOOK.traits.keys() | BOOK.effects.keys()) == set()
    assert BOOK.traits.keys() & BOOK.effects.keys() == set()
    bases = {fact.trait for fact in BOOK.facts.values() if fact.role == "base"} & BOOK.traits.keys()
    assert [trait for trait in bases if "unit" not in BOOK.traits[trait].on] == []


@pytest.mark.parametrize("bearer", NAMED)
def test_the_usual_traits_are_there(bearer: str) -> None:
    """Their bearers can have them."""
    lacking = [trait for trait in NAMED[bearer].split() if bearer not in BOOK.traits[trait].on]
    assert lacking == []


def test_captives_and_interrogators_are_people() -> None:
    """Their traits are characters'."""
    roles: dict[str, set[str]] = {}
    for fact in BOOK.facts.values():
        roles.setdefault(fact.trait, set()).add(fact.role)
    people = {"captive", "interrogator"}
    alone = {trait for trait in BOOK.traits if roles[trait] <= people}
    assert {BOOK.traits[trait].on for trait in alone} == {CHARACTER}
    too = {trait for trait in BOOK.traits if roles[trait] & people}
    assert {trait for trait in too if "character" not in BOOK.traits[trait].on} == {"newtype"}


def test_what_a_line_counts_has_a_number() -> None:
    """Counted traits are those counted per unit."""
    per = set().union(*(_list_lone_traits(modifier) for modifier in _list_modifiers() if modifier.per))
    assert {trait.id for trait in BOOK.traits.values() if trait.counted} == per == {"detector-types", "non-r-ships"}


def test_no_alternative_shuts_out_what_a_line_asks_for() -> None:
    """Facts of one line don't exclude each other."""
    clauses = [
        [BOOK.facts[literal] for literal in clause if literal in BOOK.facts]
        for modifier in _list_modifiers()
        for clause in modifier.when
    ]
    pairs = [
        (BOOK.traits[one.trait].one_of, BOOK.traits[other.trait].one_of)
        for clause in clauses
        for one, other in combinations(clause, 2)
        if one.role == other.role and {one.trait, other.trait} <= BOOK.traits.keys()
    ]
    assert pairs
    assert [pair for pair in pairs if pair[0] is not None and pair[0] == pair[1]] == []


@pytest.mark.parametrize("kind", ["territory", "domain"])
def test_alternatives_of_the_page_are_alternatives_of_the_card(kind: str) -> None:
    """Territories and domains."""
    apart = set().union(
        *(_list_lone_traits(modifier) for modifier in _list_modifiers() if (modifier.one_of or "").endswith(kind))
    )
    assert {trait.id for trait in BOOK.traits.values() if trait.one_of == kind} == apart
    assert len(apart) > 1


def test_traits_suit_a_select() -> None:
    """Groups fit, labels are short and unique."""
    assert max(Counter(trait.group for trait in BOOK.traits.values()).values()) <= 25
    groups = {(trait.one_of, trait.group) for trait in BOOK.traits.values() if trait.one_of}
    assert sorted(groups) == [
        ("cellblock", "buildings"),
        ("domain", "domain"),
        ("outer-wall", "buildings"),
        ("territory", "territory"),
    ]
    for items in (BOOK.traits.values(), BOOK.effects.values()):
        labels = [item.label for item in items]
        assert len({label.casefold() for label in labels}) == len(labels)
        assert [label for label in labels if not re.fullmatch("[A-Z].{1,39}", label)] == []


def test_what_the_enemy_must_not_know_is_secret_and_what_happens_today_ends() -> None:
    """Day effects end with the update."""
    assert {effect.trait for effect in BOOK.effects.values() if effect.secret} == {
        *("scouted", "hidden", "inside-information", "password-known", "ambushed-today")
    }
    assert {effect.trait for effect in BOOK.effects.values() if effect.end == End("cleared")} == {
        *("under-siege", "scouted", "hidden", "password-known"),
        *("injured", "seriously-injured", "cracked"),
    }
    assert [
        trait for trait in BOOK.effects if trait.endswith("-today") and BOOK.effects[trait].end != End("update")
    ] == []
