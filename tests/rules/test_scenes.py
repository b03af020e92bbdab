from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rules import scenes
from rules.books.battlesystem.state import BattleHeader, Combatant
from rules.scenes import Header, Participant, PastTurns, Replacement, Scene

Toy = Scene[Header, Participant]
ANN, BOB, CID, DAN = (Participant(number, name) for number, name in enumerate(("Ann", "Bob", "Cid", "Dan"), 1))
Order = Literal["participants", "sides"]


def _begin_duel(*people: Participant, order: Order | None = "participants", sides: tuple[str, ...] = ()) -> Toy:
    header = Header("The docks", sides, 4, order=order)
    return _apply_changes(Scene(header), scenes.begin(header, people))


def _apply_changes(scene: Toy, replacements: Sequence[Replacement], entry: int = 9) -> Toy:
    return scenes.apply_replacements(scene, scenes.stamp_turn(scene, replacements, entry))


def _end_turn(scene: Toy, entry: int = 9) -> Toy:
    return _apply_changes(scene, [Replacement(scene.header, scenes.end_turn(scene))], entry)


def test_participants_take_turns_and_a_round_ends_with_the_last() -> None:
    """Without order, each end begins everyone's next turn."""
    scene = _begin_duel(ANN, BOB, CID)
    seen = []
    for _ in range(5):
        seen.append((scene.header.turn, scene.now))
        scene = _end_turn(scene)
    assert seen == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2)]
    scene = _begin_duel(ANN, BOB, order=None)
    assert scene.now is None
    turned = [Replacement(scene.header, scenes.end_turn(scene))]
    assert scenes.find_passed(scene, turned) == PastTurns("scene:the docks", 4, (1, 2), (), over=False)
    assert (_apply_changes(scene, turned, 12).header.turn, _apply_changes(scene, turned, 12).header.since) == (2, 12)


def test_sides_take_turns_while_somebody_stands_on_them() -> None:
    """Empty sides are skipped; later ones join the round."""
    red, blue = (replace(item, side=side) for item, side in ((ANN, "Reds"), (BOB, "Blues")))
    scene = _begin_duel(red, order="sides", sides=("Greys", "Reds", "Blues"))
    assert scene.now == "Reds"
    scene = _apply_changes(scene, scenes.join(scene, [blue, replace(CID, side="Greys")]))
    assert scene.now == "Reds"
    scene = _end_turn(scene)
    assert (scene.header.turn, scene.now) == (1, "Blues")
    scene = _end_turn(scene)
    assert (scene.header.turn, scene.now) == (2, "Greys")


def test_whoever_is_called_comes_in_right_behind_the_caller() -> None:
    """Others move on by one."""
    scene = _end_turn(_begin_duel(ANN, BOB, CID))
    scene = _apply_changes(scene, scenes.join(scene, [DAN], after=BOB.id))
    assert [item.name for item in scene.roster] == ["Ann", "Bob", "Dan", "Cid"]
    assert scene.now == BOB.id
    assert _end_turn(scene).now == DAN.id


def test_who_leaves_in_the_own_turn_has_ended_it() -> None:
    """Coming back gives no second turn."""
    scene = _begin_duel(ANN, BOB)
    left = scenes.leave(scene, {ANN.id})
    assert scenes.find_passed(scene, left) == PastTurns("scene:the docks", 9, (ANN.id,), (ANN.id,), over=False)
    scene = _apply_changes(scene, left)
    assert scene.now == BOB.id
    scene = _end_turn(_apply_changes(scene, scenes.join(scene, [ANN])))
    assert (scene.header.turn, scene.now) == (2, BOB.id)


def test_the_header_says_with_which_entry_a_turn_began() -> None:
    """Only a new turn changes it."""
    scene = _begin_duel(ANN, BOB)
    assert scene.header.since == 9
    assert _apply_changes(scene, scenes.join(scene, [CID]), 12).header.since == 9
    assert _end_turn(scene, 15).header.since == 15
    over = scenes.end(scene)
    assert scenes.find_passed(scene, over).over
    assert _apply_changes(scene, over) == Scene(replace(scene.header, over=True))


