"""Completions of options about a war: what the person sees of it, and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Annotated

from sqlalchemy import Connection

from bot.cogs.war import sheets, wars
from bot.cogs.war.wars import RunningWar
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls import options
from bot.ui import parsing

Offered = Callable[[RunningWar, object], Iterable[str]]
"""Return what there is, by what else is typed."""
Fitting = Callable[[str, Iterable[str]], list[tuple[str, str]]]
"""Return what of it fits what is typed."""


def _factions(seen: RunningWar, _typed: object) -> Iterable[str]:
    return (item.name for item in seen.seen.factions.values())


def _forces(seen: RunningWar, _typed: object) -> Iterable[str]:
    return seen.seen.forces


def _sheets(seen: RunningWar, _typed: object) -> Iterable[str]:
    return sheets.names(seen)


def _values(seen: RunningWar, typed: object) -> Iterable[str]:
    """Return what can be set, as far as it fits what is typed."""
    if not seen.leads:
        return ()
    offers = import_module("rules.books.total_war.settings_offered").offers  # loads with the first setting
    what, words = (str(getattr(typed, name, "")) for name in ("what", "to"))
    fitting = (text for text in offers(seen.rules, seen.war, what, words) if len(text) <= parsing.MAX_CHOICE)
    return islice(fitting, parsing.MAX_CHOICES)


def _as_offered(_current: str, labels: Iterable[str]) -> list[tuple[str, str]]:
    return [(label, label) for label in labels]


async def _complete(
    offered: Offered, at: options.Completion, current: str, fitting: Fitting = options.containing
) -> options.Completions:
    seen = await at.desk.database.read(_seen, at.desk.resolver.library, at.person, at.campaign)
    return fitting(current, offered(seen, at.interaction.namespace)) if seen else []


def _seen(tx: Connection, library: Library, who: Person, campaign: Campaign) -> RunningWar | None:
    try:
        return wars.running(tx, library, who, campaign)
    except BadInput:  # the campaign does not play by the book
        return None


Faction = Annotated[str, options.Completed(partial(_complete, _factions))]
Force = Annotated[str, options.Completed(partial(_complete, _forces))]
What = Annotated[str, options.Completed(partial(_complete, _sheets))]
Value = Annotated[str, options.Completed(partial(_complete, _values, fitting=_as_offered))]
