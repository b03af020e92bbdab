"""Write-ups on the desk of the week."""

from __future__ import annotations

from collections.abc import Iterator

from discord import ui
from sqlalchemy import Connection

from bot.cogs.writeups import service
from bot.cogs.writeups.buttons import TAKE
from bot.core.library import Library
from bot.core.visibility import Viewer
from bot.ui.text import shorten
from bot.ui.todo import FEW, Todo, few

MAX_GIST = 110
"""Characters of what one is about: three lines of a telephone; the whole stands in `/writeups list`."""


def to_claim(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield what is to be written and nobody has claimed, as far as the viewer may know of it."""
    found, count = service.to_claim(tx, viewer, FEW)
    if found:
        lines = [f"\N{BULLET} **{item.number}** {shorten(item.gist, MAX_GIST)}" for item in found]
        rows: list[ui.Button[ui.LayoutView]] = [
            ui.Button(
                label=f"Claim {item.number}",
                custom_id=TAKE.fill(campaign=viewer.campaign.id, entry=item.entry, part=item.part),
            )
            for item in found
        ]
        yield Todo("Write-ups to claim", few(lines, count, "/writeups list"), [rows])
