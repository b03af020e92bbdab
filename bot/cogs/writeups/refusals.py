"""What is refused about write-ups: links that are none, and numbers under which nothing is to be written."""

from __future__ import annotations

import re

from sqlalchemy import Connection

from bot.core import voiding
from bot.core.people import told
from bot.core.permissions import readable
from bot.core.visibility import Viewer
from bot.errors import BadInput, NotOpen, UserError
from bot.rolls.entry_body import calls

MAX_LINK = 200
LIST = "See /writeups list."
_LINK = re.compile(rf"https?://[^\s<>`|\\]{{3,{MAX_LINK - 8}}}")


def checked_link(typed: str | None) -> str | None:
    """Return the address of what was written, trimmed."""
    link = (typed or "").strip()
    if link and not _LINK.fullmatch(link):
        do = f"Paste a link that starts with https:// and has at most {MAX_LINK} characters."
        raise BadInput("That isn't a link.", do)
    return link or None


def none_there(tx: Connection, viewer: Viewer, typed: str, number: int, place: str | None) -> UserError:
    """Return the refusal of a number (an entry, and the place of its part from 1) under which the person knows of no write-up.

    Of a roll that called for one, as far as they may read it, it says that it was taken back or amended.
    """
    unknown = BadInput(f"I can't find a write-up {typed} for you.", LIST)
    mark = voiding.voided_by(tx, viewer.campaign.id, number)
    entry = readable(tx, viewer.person, viewer.campaign, number) if mark else None
    if mark is None or entry is None or entry.kind != "roll":
        return unknown
    whole = entry.audience != "mixed" or viewer.person.leads(viewer.campaign)
    parts = (part for at, part in enumerate(told(entry)["parts"], 1) if place in {None, str(at)})
    if not any(any(calls(part)) and (whole or part["audience"] == "results") for part in parts):
        return unknown
    if mark.amended:
        return NotOpen(f"Roll #{number} was amended by entry #{mark.by}.", LIST)
    return NotOpen(f"Roll #{number} was undone, so it needs no write-up.")
