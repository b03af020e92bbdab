"""What changes in the campaign's state when a saved unit or character is called otherwise, or is gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.cogs.battles.store import BATTLE, LOSS, UNIT, battle_key
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.state import State
from bot.core.subjects import subject_key, unit
from bot.errors import BadInput, NotOpen
from bot.rolls.consequences import ROLLED
from bot.ui.text import listing
from rules.books.campaign.captivity import CAPTIVE
from rules.effects import PROFILE

MAX_LISTED = 8
"""How many names a refusal lists."""

SPEAKING = ("name", "squad", "by", "at")
"""The fields of kept values that name somebody."""


def renamed(held: State, old: str, new: str) -> list[Change]:
    """Everything kept under a name, or speaking of it, goes over to the new one; `held` is the whole state.

    Raises:
        BadInput: in a battle another unit stands under the new name beside it.

    """
    subjects = {key: value for key, value in held.items() if key[0].startswith(unit(""))}
    after: State = {}
    for subject, name in sorted(subjects, key=lambda key: key[0] == unit(old)):  # what moves in wins over what is there
        key = (unit(new) if subject == unit(old) else subject, _remembered(name, old, new))
        after[key] = _speaking(subjects[subject, name], old, new)
    changes = [
        Change(*key, subjects.get(key), after.get(key))
        for key in sorted({*subjects, *after})
        if subjects.get(key) != after.get(key)
    ]
    return [*changes, *rostered(held, old, new)]


def rostered(held: State, old: str, new: str) -> Iterator[Change]:
    """In battles, the unit stands on the roster under its new name, and so does what it has lost.

    Raises:
        BadInput: another one stands beside it under that name: what befalls a unit is kept by its name.

    """
    after = UNIT + subject_key(new)
    for subject, before in _places(held, old):
        value, other = held[subject, before], held.get((subject, after))
        if before != after:
            if other is not None:
                battle = held[subject, BATTLE]["name"]
                raise BadInput(f"In {battle} {other['name']} stands beside {value['name']}.", "Take another name.")
            yield Change(subject, before, value, None)
        yield Change(subject, after, other, {**value, "name": new})
    for key in sorted(held):
        if key[0].startswith(battle_key("")) and key[1].startswith(LOSS):
            loss = held[key]
            if subject_key(loss["name"]) == subject_key(old):
                yield Change(*key, loss, {**loss, "name": new})


def gone(held: State, name: str) -> list[Change]:
    """Everything kept under a name goes, and its place on the rosters of battles with it."""
    kept = [key for key in sorted(held) if key[0] == unit(name)]
    return [Change(*key, held[key], None) for key in (*kept, *_places(held, name))]


def _places(held: State, name: str) -> list[tuple[str, str]]:
    """Where a name stands on the rosters of battles."""
    place = UNIT + subject_key(name)
    return [key for key in sorted(held) if key[1] == place and key[0].startswith(battle_key(""))]


def _remembered(name: str, old: str, new: str) -> str:
    """The name of a value; one that remembers a roll of somebody's has that one's name in it."""
    family, dot, actor = name.removeprefix(ROLLED).partition(".")
    ours = name.startswith(ROLLED) and dot and actor == subject_key(old)
    return f"{ROLLED}{family}.{subject_key(new)}" if ours else name


def _speaking(value: Any, old: str, new: str) -> Any:  # noqa: ANN401 - any JSON value
    if not isinstance(value, Mapping):
        return value
    named = {
        field: new
        for field in SPEAKING
        if isinstance(value.get(field), str) and subject_key(value[field]) == subject_key(old)
    }
    return {**value, **named}


def require_unneeded(held: State, item: Profile) -> None:
    """Refuse to remove a captive, whoever holds captives, and whoever has members; `held` is the whole state.

    Raises:
        NotOpen: it is one of these.

    """
    if (item.key, CAPTIVE) in held:
        raise NotOpen(f"{item.name} is a captive.", "End that first, with /captive release.")
    saved = [value for (_, name), value in held.items() if name == PROFILE]
    members = [value["name"] for value in saved if value["squad"] and unit(value["squad"]) == item.key]
    if members:
        do = "Give them another squad first, with /character edit, or none."
        raise NotOpen(f"There are characters who belong to {item.name}: {_some(members)}.", do)
    captives = [value["name"] for (_, name), value in held.items() if name == CAPTIVE and unit(value["at"]) == item.key]
    if captives:
        do = "Move them first, with /captive move, or let them go with /captive release."
        raise NotOpen(f"Captives are held at {item.name}: {_some(captives)}.", do)


def _some(names: Sequence[str]) -> str:
    """Names in a sentence, as many as a refusal has room for."""
    shown = names[:MAX_LISTED]
    return listing([*shown, f"{len(names) - len(shown)} more"] if len(shown) < len(names) else list(shown))
