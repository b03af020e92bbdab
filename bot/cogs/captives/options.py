"""The option that names captives."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from bot.cogs.captives.queries import known_captives
from bot.rolls import options
from bot.ui import parsing
from rules.subjects import name_key


async def _complete_captives(at: options.Completion, current: str, *, at_bases: bool = False) -> options.Completions:
    """Complete the last of several captives, out of those the person may know of."""
    before, comma, word = current.rpartition(",")
    kept, wanted = f"{before.strip()}, " if comma else "", name_key(word)
    taken = {name_key(name) for name in before.split(",")}
    known = await at.read(known_captives, at_bases=at_bases)
    names = [kept + name for name in known if name_key(name) not in taken]
    return [(name, name) for name in names if wanted in name_key(name) and len(name) <= parsing.MAX_CHOICE]


Escaping = Annotated[str, options.Completed(partial(_complete_captives, at_bases=True))]
Captives = Annotated[str, options.Completed(_complete_captives)]
