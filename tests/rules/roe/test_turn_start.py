"""The start of a turn takes HP; upkeep ends at its end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.books.roe.characters import true_facts
from rules.books.roe.handling import TURN, TURN_START, list_expired
from rules.books.roe.wounds import HEALTH
from rules.dice import ScriptedDice
from rules.effects import EFFECT
from rules.loader import load_book
from rules.modifiers import Facts, KnownFact, Origin
from rules.procedure import MethodResult, Part
from rules.scenes import MEMBER

BOOK = load_book("roe")
METHOD = BOOK.procedure(TURN_START).method


def part_of(*effects: str, hp: int = 30, lost: int = 0, stacks: int = 1, **facts: int) -> Part:
    """Put Kai under these effects in a fight."""
    known: Facts = {
        f"actor.{name}": KnownFact(count, Origin("field", "typed")) for name, count in {"hp": hp, **facts}.items()
    }
    lasting = {EFFECT + trait: {"entry": 1, "amount": stacks} for trait in effects}
    own = {MEMBER: {"id": 7, "marks": {"actions": 1, "movements": 1}}, **({HEALTH: {"lost": lost}} if lost else {})}
    return Part("Kai", {"actor": "Kai"}, known, inputs={TURN: 2}, kept={"Kai": {**lasting, **own}})


def play(part: Part, *faces: int) -> MethodResult:
    """Play a start with these d10."""
    return METHOD.play(part, BOOK, ScriptedDice((10, face) for face in faces))


@given(
    hp=st.integers(1, 60),
    share=st.integers(0, 59),
    faces=st.lists(st.integers(1, 10), max_size=3),
    bleeds=st.booleans(),
    dr=st.integers(0, 40),
)
def test_what_lasts_takes_what_the_page_says(hp: int, share: int, faces: list[int], bleeds: bool, dr: int) -> None:  # noqa: FBT001 - drawn
    """Bleeding ignores DR, other dice are reduced once."""
    lost = share % hp
    effects = [*(["bleeding"] if bleeds else []), *(["burning"] if faces else [])]
    part = part_of(*effects, hp=hp, lost=lost, stacks=max(1, len(faces)), dr=dr)
    taken = (5 if bleeds else 0) + max(0, sum(faces) - min(30, dr))
    result = play(part, *faces)
    assert result.record["taken"] == taken
    assert result.record["hp"] == max(0, hp - lost - taken)
    assert [item.do for item in result.conclusion.consequences] == (["wound"] if lost + taken >= hp else [])


def test_nothing_befalls_who_is_down_or_of_whom_nobody_knows_the_hp() -> None:
    """No roll is made."""
    healing = {"option.healing-factor": 1}
    assert METHOD.lines(part_of("bleeding"), BOOK) == ["Bleed: 5 HP"]
    assert METHOD.lines(part_of("burning", stacks=2), BOOK) == ["Chemical Burn: 2d10 HP"]
    assert METHOD.lines(part_of(lost=1, **healing), BOOK) == ["HP per round: 1 HP back"]
    assert METHOD.lines(part_of(**healing), BOOK) == []
    assert METHOD.lines(part_of("bleeding", lost=30), BOOK) == ()
    assert METHOD.lines(replace(part_of("bleeding"), facts={}), BOOK) == ()


def test_whoever_goes_down_at_the_start_has_nothing_left_of_the_turn() -> None:
    """Neither Action nor movement."""
    changes = {name: value for _, name, value in play(part_of("bleeding", hp=5)).changes}
    assert changes[MEMBER]["marks"] == {}
    assert changes[HEALTH] == {"lost": 5}


@pytest.mark.parametrize(
    ("traits", "notes", "lost"),
    [
        (["holding"], [], True),
        (["holding"], ["turn.interact"], False),
        (["holding", "stunned"], ["turn.interact"], True),
        (["holding", "wounded"], ["turn.interact"], True),
        ([], [], False),
    ],
)
def test_a_hold_is_lost_unless_something_was_done_with_it(traits: list[str], notes: list[str], lost: bool) -> None:  # noqa: FBT001 - listed
    """Also always under a stun (line 428)."""
    assert true_facts("actor", *traits).keys() <= BOOK.facts.keys()
    (hold,) = list_expired(BOOK, ["holding"], [])
    assert list_expired(BOOK, traits, notes) == ([hold] if lost else [])
    assert (hold.ends, hold.frees) == (("holding",), ("held",))
