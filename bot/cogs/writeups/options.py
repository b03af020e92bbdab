"""The options that name write-ups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from bot.cogs.writeups import queries
from bot.cogs.writeups.states import CLAIMED, DONE, OPEN
from bot.rolls.options import Completed, Completion, Completions
from bot.ui.text import bare


class NumberCompleter(Completed):
    """The number of a write-up in some states, offered with what it is about."""

    def __init__(self, *states: str) -> None:
        super().__init__(partial(_complete_number, states), re.compile(r"^\d+ "))


async def _complete_number(states: Sequence[str], at: Completion, current: str) -> Completions:
    """Return the newest that contain what is typed."""
    return [
        (f"{item.number} {bare(item.gist)}", item.number) for item in await at.read(queries.suggest, current, states)
    ]


OpenNumber = Annotated[str, NumberCompleter(OPEN)]
AnyNumber = Annotated[str, NumberCompleter(OPEN, CLAIMED, DONE)]
UnwrittenNumber = Annotated[str, NumberCompleter(OPEN, CLAIMED)]
