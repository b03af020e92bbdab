"""One entry for each change of a scene, whichever feature plays it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.records import Change, Entry
from bot.core.scenes import AnyScene, changes
from rules.scenes import Participant, Replacement, stamped


class SceneChange(Struct, frozen=True):
    """What is to be entered: the scene before it, the body, what is replaced, and the free texts.

    `subjects` are the names of those of whom nothing was kept before. `public`: whether everybody hears of it. `asides` are
    for nobody but who does it, and stand in no entry.
    """

    scene: AnyScene
    body: Mapping[str, Any]
    replacements: Sequence[Replacement]
    texts: Mapping[str, str] = field(default_factory=dict)
    subjects: Sequence[Change] = ()
    public: bool = False
    asides: Sequence[str] = ()


def enter(tx: Connection, ledger: Ledger, campaign: Campaign, user_id: int, change: SceneChange) -> Entry:
    """Enter a change of a scene."""
    header = change.scene.header
    replacements = stamped(change.scene, change.replacements, next_number(tx, campaign))
    # What lasts turns or as long as the scene ends here: `rules.scenes.passed(change.scene, replacements)` says what is past.
    made = (*change.subjects, *changes(header, replacements))
    called = [item for pair in replacements for item in pair if isinstance(item, Participant)]
    draft = EntryDraft(header.kind, "results", change.body, made, change.texts, subjects=called)
    return ledger.enter(tx, campaign, user_id, draft)
