"""How what lasts ends: with its update, its scene, after turns, or by the clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rules.effects import AppliedConsequence, apply_as_declared
from rules.ends import End, Key, Moment, after, holds
from rules.errors import BookError
from rules.loader import load_folder
from rules.subjects import subject_key
from rules.tables import Consequence
from tests.rules.toybook import CLIMB, FOLDER, TOY

START = datetime(2026, 3, 1, tzinfo=UTC)
FIGHT, OTHER = "scene:4", "scene:5"
PEOPLE = (1, 2, 3, 4)


def in_hours(at: datetime, hours: int) -> str:
    """The time so many hours after another."""
    return (at + timedelta(hours=hours)).isoformat()


def moment(update: int = 1, *, entry: int = 0, scene: str | None = None, at: datetime = START) -> Moment:
    """A moment, at the start unless told otherwise."""
    return Moment(update, partial(in_hours, at), entry, scene)


def changed(deed: str, scene: str | None = None, **more: int) -> dict[str, Any]:
    """What a deed of the toy book, done by 2 to 1, keeps from entry 7 on."""
    done = Consequence(deed, "resister", more.get("amount"), more.get("turns"))
    applied = AppliedConsequence(
        done,
        TOY.deeds[deed],
        "Bob",
        moment(3, entry=7, scene=scene),
        {},
        whose=1 if TOY.deeds[deed].end.of == "bearer" else 2,
    )
    rule = TOY.rule(deed)
    return {name: value for _, name, value in rule(applied)} if rule else {}


def test_a_deed_lasts_as_its_book_declares() -> None:
    """To the end of the update, by the clock with an amount, for turns of bearer or initiator, for the scene, outside of which it lasts until it is cleared; and what it ends goes."""
    assert changed("rally") == {"effect.dazed": None, "effect.rallied": {"entry": 7, "update": 3}}
    assert changed("wound", amount=15) == {"effect.wounded": {"entry": 7, "at": in_hours(START, 4), "amount": 15}}
    two = {"scene": FIGHT, "of": 1, "left": 2}
    assert changed("daze", FIGHT) == {"effect.dazed": {"entry": 7, "turns": two}}
    assert changed("daze", FIGHT, turns=5)["effect.dazed"]["turns"]["left"] == 5
    assert changed("ward", FIGHT)["effect.warded"]["turns"] == {"scene": FIGHT, "of": 2, "left": 3}
    assert changed("inspire", FIGHT) == {"effect.inspired": {"entry": 7, "scene": FIGHT}}
    assert TOY.rule("kill") is None
    assert changed("daze") == {"effect.dazed": {"entry": 7}}
    assert changed("inspire") == {"effect.inspired": {"entry": 7}}


def test_a_function_settles_a_deed_that_the_book_declares() -> None:
    """It changes what it says in place of what is declared; for a deed that is not there it is a fault, with the nearest one named."""
    settled = load_folder(FOLDER, (replace(CLIMB, settles={"kill": lambda applied: iter([(applied.name, "x", 1)])}),))
    applied = AppliedConsequence(Consequence("kill"), settled.deeds["kill"], "Bob", moment(), {})
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
    """One holds in its own update alone, the other before its time alone, and what has to be cleared always."""
    then = moment(begun, at=START + timedelta(microseconds=microseconds))
    now = moment(seen, at=START + timedelta(minutes=minutes))
    assert holds(End("update").begun(then), now) == (begun == seen)
    due = START + timedelta(hours=hours, microseconds=microseconds)
    assert holds(End("hours", hours).begun(then), now) == (START + timedelta(minutes=minutes) < due)
    assert holds(End("cleared").begun(then), now)
    assert holds({"at": 12, "by": 13, "since": "2026"}, now), "a captivity names a place"


class Fight:
    """A scene played by `after`, beside a plain count of the turns that each effect has left; `expected` has bearer, whose turns, left, entry."""

    def __init__(self) -> None:
        self.there, self.acting, self.began, self.entry = {*PEOPLE}, PEOPLE[0], 1, 1
        self.kept: dict[Key, Any] = {}
        self.expected: dict[Key, tuple[int, int | None, int, int]] = {}

    def turn(self, who: int) -> None:
        """End the turn of whoever acts, and begin the one of somebody who is there."""
        if who not in self.there:
            return
        if self.acting in self.there:
            self._apply(after(self.kept, FIGHT, turns=(self.acting,), began=self.began))
            for key, (bearer, of, left, entry) in self.expected.items():
                counts = of == self.acting and entry < self.began
                self.expected[key] = (bearer, of, left - counts, entry)
        self.acting, self.began = who, self.entry

    def join(self, who: int) -> None:
        """Let somebody come in, or come back."""
        self.there.add(who)

    def leave(self, who: int) -> None:
        """Let somebody leave, and take along what is counted in those turns, and what holds on that one for the scene."""
        self.there.discard(who)
        self._apply(after(self.kept, FIGHT, left={who}))
        mine = {key for key, (bearer, of, *_) in self.expected.items() if of == who or (of is None and bearer == who)}
        self.expected = {key: item for key, item in self.expected.items() if key not in mine}

    def effect(self, what: tuple[int, int, int]) -> None:
        """Let one do something to another that lasts for turns of the first, or for the scene: 0 turns."""
        bearer, of, turns = what
        if {bearer, of} <= self.there:
            key, end = (subject_key(bearer), f"effect.{self.entry}"), End("turns", turns)
            end = end if turns else End("scene")
            self.kept[key] = {"entry": self.entry, **end.begun(moment(scene=FIGHT), of)}
            self.expected[key] = (bearer, of if turns else None, turns or 1, self.entry)

    def require_right(self) -> None:
        """Claim that those effects hold that should, and that another scene changes none of them."""
        assert self.kept.keys() == {key for key, (_, _, left, _) in self.expected.items() if left > 0}
        elsewhere = after(self.kept, OTHER, turns=PEOPLE, began=self.entry, left=PEOPLE, over=True)
        assert elsewhere == after(self.kept, FIGHT) == {}

    def end(self) -> None:
        """End the scene."""
        self._apply(after(self.kept, FIGHT, over=True))

    def _apply(self, changes: Mapping[Key, Any]) -> None:
        self.kept = {key: value for key, value in {**self.kept, **changes}.items() if value is not None}


who = st.sampled_from(PEOPLE)
acts = [st.tuples(st.just(act), who) for act in ("turn", "turn", "join", "leave")]
acts.append(st.tuples(st.just("effect"), st.tuples(who, who, st.integers(0, 3))))


@given(st.lists(st.one_of(acts), max_size=40))
def test_every_effect_ends_when_it_should_whoever_goes_first_joins_or_leaves(script: list[tuple[str, Any]]) -> None:
    """After every step those effects are in force that a plain count of the turns begun after them says, and none after the scene."""
    fight = Fight()
    for act, what in script:
        fight.entry += 1
        getattr(fight, act)(what)
        fight.require_right()
    fight.end()
    assert fight.kept == {}
