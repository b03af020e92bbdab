"""Battles that decide whether somebody moves on: who has won is asked of the game masters."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from bot.cogs.writeups.battles import deciding
from bot.cogs.writeups.buttons import RESULT
from bot.cogs.writeups.embed import gist
from bot.cogs.writeups.queries import CHUNK, CalledFor
from bot.core import state, subjects
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.permissions import now_of
from bot.core.visibility import Viewer
from bot.rolls.questions import Question, as_todo
from bot.ui.text import shorten
from bot.ui.todo import Todo
from rules.books.campaign.patrol import AWAITS_BATTLE, awaited
from rules.ends import Moment
from rules.subjects import number_of

MAX_GIST = 160
"""Characters of what a battle is about, so that several stand on a board."""


def undecided(tx: Connection, campaign: Campaign, now: Moment) -> Iterator[Question]:
    """Yield who has won, for each battle of the update for which a move waits, the oldest first; entries are read a chunk at a time, as far as they are asked for."""
    kept = state.of_name(tx, campaign.id, AWAITS_BATTLE)
    battles = sorted((entry, number_of(key)) for key, value in kept.items() for entry in awaited(value, now))
    names = subjects.names(tx, campaign.id, {number for _, number in battles})
    for start in range(0, len(battles), CHUNK):
        for number, item in deciding(tx, campaign, battles[start : start + CHUNK]):
            yield _who_won(campaign, item, names[number])


def to_decide(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the battles for which moves wait, on the desk of a game master."""
    if viewer.person.leads(viewer.campaign):
        found = undecided(tx, viewer.campaign, now_of(tx, viewer.person, viewer.campaign))
        yield from as_todo("Battles to decide", "undecided battle{s} that a move waits for", found, "/writeups list")


def _who_won(campaign: Campaign, item: CalledFor, who: str) -> Question:
    place, body = item.value["part"], item.body
    key = RESULT.fill(campaign=campaign.id, entry=item.entry.number, part=place, newest=item.newest)
    about = shorten(gist(body, body["parts"][place]), MAX_GIST)
    line = f"Who won? {about} (write-up #{item.number})"
    return Question(item.entry.number, who, line, f"Did {who} win? (#{item.number})", key, holds=True)
