"""The options that every roll command shares, and their autocompletes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from discord.app_commands import Choice

from bot import typed
from bot.errors import UserError
from bot.panels.reply import Interaction
from bot.panels.rolling import RollDesk
from bot.request import To
from rules.engine import family_tickables
from rules.errors import RulesError

TO: list[Choice[str]] = [
    Choice(name="where the rules send it", value="auto"),
    Choice(name="results channel", value="results"),
    Choice(name="staff channel", value="staff"),
    Choice(name="me alone", value="me"),
]
ROLL: list[Choice[str]] = [Choice(name="open a card first", value="card"), Choice(name="roll now", value="now")]
SHARED: Mapping[str, str] = {
    "region": "Where it happens; any name",
    "modifiers": "Ids or labels parted by commas; id*2 counts twice; +2 reason adjusts",
    "note": "A note that stands with the result; with roll:now also the reason for rolling again",
    "to": "Where the result goes",
    "roll": "A card to tick and see the odds, or the roll at once",
}


def offered(choices: list[tuple[str, str]]) -> list[Choice[str]]:
    """At most 25 choices of an autocomplete, as (shown, value)."""
    return [Choice(name=shown, value=value) for shown, value in choices[: typed.MAX_CHOICES]]


async def complete_modifiers(
    desk: RollDesk, interaction: Interaction, family: tuple[str, str], current: str
) -> list[Choice[str]]:
    """Completions of the modifier being typed; none where the channel has no campaign that plays by the book."""
    try:
        book, procedure = desk.procedure(await desk.campaign(interaction), *family)
    except (UserError, RulesError):
        return []
    return offered(typed.suggestions(current, family_tickables(procedure, book)))


def to_of(picked: str) -> To:
    """The audience that was picked; Discord lets only those of the choices through."""
    return next(to for to in get_args(To) if to == picked)