@pytest.mark.parametrize("kind", [Header, BattleHeader])
def test_a_scene_of_before_is_read(kind: type[Header]) -> None:
    """Old battles have no order, conditions or channel."""
    value = {"name": "Ford", "sides": ["Reds", "Blues"], "entry": 4, "turn": 2, "checked": {"Reds": 5}, "over": False}
    read = kind.of(value)
    assert (read.turn, read.sides, read.order, read.done, read.channel) == (2, ("Reds", "Blues"), None, (), None)
    assert {**value, **json.loads(json.dumps(read.value()))} == value


@settings(deadline=None)
@given(st.data())
def test_nobody_loses_or_doubles_a_turn(data: st.DataObject) -> None:
    """Joining, leaving and returning change no turns."""
    order: Order = data.draw(st.sampled_from(["participants", "sides"]))
    sides = ("A", "B", "C")
    people = [replace(item, side=data.draw(st.sampled_from(sides))) for item in (ANN, BOB, CID, DAN)]
    scene = _begin_duel(*people[:3], order=order, sides=sides)
    turns: Counter[int | str] = Counter()
    there = set(scenes.list_slots(scene.header, scene.roster))
    for _ in range(data.draw(st.integers(1, 30))):
        before, out = scene, [item for item in people if item.id not in {other.id for other in scene.roster}]
        deed = data.draw(st.sampled_from(["end", "end", "join", "leave", "move"]))
        if deed == "join" and out:
            behind = data.draw(st.sampled_from([None, *(item.id for item in scene.roster)]))
            scene = _apply_changes(scene, scenes.join(scene, [data.draw(st.sampled_from(out))], behind))
        elif deed == "leave" and scene.roster:
            scene = _apply_changes(scene, scenes.leave(scene, {data.draw(st.sampled_from(scene.roster)).id}))
        elif deed == "move" and scene.roster:
            moved = replace(data.draw(st.sampled_from(scene.roster)), side=data.draw(st.sampled_from(sides)))
            scene = _apply_changes(scene, scenes.change(scene, [moved]))
        elif deed == "end":
            scene = _end_turn(scene)
        if before.now is not None and (scene.header.turn, scene.now) != (before.header.turn, before.now):
            turns[before.now] += 1
        slots = set(scenes.list_slots(scene.header, scene.roster))
        there &= slots
        assert max(turns.values(), default=0) <= 1
        assert not slots or scene.now is not None
        if scene.header.turn > before.header.turn:
            assert all(turns[slot] == 1 for slot in there)
            turns.clear()
            there = slots


def test_what_battles_keep_has_the_shape_that_it_had() -> None:
    """Unset new fields are left out."""
    header = BattleHeader("Ford", ("Reds", "Blues"), 4).value()
    assert header == {"name": "Ford", "sides": ("Reds", "Blues"), "entry": 4, "turn": 1, "checked": {}, "over": False}
    unit = Combatant(7, "Pikes", "Reds", 2, tags=("caster",)).value()
    assert unit == {"id": 7, "side": "Reds", "place": 2, "tags": ("caster",), "spells": None}


def test_who_waits_has_a_turn_in_the_next_round_alone() -> None:
    """Wherever they come in."""
    for behind, order in ((None, [1, 2, 3, 4]), (1, [1, 4, 2, 3])):
        scene = _begin_duel(ANN, BOB, CID)
        scene = _apply_changes(scene, scenes.join(scene, [DAN], behind, waits=True))
        assert [item.id for item in scene.roster] == order
        turns = []
        for _ in range(7):
            turns.append((scene.header.turn, scene.now))
            scene = _end_turn(scene)
        assert turns == [(1, 1), (1, 2), (1, 3), *((2, number) for number in order)]


def test_among_others_nobody_has_a_turn_who_is_not_there() -> None:
    """When all known ones are done, the round ends."""
    scene = _end_turn(_begin_duel(ANN, BOB, CID))
    seen = scenes.narrow_to(scene, {1, 3})
    assert ([item.name for item in seen.roster], seen.header.turn, seen.now) == (["Ann", "Cid"], 1, 3)
    last = scenes.narrow_to(_end_turn(scene), {1, 2})
    assert (last.header.turn, last.now) == (2, 1)
    assert scenes.narrow_to(scene, {1, 2, 3}) == scene
    assert scenes.narrow_to(scene, set()).now is None
