"""Saved units and characters, as the campaign's state keeps them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from sqlalchemy import Connection

from bot.core import state
from bot.core.state import State
from bot.core.subjects import unit
from rules.effects import PROFILE

NOBODY = 0
"""The user id of no owner."""

ALONE = frozenset({"captive", "interrogator", "character"})
"""The roles in which a character acts without its squad, so that the squad's traits and region do not count."""

NOT_CAPTIVE = "See /captive list; /captive take enters a new one."
NOT_SAVED = "Save the character first, with /character add."
"""Advice about somebody who is no captive, or is not saved."""

UNIT_KINDS = ("squad", "ship", "fleet", "outpost", "base")
CHARACTER_KINDS = ("pc", "npc")
PROPHET = 10
"""The newtype level from which a character is a prophet (campaign-rolls, line 281)."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A saved unit or character. `owner` is a member's pseudonym; a `secret` one is known to the staff and its owner only.

    `squad` names the unit that a character belongs to, whose traits then count for the character too; `newtype` is a
    character's level (0: an Oldtype, None: not determined); `traits` are counts by trait.
    """

    name: str
    kind: str
    side: str | None = None
    owner: str | None = None
    region: str | None = None
    squad: str | None = None
    callsign: str | None = None
    newtype: int | None = None
    secret: bool = False
    traits: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """Return the profile from what the state keeps."""
        return cls(**value)

    @property
    def key(self) -> str:
        """Its subject in the state."""
        return unit(self.name)

    @property
    def is_character(self) -> bool:
        """Whether it is a person rather than a unit."""
        return self.kind in CHARACTER_KINDS

    def value(self) -> dict[str, Any]:
        """Return what the state keeps of the profile."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**fields, "traits": dict(self.traits)}

    def known(self) -> dict[str, int]:
        """Return all its traits with their counts: those ticked, and those that follow from its other fields."""
        derived = {
            self.kind: not self.is_character,
            "callsign": bool(self.callsign),
            "newtype": bool(self.newtype),
            "newtype-prophet": (self.newtype or 0) >= PROPHET,
            "zeon": self.is_character and "zeon" in (self.side or "").casefold(),
        }
        traits = {trait: 1 for trait, true in derived.items() if true} | dict(self.traits)
        if "rogue" not in traits:
            traits.pop(
                "team-leader", None
            )  # a team leader counts only as a rogue, not through somebody else who is one
        return traits


def profile(values: State, name: str) -> Profile | None:
    """Return the profile saved under a name, from values that were read."""
    value = values.get((unit(name), PROFILE))
    return None if value is None else Profile.of(value)


def read(tx: Connection, campaign_id: int, names: Collection[str]) -> dict[str, Profile]:
    """Return the profiles saved under these names, by subject."""
    if not names:
        return {}
    values = state.named(tx, campaign_id, {unit(name) for name in names}, {PROFILE})
    return {subject: Profile.of(value) for (subject, _), value in values.items()}


def everyone(tx: Connection, campaign_id: int) -> list[Profile]:
    """Return all saved units and characters of a campaign, by name."""
    saved = (Profile.of(value) for value in state.of_name(tx, campaign_id, PROFILE).values())
    return sorted(saved, key=lambda item: item.key)


def not_captive(name: str) -> tuple[str, str]:
    """Return what is wrong and what to do about somebody who is no captive."""
    return f"{name} is no captive.", NOT_CAPTIVE


def not_saved(name: str) -> tuple[str, str]:
    """Return what is wrong and what to do about somebody who is not saved."""
    return f"{name} is no saved character.", NOT_SAVED


def bearer(kind: str) -> str:
    """Return who carries the traits of a profile of this kind: `character` or `unit`, as `Trait.on` has it."""
    return "character" if kind in CHARACTER_KINDS else "unit"
