"""One entry for each change of a scene, whichever feature plays it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict
from sqlalchemy import Connection

from bot.core import state
from bot.core.campaigns import Campaign, current_update
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.records import Change, Entry
from bot.core.scenes import AnyScene, changes
from bot.core.state import State
from rules import ends
from rules.effects import EFFECT
from rules.scenes import Participant, Replacement, passed, stamped


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
    lasting = state.in_force(tx, campaign.id, EFFECT, current_update(tx, campaign.id)["number"])
    lasting |= state.of_subjects(tx, campaign.id, {header.subject})
    made = (*change.subjects, *changes(header, replacements), *counted(lasting, change.scene, replacements))
    called = [item for pair in replacements for item in pair if isinstance(item, Participant)]
    draft = EntryDraft(header.kind, "results", change.body, made, change.texts, subjects=called)
    return ledger.enter(tx, campaign, user_id, draft)


def counted(lasting: State, scene: AnyScene, replacements: Sequence[Replacement]) -> Iterator[Change]:
    """Yield what of these values ends, or has a turn less, when items of a scene are replaced."""
    ended = ends.after(lasting, **asdict(passed(scene, replacements)))
    return (Change(*key, lasting[key], value) for key, value in ended.items())
