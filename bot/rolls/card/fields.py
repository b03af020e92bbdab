"""The fields of a card's windows that are more than a line of text."""

from __future__ import annotations

from discord import ui

from bot.rolls.card.view import CardView
from bot.ui.text import shorten

STAFF = "staff"
"""The choice of a game master whose reason for an adjustment is for the staff alone."""


def table_field(view: CardView, part: int) -> ui.Label[ui.Modal]:
    """Return the select of the table that an adjustment counts on."""
    stages = view.preview.parts[part].stages
    select: ui.Select[ui.Modal] = ui.Select(custom_id="table")
    for place, stage in enumerate(stages):
        select.add_option(label=shorten(stage.stage.table.title, 100), value=stage.stage.table.id, default=place == 0)
    return ui.Label(text="On which table", component=select)


def readers_field() -> ui.Label[ui.Modal]:
    """Return the select of who reads the reason of an adjustment."""
    select: ui.Select[ui.Modal] = ui.Select(custom_id="readers", required=False)
    everybody = "Shown in the result with the modifier"
    select.add_option(label="Everyone who sees the result", value="everybody", description=everybody, default=True)
    staff = "Players only see that it was adjusted"
    select.add_option(label="Game masters only", value=STAFF, description=staff)
    return ui.Label(text="Who sees the reason", component=select)
