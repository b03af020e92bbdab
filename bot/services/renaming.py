"""What changes in the campaign's state when a saved unit or character is called otherwise, or is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.consequences import ROLLED
from bot.embeds.text import listing
from bot.errors import NotOpen
from bot.request import subject_key, unit
from bot.store.profiles import CAPTIVE, PROFILE, Profile
from bot.store.records import Change
from bot.store.states import State

MAX_LISTED = 8
"""How many names a refusal lists."""

SPEAKING = ("name", "squad", "by", "at")
"""The fields of kept values that name somebody."""


def renamed(held: State, old: str, new: str) -> list[Change]:
    """Everything kept under a name, or speaking of it, goes over to the new one; `held` is the whole state."""
    subjects = {key: value for key, value in held.items() if key[0].startswith(unit(""))}
    after: State = {}
    for subject, name in sorted(subjects, key=lambda key: key[0] == unit(old)):  # what moves in wins over what is there
        key = (unit(new) if subject == unit(old) else subject, _remembered(name, old, new))
        after[key] = _speaking(subjects[subject, name], old, new)
    return [
        Change(*key, subjects.get(key), after.get(key))
        for key in sorted({*subjects, *after})
        if subjects.get(key) != after.get(key)
    ]


def gone(held: State, name: str) -> list[Change]:
    """Everything kept under a name goes."""
    return [Change(*key, value, None) for key, value in sorted(held.items()) if key[0] == unit(name)]


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
