"""The ids of what an import is made with, and the step that begins one in a new campaign."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection

from bot.core import profiles
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.ui.components import IdTemplate
from bot.ui.next_steps import NextStep

GO = IdTemplate("import:{campaign:int}:{draft:id}:go:{seen:id}")
CANCEL = IdTemplate("import:{campaign:int}:{draft:id}:cancel")
SEND = IdTemplate("import:{campaign:int}:send")


def next_steps(tx: Connection, _library: Library, campaign: Campaign) -> Iterable[NextStep]:
    """Yield the step that imports units and characters."""
    saved = len(profiles.everyone(tx, campaign.id))
    why = "from a file, or add them one by one with /unit add and /character add"
    yield NextStep("Import a roster", SEND.fill(campaign=campaign.id), f"{saved} saved" if saved else why, saved > 0)
