"""The option that names captives."""

from __future__ import annotations

from functools import partial

from discord.app_commands import Transform

from bot.cogs.captives.queries import known_captives
from bot.rolls import options
from bot.ui import parsing
from bot.ui.reply import person
from rules.subjects import name_key


class CaptiveCompleter(options.Completed):
    """Captives that the person may know of, parted by commas: the last of them is completed."""

    at_bases = False
    """Whether only those are offered who are held at bases."""

    async def complete(self, at: options.Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last name completed."""
        before, comma, word = current.rpartition(",")
        kept, wanted = f"{before.strip()}, " if comma else "", name_key(word)
        taken = {name_key(name) for name in before.split(",")}
        read = partial(known_captives, at_bases=self.at_bases)
        known = await at.desk.database.read(read, person(at.interaction), at.campaign)
        names = [kept + name for name in known if name_key(name) not in taken]
        return [(name, name) for name in names if wanted in name_key(name) and len(name) <= parsing.MAX_CHOICE]


class EscapingCompleter(CaptiveCompleter):
    """Captives who can try the campaign's escape."""

    at_bases = True


Escaping = Transform[str, EscapingCompleter()]
Captives = Transform[str, CaptiveCompleter()]
