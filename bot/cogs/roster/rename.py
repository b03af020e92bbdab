"""What changes in the campaign's state when a saved unit or character is called otherwise, or is removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.state import State
from bot.core.subjects import subject_key, unit
from bot.errors import NotOpen
from bot.feature import Feature
from bot.rolls.consequences import ROLLED
from bot.ui.text import listing
from rules.books.campaign.captivity import CAPTIVE
from rules.effects import PROFILE

MAX_LISTED = 8
"""How many names a refusal lists."""

NAMING_FIELDS = ("name", "squad", "by", "at")
"""The fields of kept values that name somebody."""


def rename_changes(features: Iterable[Feature], kept: State, old: str, new: str) -> list[Change]:
    """Return what moves everything that is kept under a name, or speaks of it, to the new one; `kept` is the whole state.

    Raises:
        BadInput: a feature cannot have the new name, such as where another unit stands under it in a battle.

    """
    before = {key: value for key, value in kept.items() if key[0].startswith(unit(""))}
    after: State = {}
    for subject, name in sorted(before, key=lambda key: key[0] == unit(old)):  # what moves in wins over what is there
        key = (unit(new) if subject == unit(old) else subject, _value_name(name, old, new))
        after[key] = _with_new_name(before[subject, name], old, new)
    changes = [
        Change(*key, before.get(key), after.get(key))
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]
    return [*changes, *_changes_of_features(features, kept, old, new)]


def removal_changes(features: Iterable[Feature], kept: State, name: str) -> list[Change]:
    """Return what removes everything that is kept under a name; `kept` is the whole state."""
    own = (Change(*key, kept[key], None) for key in sorted(kept) if key[0] == unit(name))
    return [*own, *_changes_of_features(features, kept, name, None)]


def require_removable(kept: State, item: Profile) -> None:
    """Refuse to remove a captive, whoever holds captives, and whoever has members; `kept` is the whole state.

    Raises:
        NotOpen: it is one of these.

    """
    if (item.key, CAPTIVE) in kept:
        raise NotOpen(f"{item.name} is a captive.", "End that first, with /captive release.")
    saved = [value for (_, name), value in kept.items() if name == PROFILE]
    members = [value["name"] for value in saved if value["squad"] and unit(value["squad"]) == item.key]
    if members:
        do = "Give them another squad first, with /character edit, or none."
        raise NotOpen(f"There are characters who belong to {item.name}: {_some(members)}.", do)
    captives = [value["name"] for (_, name), value in kept.items() if name == CAPTIVE and unit(value["at"]) == item.key]
    if captives:
        do = "Move them first, with /captive move, or let them go with /captive release."
        raise NotOpen(f"Captives are held at {item.name}: {_some(captives)}.", do)


def _changes_of_features(features: Iterable[Feature], kept: State, old: str, new: str | None) -> Iterator[Change]:
    for feature in features:
        if feature.renamed is not None:
            yield from feature.renamed(kept, old, new)


def _value_name(name: str, old: str, new: str) -> str:
    """Return the name of a value; one that remembers a roll of somebody's has that one's name in it."""
    family, dot, actor = name.removeprefix(ROLLED).partition(".")
    is_theirs = name.startswith(ROLLED) and dot and actor == subject_key(old)
    return f"{ROLLED}{family}.{subject_key(new)}" if is_theirs else name


def _with_new_name(value: Any, old: str, new: str) -> Any:  # noqa: ANN401 - any JSON value
    if not isinstance(value, Mapping):
        return value
    named = {
        field: new
        for field in NAMING_FIELDS
        if isinstance(value.get(field), str) and subject_key(value[field]) == subject_key(old)
    }
    return {**value, **named}


def _some(names: Sequence[str]) -> str:
    """Return names in a sentence, as many as a refusal has room for."""
    shown = names[:MAX_LISTED]
    return listing([*shown, f"{len(names) - len(shown)} more"] if len(shown) < len(names) else list(shown))
