"""What lasts on somebody, for the card of the unit or character."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.effects.embed import line
from bot.cogs.effects.queries import lasting
from bot.core import state
from bot.core.library import Library
from bot.core.profiles import Profile
from bot.core.visibility import Viewer
from rules.books.campaign.captivity import CAPTIVE, CRACKED, FATE, INJURED
from rules.effects import EFFECT

IN_CAPTIVITY = frozenset({CRACKED.removeprefix(EFFECT), INJURED.removeprefix(EFFECT), "seriously-injured", "resisting"})
"""The effects that the captivity of somebody tells already, to whoever may know of it."""


def status(tx: Connection, library: Library, viewer: Viewer, profile: Profile) -> Iterator[str]:
    """Yield the effects that hold on somebody and that the person may know of."""
    found = lasting(tx, viewer, library.effects(tx, viewer.campaign), profile.id)
    if _shows_captivity(tx, viewer, profile):
        found = [item for item in found if item.trait not in IN_CAPTIVITY]
    if found:
        yield "\n".join(["**Effects:**", *map(line, found)])


def _shows_captivity(tx: Connection, viewer: Viewer, profile: Profile) -> bool:
    """Tell whether the card shows a captivity beside the effects."""
    may_know = viewer.person.leads(viewer.campaign) or viewer.owns(profile)
    return may_know and bool(state.named(tx, viewer.campaign.id, {profile.key}, {CAPTIVE, FATE}))
