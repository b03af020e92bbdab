"""What changes in battles when a unit is called otherwise, or is removed."""

from __future__ import annotations

from collections.abc import Iterator

from bot.cogs.battles.store import BATTLE, LOSS, UNIT, battle_key
from bot.core.records import Change
from bot.core.state import State
from bot.core.subjects import subject_key
from bot.errors import BadInput


def rename(kept: State, old: str, new: str | None) -> Iterator[Change]:
    """Yield what puts a unit on rosters and losses under its new name, or off the rosters (None); `kept` is the whole state.

    Raises:
        BadInput: another one stands beside it under that name: what befalls a unit is kept by its name.

    """
    places = _places(kept, old)
    if new is None:
        yield from (Change(*key, kept[key], None) for key in places)
        return
    for key in places:
        yield from _move(kept, key, new)
    for key in sorted(kept):
        if _is_of_battle(key) and key[1].startswith(LOSS) and subject_key(kept[key]["name"]) == subject_key(old):
            yield Change(*key, kept[key], {**kept[key], "name": new})


def _move(kept: State, place: tuple[str, str], new: str) -> Iterator[Change]:
    """Yield what gives the unit at a place of a roster its new name."""
    subject, before = place
    after = UNIT + subject_key(new)
    value, other = kept[place], kept.get((subject, after))
    if before != after:
        if other is not None:
            battle = kept[subject, BATTLE]["name"]
            raise BadInput(f"In {battle} {other['name']} stands beside {value['name']}.", "Take another name.")
        yield Change(subject, before, value, None)
    yield Change(subject, after, other, {**value, "name": new})


def _places(kept: State, name: str) -> list[tuple[str, str]]:
    """Return where a name stands on the rosters of battles."""
    place = UNIT + subject_key(name)
    return [key for key in sorted(kept) if key[1] == place and _is_of_battle(key)]


def _is_of_battle(key: tuple[str, str]) -> bool:
    return key[0].startswith(battle_key(""))
