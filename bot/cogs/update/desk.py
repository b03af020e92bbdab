"""The desk of the week: the current update, what waits in it for somebody, the dice thrown, what lasts, what ends with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from discord import ui

from bot.cogs.update.embed import ROLLED, beginning, effects_lines, newest_rolled, title
from bot.cogs.update.views import UpdateView
from bot.core.campaigns import Campaign
from bot.ui.components import IdTemplate
from bot.ui.text import shorten
from bot.ui.todo import Todo, desk_views, few

ASK = IdTemplate("update:{campaign:int}:ask:{number:int}")
"""The id of the button that asks whether to close an update."""

MAX_LABEL = 80


def desk(view: UpdateView, campaign: Campaign, *, leads: bool) -> list[ui.LayoutView]:
    """Return the desk of the week as messages; game masters find all that waits, and close the update there."""
    return desk_views([*_todos(view, campaign, leads=leads)])


def _todos(view: UpdateView, campaign: Campaign, *, leads: bool) -> Iterator[Todo]:
    yield Todo(title(view), [beginning(view)], heading=True)
    yield from view.todos
    if view.rolled:
        yield Todo(ROLLED, few(newest_rolled(view.rolled), view.rolls, "/ledger list"))
    if view.lasting:
        yield Todo("Continues", list(effects_lines(view.lasting)))
    if leads:
        ending = list(effects_lines(view.ending)) or ["Nothing."]
        yield Todo("Ends with this update", ending, _closing(view, campaign))


def _closing(view: UpdateView, campaign: Campaign) -> Sequence[Sequence[ui.Button[ui.LayoutView]]]:
    if campaign.archived_at is not None:
        return ()
    key = ASK.fill(campaign=campaign.id, number=view.update["number"])
    return [[ui.Button(label=shorten(f"Close {view.update['name']}", MAX_LABEL), custom_id=key)]]
