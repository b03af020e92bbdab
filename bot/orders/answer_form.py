"""The window in which a game master says what a task waits for: a reason, and choices of its roll."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from discord import ui

from bot.orders.lacking import LackingChoice
from bot.ui.parsing import MAX_TEXT
from bot.ui.reply import text_field
from bot.ui.text import shorten

MAX_FIELDS = 5
"""The fields that a window of Discord has."""

_CHOICE, _REASON = "choice", "reason"
_OTHERS = "All others"
_ABOUT = "Say why you roll again. The ledger keeps your reason."


def answer_form(key: str, lacking: Sequence[LackingChoice], *, reason: bool) -> ui.Modal:
    """Return the window for what a task lacks and its `reason`; the last select is about all for whom there is no room."""
    form = ui.Modal(title="Answer and roll", custom_id=key)
    if reason:
        form.add_item(text_field(_REASON, "Reason", placeholder="The week was declared again", limit=MAX_TEXT))
        form.add_item(ui.TextDisplay(_ABOUT))
    room = MAX_FIELDS - len(form.children)
    for place, item in enumerate(lacking[:room]):
        others = place == room - 1 and len(lacking) > room
        form.add_item(_choice(place, item, _OTHERS if others else item.about))
    return form


def answers(submitted: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the reason of a submitted window and its choices, of which the last is that of all others."""
    picked = list(_picked(submitted))
    return str(submitted.get(_REASON) or ""), picked


def _picked(submitted: Mapping[str, Any]) -> Iterator[str]:
    place = 0
    while option := submitted.get(f"{_CHOICE}{place}"):
        yield str(next(iter(option), ""))
        place += 1


def _choice(place: int, item: LackingChoice, about: str) -> ui.Label[ui.Modal]:
    options = [discord.SelectOption(label=option.capitalize(), value=option) for option in item.choice.options]
    select: ui.Select[ui.Modal] = ui.Select(
        custom_id=f"{_CHOICE}{place}", placeholder=item.choice.label, options=options
    )
    return ui.Label(text=shorten(about, 45), description=item.choice.label, component=select)
