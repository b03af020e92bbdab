"""What changes in the state when a saved unit or character is removed, and what stands in the way of that or of taking an entry back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import Campaign
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.state import State
from bot.errors import NotAsItIs, NotOpen
from bot.kernel import Feature
from bot.rolls.extension import HouseRules
from bot.ui.text import listing
from rules.books.campaign.captivity import CAPTIVE
from rules.effects import ROLLED
from rules.subjects import GROUP, NAME, PROFILE, name_key, number_of, subject_key

MAX_LISTED = 8
"""How many names a refusal lists."""


def removal_changes(
    features: Iterable[Feature], spent: Collection[str], kept: State, item: Profile, entry: int
) -> list[Change]:
    """Return what removes all that is kept of somebody but the name, to which others' values refer, and what is used up.

    `kept` is the whole state, `entry` the one that removes them. What somebody has rolled counts when it is saved anew, and so do the effects by which it has
    nothing left to roll for (`spent`), unless it is secret: they would tell of it.
    """
    lasting = () if item.secret else spent
    own = [
        Change(*key, kept[key], None)
        for key in sorted(kept)
        if key[0] == item.key and key[1] != NAME and not key[1].startswith(ROLLED) and key[1] not in lasting
    ]
    hooks = (feature.removed for feature in features if feature.removed is not None)
    return [*own, *(change for hook in hooks for change in hook(kept, item.id, entry))]


def require_removable(kept: State, item: Profile) -> None:
    """Refuse to remove a captive, whoever holds captives, and whoever has members; `kept` is the whole state."""
    if (item.key, CAPTIVE) in kept:
        raise NotAsItIs(f"{item.name} is a captive.", "Release the captive first: /captive release.")
    _require_no_members(kept, item)
    captives = _bearers(kept, CAPTIVE, "at", item.id)
    if captives:
        do = "Move them with /captive move, or release them with /captive release."
        raise NotAsItIs(f"{item.name} has captives: {_some(captives)}.", do)


def _require_no_members(kept: State, item: Profile) -> None:
    members = _bearers(kept, PROFILE, "squad", item.id)
    if members:
        do = "Give them another squad or none first: /character edit."
        raise NotAsItIs(f"{item.name} has members: {_some(members)}.", do)


def _bearers(kept: State, name: str, field: str, number: int) -> list[str]:
    """Return the names of those whose value of a name refers to a subject in one of its fields."""
    found = [key[0] for key, value in kept.items() if key[1] == name and value[field] == number]
    return sorted(kept[subject, NAME] for subject in found)


def _some(names: Sequence[str]) -> str:
    """Return names in a sentence, as many as a refusal has room for."""
    shown = names[:MAX_LISTED]
    return listing([*shown, f"{len(names) - len(shown)} more"] if len(shown) < len(names) else list(shown))


def check_void(tx: Connection, _library: HouseRules, campaign: Campaign, again: State) -> None:
    """Refuse to take back what would leave a reference to nobody, two open ones of one name, or a group that is saved; `again` are the values after it."""
    if not any(name in {NAME, PROFILE} for _, name in again):
        return
    kept = state.everything(tx, campaign.id)
    after = {key: value for key, value in {**kept, **again}.items() if value is not None}
    for subject, name in again:
        if name == PROFILE and (subject, name) not in after and (subject, name) in kept:
            # A captive, and a place that holds one, need not be saved: both may have been so before.
            _require_no_members(after, Profile.of(number_of(subject), kept[subject, NAME], kept[subject, name]))
    saved = {subject: value for (subject, name), value in after.items() if name == PROFILE}
    alike: dict[str, list[bool]] = {}
    for subject, value in saved.items():
        alike.setdefault(name_key(after[subject, NAME]), []).append(value["secret"])
    for subject in sorted({subject for subject, _ in again} & saved.keys()):
        name, squad = after[subject, NAME], saved[subject]["squad"]
        if (subject, GROUP) in after:
            raise NotAsItIs(f"{name} is a group now.", "Save the unit or character again.")
        if len(alike[name_key(name)]) > 1 and not all(alike[name_key(name)]):
            raise NotAsItIs(f"Another one is called {name} now.", "Rename it first: /unit edit or /character edit.")
        if squad is not None and subject_key(squad) not in saved:
            gone = after[subject_key(squad), NAME]
            raise NotOpen(f"{name} was in {gone}, which was removed later.", f"Undo the removal of {gone} first.")
