"""The options that name write-ups."""

from __future__ import annotations

import re

from discord.app_commands import Transform

from bot.cogs.writeups import queries
from bot.cogs.writeups.states import CLAIMED, DONE, OPEN
from bot.rolls.options import Completed, Completion
from bot.ui.reply import person
from bot.ui.text import bare


class NumberCompleter(Completed):
    """The number of a write-up in some states, offered with what it is about."""

    decorated = re.compile(r"^\d+ ")

    def __init__(self, *states: str) -> None:
        self._states = states

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return the newest that hold what is typed."""
        who = person(at.interaction)
        known = await at.desk.database.read(queries.suggest, who, at.campaign, current, self._states)
        return [(f"{item.number} {bare(item.gist)}", item.number) for item in known]


OpenNumber = Transform[str, NumberCompleter(OPEN)]
AnyNumber = Transform[str, NumberCompleter(OPEN, CLAIMED, DONE)]
UnwrittenNumber = Transform[str, NumberCompleter(OPEN, CLAIMED)]
