"""Turns of the RoE book and what lasts in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rules.books.roe.catalog import Option
from rules.books.roe.turns import Allowance, Bar, LastingMark, Timer, Upkeep
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
    """Return the first turn that starts after a moment."""
    later: bool = moment["when"] != "before"
    return int(moment["turn"]) + later


def test_what_turns_are_made_of_is_there() -> None:
    """Every name in an entry exists, and golden lines ask about each act in a fight."""
    marks = ROE.entries_of(Allowance).keys()
    assert {mark for bar in ROE.entries_of(Bar).values() for mark in bar.takes} <= marks
    assert {item.of for item in ROE.entries_of(Upkeep).values()} <= ROE.facts.keys()
    assert {item.effect for item in ROE.entries_of(LastingMark).values()} <= {None, *ROE.effects}
    assert {score for item in ROE.entries_of(LastingMark).values() for score in item.scores} <= ROE.scores.keys()
    rules = {rule for option in ROE.entries_of(Option).values() for rule in option.rules}
    assert {item.rule for item in ROE.entries_of(Timer).values() if item.rule} <= rules
    assert all(ROE.number(item.number) for item in ROE.entries_of(Timer).values())
    golden = "\n".join(file.read_text("utf-8") for file in GOLDEN)
    played = "\n".join(file.read_text("utf-8") for file in AFTER.glob("test_*.py"))
    words = {act: f'"{act.partition(".")[2]}"' for act in ROE.acts}
    assert [act for act, word in words.items() if word not in (played if act.startswith("after.") else golden)] == []
    assert {cost.mark for act in ROE.acts.values() for cost in act.costs} <= marks


def test_no_act_is_named_in_python() -> None:
    """Python knows only the prefix of act ids."""
    files = [*(HERE.parents[2] / "rules/books/roe").glob("*.py"), *(HERE.parents[1] / "answers").glob("roe*.py")]
    text = "\n".join(file.read_text("utf-8") for file in files)
    assert files
    assert [act for act in ROE.acts if f'"{act}"' in text] == []


@given(st.fixed_dictionaries(TURNS))
def test_acts_take_what_there_is_and_refused_ones_nothing(question: dict[str, Any]) -> None:
    """Marks stay within their bounds; without refused acts the rest goes the same."""
    whole = ask(op="turn", **question)
    assert all(0 <= left <= whole[mark] for mark, left in whole["left"].items())
    allowed = [act for act, did in zip(question["does"], whole["acts"], strict=True) if did["allowed"]]
    again = ask(op="turn", **{**question, "does": allowed})
    assert again["acts"] == [did for did in whole["acts"] if did["allowed"]]
    assert {**again, "acts": whole["acts"]} == whole


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
    """It lasts exactly its turns after each start."""
    again = sorted((item for item in again if place(item) > place(at)), key=lambda item: (place(item), item["when"]))
    reply = ask(op="effect", effect=effect, turns=turns, at=at, again=again, racial=racial)
    held = [at, *(item for item, took in zip(again, reply["again"], strict=True) if took)]
    expected = {turn for item in held for turn in range(place(item), place(item) + reply["turns"])}
    assert reply["active"] == sorted(expected)
    assert reply["ends_after"] == max(expected, default=None)


@given(st.sampled_from(["debuff", "stun", "bleed"]), st.integers(1, 6), MOMENTS, MOMENTS)
def test_what_is_removed_stands_no_more(effect: str, turns: int, at: dict[str, Any], removed: dict[str, Any]) -> None:
    """Without a removal nothing is shorter."""
    whole = ask(op="effect", effect=effect, turns=turns, at=at)["active"]
    reply = ask(op="effect", effect=effect, turns=turns, at=at, removed=removed)
    if "error" in reply:
        assert place(removed) <= place(at)
    else:
        assert reply["active"] == [turn for turn in whole if turn < place(removed)]


@given(st.lists(st.sampled_from(["auto", "single", "suppress", "reload", "move", "other"]), max_size=14))
def test_a_weapon_that_fires_automatically_is_reloaded_in_between(turns: list[str]) -> None:
    """Four turns of fire need two Actions in a row."""
    legal = ask(op="ready", token="L_a_MG", turns=turns)["legal"]  # noqa: S106 - of a weapon
    since = 0
    for word in [word for word, allowed in zip(turns, legal, strict=True) if allowed]:
        since = 0 if word == "reload" else since + (word in {"auto", "suppress"})
        assert since <= 3
    assert all(allowed for word, allowed in zip(turns, legal, strict=True) if word in {"move", "other", "reload"})


@given(st.integers(0, 200), st.integers(0, 400), st.integers(0, 400))
def test_more_damage_never_leaves_more(hp: int, some: int, more: int) -> None:
    """HP never go below 0."""
    left, less = (ask(op="wound", hp=hp, damage=damage) for damage in sorted((some, more)))
    assert 0 <= less["hp"] <= left["hp"] <= hp
    assert left["save_needed"] <= less["save_needed"]
