"""Turns of the RoE book and what lasts in them, asked as on the command line: golden answers, and what holds of any question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.books.roe.catalog import Option
from rules.books.roe.turns import Allowance, Bar, Lasting, Timer, Upkeep
from tests.answers.roe_turns import readable
from tests.rules.roe.asking import GOLDEN, ROE, ask

HERE = Path(__file__).parent
AFTER = HERE.parents[1] / "cogs/roe/aftermath"
ACTS = sorted(act.removeprefix("turn.") for act in ROE.acts if act.startswith("turn."))
FACTS = sorted(fact.removeprefix("actor.") for fact in readable(ROE))
MOMENTS: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict, turn=st.integers(1, 12), when=st.sampled_from(["before", "during", "after"])
)
TURNS = {
    "turn": st.integers(1, 4),
    "facts": st.lists(st.sampled_from(FACTS), max_size=4, unique=True),
    "lost": st.integers(0, 3),
    "extra": st.integers(0, 3),
    "does": st.lists(st.sampled_from(ACTS), max_size=8),
}


def place(moment: dict[str, Any]) -> int:
    """The first turn at whose start something stands that began at a moment."""
    later: bool = moment["when"] != "before"
    return int(moment["turn"]) + later


def test_what_turns_are_made_of_is_there() -> None:
    """Whatever an entry names is an effect, a score, a fact or a mark of the book, and every act is asked about above.

    What comes after a fight is nothing that the command line is asked: that is played through the bot.
    """
    marks = ROE.listed(Allowance).keys()
    assert {mark for bar in ROE.listed(Bar).values() for mark in bar.takes} <= marks
    assert {item.of for item in ROE.listed(Upkeep).values()} <= ROE.facts.keys()
    assert {item.effect for item in ROE.listed(Lasting).values()} <= {None, *ROE.effects}
    assert {score for item in ROE.listed(Lasting).values() for score in item.scores} <= ROE.scores.keys()
    rules = {rule for option in ROE.listed(Option).values() for rule in option.rules}
    assert {item.rule for item in ROE.listed(Timer).values() if item.rule} <= rules
    assert all(ROE.number(item.number) for item in ROE.listed(Timer).values())
    told = "\n".join(file.read_text("utf-8") for file in GOLDEN)
    played = "\n".join(file.read_text("utf-8") for file in AFTER.glob("test_*.py"))
    asked = {True: played, False: told}
    words = {act: f'"{act.partition(".")[2]}"' for act in ROE.acts}
    assert [act for act, word in words.items() if word not in asked[act.startswith("after.")]] == []
    assert {cost.mark for act in ROE.acts.values() for cost in act.costs} <= marks


def test_no_act_is_named_in_python() -> None:
    """Python knows how the ids of acts begin, and no more of them."""
    files = [*(HERE.parents[2] / "rules/books/roe").glob("*.py"), *(HERE.parents[1] / "answers").glob("roe*.py")]
    text = "\n".join(file.read_text("utf-8") for file in files)
    assert files
    assert [act for act in ROE.acts if f'"{act}"' in text] == []


@given(st.fixed_dictionaries(TURNS))
def test_no_act_takes_more_than_there_is(question: dict[str, Any]) -> None:
    """Actions and movements left are never below nought nor more than there were, whatever is done in whatever order."""
    told = ask(op="turn", **question)
    assert all(0 <= left <= told[mark] for mark, left in told["left"].items())
    assert len(told["acts"]) == len(question["does"])


@given(st.fixed_dictionaries(TURNS))
def test_an_act_that_is_refused_changes_nothing(question: dict[str, Any]) -> None:
    """Without those that were not allowed, all others go as they went, and the same is left."""
    told = ask(op="turn", **question)
    allowed = [act for act, did in zip(question["does"], told["acts"], strict=True) if did["allowed"]]
    again = ask(op="turn", **{**question, "does": allowed})
    assert again["acts"] == [did for did in told["acts"] if did["allowed"]]
    assert {**again, "acts": told["acts"]} == told


@given(
    st.sampled_from(["debuff", "buff", "zone", "emp", "cybernetic", "stun", "bleed", "burn"]),
    st.integers(1, 6),
    MOMENTS,
    st.lists(MOMENTS, max_size=3),
    st.sampled_from([None, "Hyperactivity", "Environmental Suit", "Fully Artificial"]),
)
def test_every_effect_ends_when_its_turns_are_over(
    effect: str, turns: int, at: dict[str, Any], again: list[dict[str, Any]], racial: str | None
) -> None:
    """Whoever goes first: it stands at the start of just so many turns after the last time that it took hold."""
    again = sorted((item for item in again if place(item) > place(at)), key=lambda item: (place(item), item["when"]))
    told = ask(op="effect", effect=effect, turns=turns, at=at, again=again, racial=racial)
    held = [at, *(item for item, took in zip(again, told["again"], strict=True) if took)]
    expected = {turn for item in held for turn in range(place(item), place(item) + told["turns"])}
    assert told["active"] == sorted(expected)
    assert told["ends_after"] == max(expected, default=None)


@given(st.sampled_from(["debuff", "stun", "bleed"]), st.integers(1, 6), MOMENTS, MOMENTS)
def test_what_is_removed_stands_no_more(effect: str, turns: int, at: dict[str, Any], removed: dict[str, Any]) -> None:
    """It stands in the turns before its removal, and as without it there; without a removal nothing is shorter."""
    whole = ask(op="effect", effect=effect, turns=turns, at=at)["active"]
    told = ask(op="effect", effect=effect, turns=turns, at=at, removed=removed)
    if "error" in told:
        assert place(removed) <= place(at)
    else:
        assert told["active"] == [turn for turn in whole if turn < place(removed)]


@given(st.lists(st.sampled_from(["auto", "single", "suppress", "reload", "move", "other"]), max_size=14))
def test_a_weapon_that_fires_automatically_is_reloaded_in_between(turns: list[str]) -> None:
    """Between any four turns of automatic fire of a chain-fed gun lie two Actions of reloading that nobody broke by moving."""
    legal = ask(op="ready", token="L_a_MG", turns=turns)["legal"]  # noqa: S106 - of a weapon
    done = [word for word, allowed in zip(turns, legal, strict=True) if allowed]
    since = 0
    for word in done:
        since = 0 if word == "reload" else since + (word in {"auto", "suppress"})
        assert since <= 3
    assert all(allowed for word, allowed in zip(turns, legal, strict=True) if word in {"move", "other", "reload"})


@given(st.integers(0, 200), st.integers(0, 400), st.integers(0, 400))
def test_more_damage_never_leaves_more(hp: int, some: int, more: int) -> None:
    """HP are never below nought, and more damage never leaves more of them."""
    left, less = (ask(op="wound", hp=hp, damage=damage) for damage in sorted((some, more)))
    assert 0 <= less["hp"] <= left["hp"] <= hp
    assert left["save_needed"] <= less["save_needed"]


@pytest.mark.parametrize("op", ["ready", "grenade", "turn", "may", "effect", "timer", "wound", "fight", "arrive"])
def test_a_key_that_is_unknown_or_of_a_wrong_type_is_told(op: str) -> None:
    """Neither ends the run; each is answered with an error."""
    for question in (
        {"hat": 1},
        {"turns": "x", "turn": "1", "do": 1, "effect": 1, "timer": 1, "hp": "x", "defender": 1, "by": 1, "token": 1},
    ):
        assert [*ask(op=op, **question)] == ["error"]
