"""After a fight: odds of loot, and effects by the clock."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.campaigns import make_moment
from rules.books import kinds_of, procedures_of
from rules.books.roe.aftermath import SIZE, WITNESS
from rules.books.roe.characters import true_facts
from rules.books.roe.contests import SKILL
from rules.books.roe.wounds import HANGING, LOOTED, WOUNDED, RollSubject, list_facts
from rules.dice import ScriptedDice
from rules.errors import BookError, RollError
from rules.loader import BOOKS, load_folder
from rules.modifiers import JsonObject
from rules.procedure import Part
from rules.tables import AppliedConsequence, Consequence
from tests.rules.roe.asking import ROE

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
KAI, CHAR = 1, 2
Value = Mapping[str, Any]


def part(inputs: JsonObject | None = None, *resister: str, actor: tuple[str, ...] = ()) -> Part:
    """Kai acts on Char, who has these traits."""
    facts = {**true_facts("resister", *resister), **true_facts("actor", *actor)}
    return Part("Char", {"actor": "Kai", "resister": "Char"}, facts, inputs=inputs or {})


def settle(deed: str, kept: Mapping[str, Value | None], *, hour: int = 0, entry: int = 9) -> dict[str, Any]:
    """Return what a consequence of Kai's changes about Char."""
    at = make_moment(1, NOW.replace(hour=12 + hour), entry)
    applied = AppliedConsequence(Consequence(deed, "resister"), ROE.deeds[deed], "Char", at, kept, other=KAI)
    rule = ROE.rule(deed)
    assert rule is not None
    return {name: value for _, name, value in rule(applied)}


@pytest.mark.parametrize("family", ["roe.rob", "roe.steal", "roe.seize", "roe.cuffing"])
@pytest.mark.parametrize("traits", [(), ("cuffed",), ("stunned",), ("wounded",)])
@pytest.mark.parametrize("inputs", [{}, {SIZE: 27}, {WITNESS: True}])
def test_the_odds_of_what_is_taken_are_whole(family: str, traits: tuple[str, ...], inputs: JsonObject) -> None:
    """They sum to 1."""
    method = ROE.procedures[family].method
    assert sum((item.chance for item in method.odds(part(inputs, *traits), ROE)), Fraction(0)) == 1


def test_a_book_that_allows_no_handcuffs_closes_none(tmp_path: Path) -> None:
    """The number of uses (line 499) also counts for the surrendering."""
    folder = Path(shutil.copytree(BOOKS / "roe", tmp_path / "roe"))
    checks = folder / "checks.toml"
    printed = re.compile(r'(id    = "cuff-uses".*?\nvalue = )1\n', re.DOTALL)
    checks.write_text(printed.sub(r"\g<1>0\n", checks.read_text("utf-8"), count=1), "utf-8")
    book = load_folder(folder, procedures_of("roe"), kinds=kinds_of("roe"))
    with pytest.raises(RollError, match="already been used"):
        ROE.procedures["roe.cuffing"].method.play(part(None, "surrenders"), book, ScriptedDice([]))


def test_a_book_without_looting_is_only_at_fault_for_rolls_that_loot(tmp_path: Path) -> None:
    """Treatment, surgery and the hospital don't need what happens to the looted."""
    folder = Path(shutil.copytree(BOOKS / "roe", tmp_path / "roe"))
    after = folder / "after.toml"
    after.write_text(after.read_text("utf-8").replace('{ id = "loot",', '{ id = "rob",'), "utf-8")
    with pytest.raises(BookError) as caught:
        load_folder(folder, procedures_of("roe"), kinds=kinds_of("roe"))
    lacking = {fault.what.split()[1] for fault in caught.value.faults if "needs deed loot" in fault.what}
    assert lacking == {"roe.rob", "roe.steal", "roe.seize", "roe.cuffing"}


@pytest.mark.parametrize("family", ["roe.check", "turn.skill", "roe.turn.hack"])
def test_a_skill_that_nobody_resists_is_rolled(family: str) -> None:
    """Only a roll against a helpless person is won without dice."""
    method = ROE.procedures[family].method
    assert method.stages(part({SKILL: "strength"}, "cuffed"), ROE)


@given(st.integers(1, 1000), st.data())
def test_no_more_is_taken_than_there_is(size: int, data: st.DataObject) -> None:
    """A die gives 1 to the stack, 100 at most; one thing needs none."""
    sides = min(size, 100)
    face = data.draw(st.integers(1, sides))
    dice = ScriptedDice([(100, 60), (100, 40), *([(sides, face)] if sides > 1 else [])])
    result = ROE.procedures["roe.rob"].method.play(part({SIZE: size}), ROE, dice)
    dice.finish()
    assert result.record["taken"] == face


@given(st.lists(st.integers(0, 8), min_size=1, max_size=5).map(sorted))
def test_each_blow_on_the_wounded_adds_four_hours(hours: list[int]) -> None:
    """It prolongs a running wound, or starts one now (A23)."""
    wound: Value | None = None
    end, since = 0, 0
    for place, hour in enumerate(hours, 1):
        since = since if wound and end > hour else place
        end = max(end, hour) + 4
        wound = settle("wound", {WOUNDED: wound}, hour=hour, entry=place)[WOUNDED]
        assert wound["at"] == make_moment(1, NOW).hence(end)
        assert wound["since"] == since


def test_the_hours_of_an_effect_are_those_of_its_number() -> None:
    """Wounded set by hand lasts as printed."""
    assert ROE.effects["wounded"].end.count == ROE.number("wounded-hours")


def test_loot_is_once_for_each_wound() -> None:
    """A search counts until the wound ends, only for its searcher."""
    wound = {"entry": 3, "since": 3, "at": make_moment(1, NOW).hence(4), "other": KAI}
    looted = settle("search", {WOUNDED: wound})[LOOTED]
    assert (looted["by"], looted["taken"]) == ([KAI], False)
    both = settle("loot", {WOUNDED: wound, LOOTED: looted}, entry=10)[LOOTED]
    assert both["taken"]

    def facts(number: int, at: int = 0, wounded: Value = wound) -> frozenset[str]:
        there = RollSubject(CHAR, {WOUNDED: wounded, LOOTED: looted})
        return list_facts(RollSubject(number, {}), there, make_moment(1, NOW.replace(hour=12 + at)), 4)

    assert facts(KAI) == {"actor.victor", "actor.looted"}
    assert facts(5) == set()
    assert facts(KAI, at=4) == set()
    assert facts(KAI, wounded={**wound, "since": 11}) == {"actor.victor"}


def test_what_hangs_on_what_is_kept_by_the_book() -> None:
    """Values that end with another exist in the book."""
    kept = {LOOTED, *(f"effect.{trait}" for trait in ROE.effects)}
    for names in HANGING.values():
        assert all(any(value.startswith(name) for value in kept) for name in names)
