"""What the state keeps of subjects, by their names rather than their numbers."""

from __future__ import annotations

import json
from typing import Any

from bot.core.state import State
from rules.subjects import NAME, name_key
from tests.support.world import World, rows


def named(state: State) -> State:
    """Return a state with folded names in place of subjects' numbers, also in what remembers who rolled."""
    names = {subject: name_key(value) for (subject, name), value in state.items() if name == NAME}
    return {(names.get(subject, subject), _value_name(name, names)): value for (subject, name), value in state.items()}


def number_of(state: State, name: str) -> int:
    """Return the number of the one subject of a name."""
    (found,) = (key[0] for key, value in state.items() if key[1] == NAME and name_key(value) == name_key(name))
    return int(found.partition(":")[2])


def kept(world: World, name: str) -> dict[str, Any]:
    """Return what the bot's database keeps of the one subject of a name, by the names of the values."""
    query = """
        select state.name, state.value from subject join state
        on state.campaign_id = subject.campaign_id and state.subject = 'subject:' || subject.id
        where subject.campaign_id = 1 and subject.name_key = ?
    """
    return {key: json.loads(value) for key, value in rows(world, query, name_key(name))}


def _value_name(name: str, names: dict[str, str]) -> str:
    rolled, dot, actor = name.rpartition(".")
    return f"{rolled}{dot}{names.get(f'subject:{actor}', actor)}" if name.startswith("rolled.") else name
