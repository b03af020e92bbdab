"""Completions of options about a war: what the person sees of it, and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from discord.app_commands import Transform
from sqlalchemy import Connection

from bot.cogs.war import sheets, wars
from bot.cogs.war.wars import RunningWar
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls import options
from bot.ui.reply import person
from rules.books.total_war.order_kinds import EXAMPLES


def _factions(seen: RunningWar, _typed: object) -> Iterable[str]:
    return (item.name for item in seen.seen.factions.values())


def _forces(seen: RunningWar, _typed: object) -> Iterable[str]:
    return seen.seen.forces


def _sheets(seen: RunningWar, _typed: object) -> Iterable[str]:
    return sheets.names(seen)


def _values(seen: RunningWar, typed: object) -> Iterable[str]:
    """Return how it is written what is to be set."""
    written = EXAMPLES.get(str(getattr(typed, "what", "")), "")
    return [word.removeprefix("or ").strip() for word in written.split(", ")] if seen.leads and written else ()


class _WarCompleter(options.Completed):
    """What a war has of something, as far as the person sees it."""

    def __init__(self, offered: Callable[[RunningWar, object], Iterable[str]]) -> None:
        self._offered = offered

    async def complete(self, at: options.Completion, current: str) -> list[tuple[str, str]]:
        """Return what holds what is typed."""
        who, typed = person(at.interaction), at.interaction.namespace
        seen = await at.desk.database.read(_seen, at.desk.resolver.library, who, at.campaign)
        return options.containing(current, self._offered(seen, typed)) if seen else []


def _seen(tx: Connection, library: Library, who: Person, campaign: Campaign) -> RunningWar | None:
    try:
        return wars.running(tx, library, who, campaign)
    except BadInput:  # the campaign does not play by the book
        return None


Faction = Transform[str, _WarCompleter(_factions)]
Force = Transform[str, _WarCompleter(_forces)]
What = Transform[str, _WarCompleter(_sheets)]
Value = Transform[str, _WarCompleter(_values)]
