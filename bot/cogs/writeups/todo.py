"""Write-ups on the desk of the week."""

from __future__ import annotations

from collections.abc import Iterator

from discord import ui
from sqlalchemy import Connection

from bot.cogs.writeups import queries
from bot.cogs.writeups.buttons import TAKE, done_button
from bot.cogs.writeups.embed import Writeup
from bot.cogs.writeups.undecided import to_decide
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.ui.text import DOT, shorten
from bot.ui.todo import FEW, Todo, few, tally

MAX_GIST = 110
"""Characters of what one is about: three lines of a telephone; the whole stands in `/writeups list`."""

LIST = "/writeups list"


def waiting(tx: Connection, library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the battles to decide, and what is to be written."""
    yield from to_decide(tx, library, viewer)
    yield from to_write(tx, library, viewer)


def to_write(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what nobody has claimed, as far as the viewer may know of it, and what is claimed: by the viewer, for game masters also by others."""
    found, count = queries.to_claim(tx, viewer, FEW)
    if found:
        rows: list[ui.Button[ui.LayoutView]] = [
            ui.Button(
                label=f"Claim #{item.number}",
                custom_id=TAKE.fill(campaign=viewer.campaign.id, entry=item.entry, part=item.part),
            )
            for item in found
        ]
        undone = tally(count, "unclaimed write-up{s}", (f"#{item.number}" for item in found))
        yield Todo("Write-ups to claim", few(map(_line, found), count, LIST), [rows], undone=undone)
    found, count = queries.claimed(tx, viewer, FEW)
    if found:
        mine = viewer.person.user_id
        lines = (f"{_line(item)}{DOT}{_whose(item, mine)}" for item in found)
        own = [done_button(item, viewer.campaign, f"Done #{item.number}") for item in found if item.by == mine]
        yield Todo("Write-ups claimed", few(lines, count, f"{LIST} state:Claimed"), [own] if own else [])


def _whose(item: Writeup, reader: int) -> str:
    if item.by == reader:
        return "yours"
    return "claimed" if item.by is None else f"claimed by <@{item.by}>"


def _line(item: Writeup) -> str:
    return f"\N{BULLET} **#{item.number}** {shorten(item.gist, MAX_GIST)}"
