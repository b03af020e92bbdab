"""How things stand with a captive, for the card of the character."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.captives.embed import status_lines
from bot.cogs.captives.queries import as_known, statuses
from bot.core.library import Library
from bot.core.permissions import now_of
from bot.core.profiles import Profile
from bot.core.visibility import Viewer


def status(tx: Connection, _library: Library, viewer: Viewer, profile: Profile) -> Iterator[str]:
    """Yield the captivity of whoever is or was a captive, for game masters and for whose character it is."""
    if viewer.person.leads(viewer.campaign) or viewer.owns(profile):
        found = statuses(tx, viewer.campaign.id, [profile.id], now_of(tx, viewer.person, viewer.campaign)).get(
            profile.id
        )
        if found is not None:
            yield "\n".join(["**Captivity:**", *status_lines(as_known(tx, viewer, found))])
