"""A fight without a bot: what each step replaces (C01, C07.1, C30.1-2)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from rules.books.roe import fights as steps
from rules.books.roe.fights import ARRIVING, FIRST_ATTACK, TURN, Fight, FightHeader
from rules.scenes import Participant, Replacement, Scene, begin, stamp_turn

FIGHTERS = tuple(Participant(number, name) for number, name in enumerate(("Ann", "Bob", "Cid"), 1))


def apply(fight: Fight, replacements: Sequence[Replacement], entry: int = 9) -> Fight:
    """Return the fight after these replacements."""
    return steps.after(fight, stamp_turn(fight, replacements, entry))


def begin_fight(*fighters: Participant, mode: bool = True) -> Fight:
    """Return a fight whose defender chose dice."""
    header = FightHeader("Duel", (), 4, order="participants", defender=fighters[0].id)
    fight = apply(Scene(header), begin(header, fighters), 4)
    return apply(fight, steps.choose(fight, "dice", 5)) if mode else fight


def marks(fight: Fight) -> dict[int, dict[str, int]]:
    """Return each fighter's marks."""
    return {item.id: dict(item.marks) for item in fight.roster}


def test_no_turn_begins_before_the_choice() -> None:
    """C01.1: the choice begins the first turn (C07.1)."""
    fight = begin_fight(*FIGHTERS, mode=False)
    assert fight.header.mode is None
    assert marks(fight) == {1: {}, 2: {}, 3: {}}
    chosen = apply(fight, steps.choose(fight, "freeform", 5))
    assert (chosen.header.mode, chosen.header.since) == ("freeform", 5)
    assert marks(chosen) == {1: dict(TURN), 2: {}, 3: {}}


def test_who_arrives_or_was_called_has_a_place_of_their_own() -> None:
    """C30.1, C30.2, C30.4: in the next round, or right behind."""
    fight = begin_fight(*FIGHTERS[:2])
    fight = apply(fight, steps.join(fight, FIGHTERS[2], None, waits=True))
    seen = []
    for _ in range(5):
        seen.append((fight.header.turn, fight.now, ARRIVING in marks(fight)[3]))
        fight = apply(fight, steps.end_turn(fight))
    assert seen == [(1, 1, True), (1, 2, True), (2, 1, True), (2, 2, True), (2, 3, True)]
    assert (fight.header.turn, marks(fight)[3]) == (3, {FIRST_ATTACK: 1, **TURN})
    called = begin_fight(*FIGHTERS[:2])
    for waits, following in ((False, 3), (True, 2)):
        other = apply(called, steps.join(called, FIGHTERS[2], 1, waits=waits))
        assert [item.id for item in other.roster] == [1, 3, 2]
        assert apply(other, steps.end_turn(other)).now == following


def test_what_is_agreed_upon_holds_when_all_have_said_yes() -> None:
    """C01.2, C01.6: only voters count."""
    header = steps.propose(begin_fight(*FIGHTERS).header, "lock", 7)
    header = steps.agree(header, [1], [1, 2])
    assert header.votes is not None
    assert (header.votes.yes, header.locked) == ((1,), False)
    assert steps.agree(header, [1], [1, 2]) == header
    locked = steps.agree(header, [2], [1, 2])
    assert (locked.votes, locked.locked) == (None, True)
    assert steps.agree(locked, [1], [1]) == locked
    assert steps.decide(header, "freeform").mode == "freeform"


def test_conditions_are_those_that_were_said() -> None:
    """C01.7, C05.3: unknown light and weather aren't noted."""
    assert steps.conditions(None, None) == {}
    assert steps.conditions("night", None) == {"scene.day": 0, "scene.night": 1}
    assert steps.conditions("day", 0) == {"scene.day": 1, "scene.night": 0, "scene.weather": 0}
    header = steps.propose(begin_fight(*FIGHTERS).header, "lock", 7)
    assert FightHeader.of(to_builtins(header.value())) == header
    assert {"votes", "locked", "mode"}.isdisjoint(begin_fight(*FIGHTERS, mode=False).header.value())


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(["end", "join", "called", "leave", "order"]), st.integers(0, 9)), max_size=25)
)
def test_whoevers_turn_begins_has_all_of_it(deeds: list[tuple[str, int]]) -> None:
    """C07.1: one fighter has an Action and a movement."""
    fight, newest = begin_fight(*FIGHTERS), 3
    for deed, number in deeds:
        some = fight.roster[number % len(fight.roster)]
        before = (fight.header.turn, fight.now)
        if deed == "end":
            step = steps.end_turn(fight)
        elif deed == "leave" and len(fight.roster) > 1:
            step = steps.leave(fight, some.id)
        elif deed == "order":
            step = steps.reorder(fight, sorted((item.id for item in fight.roster), key=lambda id_: (id_ * number) % 7))
        else:
            newest += 1
            new = Participant(newest, f"N{newest}")
            step = steps.join(fight, new, some.id if deed == "called" else None, waits=bool(number % 2))
        fight = apply(fight, step)
        on_turn = fight.combatant(fight.now) if isinstance(fight.now, int) else None
        assert on_turn is not None
        if (fight.header.turn, fight.now) != before:
            assert TURN.items() <= on_turn.marks.items()
