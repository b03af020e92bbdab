from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.effects import End, Key, Moment, end_values, is_current
from rules.errors import BookError
from rules.loader import load_folder
from rules.procedure import apply_as_declared
from rules.subjects import subject_key
from rules.tables import AppliedConsequence, Consequence
from tests.rules.toybook import CLIMB, FOLDER, TOY

START = datetime(2026, 3, 1, tzinfo=UTC)
FIGHT, OTHER = "scene:4", "scene:5"
PEOPLE = (1, 2, 3, 4)


def _add_hours(at: datetime, hours: int) -> str:
    return (at + timedelta(hours=hours)).isoformat()


def _make_moment(update: int = 1, *, entry: int = 0, scene: str | None = None, at: datetime = START) -> Moment:
    return Moment(update, partial(_add_hours, at), entry, scene)


def _apply_deed(deed: str, scene: str | None = None, **more: int) -> dict[str, Any]:
    done = Consequence(deed, "resister", more.get("amount"), more.get("turns"))
    applied = AppliedConsequence(
        done,
        TOY.deeds[deed],
        "Bob",
        _make_moment(3, entry=7, scene=scene),
        {},
        whose=1 if TOY.deeds[deed].end.of == "bearer" else 2,
    )
    rule = TOY.rule(deed)
    return {name: value for _, name, value in rule(applied)} if rule else {}


def test_a_deed_lasts_as_its_book_declares() -> None:
    """Until update, time, turns or scene, and it ends others."""
    assert _apply_deed("rally") == {"effect.dazed": None, "effect.rallied": {"entry": 7, "update": 3}}
    assert _apply_deed("wound", amount=15) == {"effect.wounded": {"entry": 7, "at": _add_hours(START, 4), "amount": 15}}
    two = {"scene": FIGHT, "of": 1, "left": 2}
    assert _apply_deed("daze", FIGHT) == {"effect.dazed": {"entry": 7, "turns": two}}
    assert _apply_deed("daze", FIGHT, turns=5)["effect.dazed"]["turns"]["left"] == 5
    assert _apply_deed("ward", FIGHT)["effect.warded"]["turns"] == {"scene": FIGHT, "of": 2, "left": 3}
    assert _apply_deed("inspire", FIGHT) == {"effect.inspired": {"entry": 7, "scene": FIGHT}}
    assert TOY.rule("kill") is None
    assert _apply_deed("daze") == {"effect.dazed": {"entry": 7}}
    assert _apply_deed("inspire") == {"effect.inspired": {"entry": 7}}


def test_a_function_settles_a_deed_that_the_book_declares() -> None:
    """It replaces the declaration; unknown deeds are faults."""
    settled = load_folder(FOLDER, (replace(CLIMB, settles={"kill": lambda applied: iter([(applied.name, "x", 1)])}),))
    applied = AppliedConsequence(Consequence("kill"), settled.deeds["kill"], "Bob", _make_moment(), {})
    rule = settled.rule("kill")
    assert rule is not None
    assert list(rule(applied)) == [("Bob", "x", 1)]
    with pytest.raises(BookError, match="needs deed kil, which doesn't exist, did you mean kill"):
        load_folder(FOLDER, (replace(CLIMB, settles={"kil": apply_as_declared}),))


@given(
    st.integers(1, 4), st.integers(1, 4), st.integers(0, 10_000), st.integers(1, 100), st.sampled_from([0, 1, 999_999])
)
def test_updates_and_the_clock_end_what_is_bound_to_them(
    begun: int, seen: int, minutes: int, hours: int, microseconds: int
) -> None:
    """Values with neither last until cleared."""
    then = _make_moment(begun, at=START + timedelta(microseconds=microseconds))
    now = _make_moment(seen, at=START + timedelta(minutes=minutes))
    assert is_current(End("update").expiry_keys(then), now) == (begun == seen)
    due = START + timedelta(hours=hours, microseconds=microseconds)
    assert is_current(End("hours", hours).expiry_keys(then), now) == (START + timedelta(minutes=minutes) < due)
    assert is_current(End("cleared").expiry_keys(then), now)
    assert is_current({"at": 12, "by": 13, "since": "2026"}, now), "a captivity names a place"


class _Fight:
    """A scene next to a plain count of remaining turns; `expected` has bearer, whose turns, left, entry."""

    def __init__(self) -> None:
        self.there, self.acting, self.began, self.entry = {*PEOPLE}, PEOPLE[0], 1, 1
        self.kept: dict[Key, Any] = {}
        self.expected: dict[Key, tuple[int, int | None, int, int]] = {}

    def turn(self, who: int) -> None:
        """End a turn and begin another."""
        if who not in self.there:
            return
        if self.acting in self.there:
            self._apply(end_values(self.kept, FIGHT, turns=(self.acting,), began=self.began))
            for key, (bearer, of, left, entry) in self.expected.items():
                counts = of == self.acting and entry < self.began
                self.expected[key] = (bearer, of, left - counts, entry)
        self.acting, self.began = who, self.entry

    def join(self, who: int) -> None:
        """Let one come in or back."""
        self.there.add(who)

    def leave(self, who: int) -> None:
        """Let one leave, with what depends on it."""
        self.there.discard(who)
        self._apply(end_values(self.kept, FIGHT, left={who}))
        mine = {key for key, (bearer, of, *_) in self.expected.items() if of == who or (of is None and bearer == who)}
        self.expected = {key: item for key, item in self.expected.items() if key not in mine}

    def effect(self, what: tuple[int, int, int]) -> None:
        """Add an effect for turns, or for the scene (0)."""
        bearer, of, turns = what
        if {bearer, of} <= self.there:
            key, end = (subject_key(bearer), f"effect.{self.entry}"), End("turns", turns)
            end = end if turns else End("scene")
            self.kept[key] = {"entry": self.entry, **end.expiry_keys(_make_moment(scene=FIGHT), of)}
            self.expected[key] = (bearer, of if turns else None, turns or 1, self.entry)

    def require_right(self) -> None:
        """Require exactly the expected effects; another scene changes none."""
        assert self.kept.keys() == {key for key, (_, _, left, _) in self.expected.items() if left > 0}
        elsewhere = end_values(self.kept, OTHER, turns=PEOPLE, began=self.entry, left=PEOPLE, over=True)
        assert elsewhere == end_values(self.kept, FIGHT) == {}

    def end(self) -> None:
        """End the scene."""
        self._apply(end_values(self.kept, FIGHT, over=True))

    def _apply(self, changes: Mapping[Key, Any]) -> None:
        self.kept = {key: value for key, value in {**self.kept, **changes}.items() if value is not None}


who = st.sampled_from(PEOPLE)
acts = [st.tuples(st.just(act), who) for act in ("turn", "turn", "join", "leave")]
acts.append(st.tuples(st.just("effect"), st.tuples(who, who, st.integers(0, 3))))


@given(st.lists(st.one_of(acts), max_size=40))
def test_every_effect_ends_when_it_should_whoever_goes_first_joins_or_leaves(script: list[tuple[str, Any]]) -> None:
    """Effects match a plain count after every step."""
    fight = _Fight()
    for act, what in script:
        fight.entry += 1
        getattr(fight, act)(what)
        fight.require_right()
    fight.end()
    assert fight.kept == {}
