"""Removing a saved unit from its battle."""

from __future__ import annotations

from bot.cogs.battles.entries import BATTLES
from bot.cogs.battles.units import list_leaving
from bot.core.records import Change
from bot.core.scene_entries import leave_scenes


def test_what_is_counted_in_the_turns_of_a_removed_unit_ends() -> None:
    """Effects counted by others' turns go on."""
    battle = "battle:black ford"
    mine, theirs = ({"entry": 5, "turns": {"scene": battle, "of": of, "left": 2}} for of in (1, 2))
    kept = {
        (battle, "battle"): {"name": "Black Ford", "sides": ["Reds", "Blues"], "entry": 3, "turn": 1, "over": False},
        (battle, "unit.1"): {"id": 1, "side": "Reds", "place": 1},
        (battle, "unit.2"): {"id": 2, "side": "Blues", "place": 2},
        ("subject:1", "name"): "Pikes",
        ("subject:2", "name"): "Orcs",
        ("subject:1", "effect.dazed"): mine,
        ("subject:2", "effect.warded"): mine,
        ("subject:2", "effect.dazed"): theirs,
    }
    off, ended = leave_scenes(BATTLES, list_leaving, kept, 1, 9)
    assert (off.subject, off.name, off.after) == (battle, "unit.1", None)
    assert ended == Change("subject:2", "effect.warded", mine, None)
