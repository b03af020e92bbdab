"""What the entries about saved units and characters keep beside their changes: one form for each `deed`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NotRequired, TypedDict

from bot.core.ledger import EntryDraft
from bot.core.profiles import Profile
from bot.core.records import Change
from bot.core.subjects import Subject

ProfileValue = Mapping[str, object]
"""A profile as the state keeps it."""


class ProfileChange(TypedDict):
    """A change of a subject's value as the ledger adds it to a body."""

    subject: str
    name: str
    before: ProfileValue | None
    after: ProfileValue


class _ProfileBody(TypedDict):
    """Of whom an entry speaks; after an edit the kind is the new one, the name the old. `labels` are what its fields are called."""

    name: str
    kind: str


class ProfileAdded(_ProfileBody):
    """Somebody was saved."""

    deed: Literal["add"]
    labels: NotRequired[Mapping[str, str]]
    changes: NotRequired[list[ProfileChange]]
    names: NotRequired[Mapping[str, str]]


class ProfileEdited(_ProfileBody):
    """Fields were changed: their values before and after, by field."""

    deed: Literal["edit"]
    labels: NotRequired[Mapping[str, str]]
    before: Mapping[str, object]
    after: Mapping[str, object]


class TraitsEdited(_ProfileBody):
    """Traits were changed: their numbers before and after, by label."""

    deed: Literal["traits"]
    before: Mapping[str, int]
    after: Mapping[str, int]


class ProfileRemoved(_ProfileBody):
    """Somebody was removed."""

    deed: Literal["remove"]


class RosterImported(TypedDict):
    """A file was imported: how many are new, changed, and as they were."""

    deed: Literal["import"]
    new: int
    changed: int
    unchanged: int
    changes: NotRequired[list[ProfileChange]]
    names: NotRequired[Mapping[str, str]]


SingleBody = ProfileAdded | ProfileEdited | TraitsEdited | ProfileRemoved
RosterBody = SingleBody | RosterImported


def roster_draft(body: RosterBody, changes: Iterable[Change], *about: Profile) -> EntryDraft:
    """Return an entry about saved units and characters, as they are called before it; such entries are the staff's."""
    squads = [
        Subject(item.squad_id, item.squad) for item in about if item.squad_id is not None and item.squad is not None
    ]
    return EntryDraft("unit", "staff", body, tuple(changes), subjects=(*about, *squads))
