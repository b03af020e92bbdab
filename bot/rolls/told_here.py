"""Rolls whose results stand where they were typed: an update's summary lists them, so that none is seen by few alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import entries, voiding
from bot.core.campaigns import Campaign, update_entry
from bot.core.people import told
from bot.core.records import Entry
from bot.core.schema import post
from bot.rolls.entry_body import home_of
from bot.rolls.headline import outcome_line
from bot.rolls.summaries import has_decided, summary_of
from bot.ui.text import plain
from bot.ui.todo import MANY

_BATCH = MANY + 1
"""How many of them are read at once."""


def newest(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield the rolls of the current update that stand and were posted elsewhere than in the results channel, a line each, newest first, as far as they are asked for."""
    return filter(None, map(_line, _made(tx, campaign)))


def decided_first(tx: Connection, campaign: Campaign) -> Sequence[str]:
    """Return all of them: first those that have decided something, such as a battle, and of each the oldest first."""
    made = sorted(_made(tx, campaign), key=attrgetter("number"))
    return [line for entry in sorted(made, key=_follows) if (line := _line(entry))]


def _made(tx: Connection, campaign: Campaign) -> Iterator[Entry]:
    elsewhere = (
        post.c.campaign_id == campaign.id,
        post.c.kind == "results",
        post.c.channel_id != campaign.results_channel_id,
        post.c.entry_number > update_entry(tx, campaign.id),
    )
    numbers = iter(sorted(set(tx.scalars(sa.select(post.c.entry_number).where(*elsewhere))), reverse=True))
    while some := set(islice(numbers, _BATCH)):
        found = entries.some(tx, campaign.id, some - voiding.voided(tx, campaign.id, some))
        yield from (found[number] for number in sorted(found, reverse=True))


def _follows(made: Entry) -> bool:
    return not has_decided(made)


def _line(made: Entry) -> str:
    """Return a roll in a line; empty when it was not posted where it was typed, or nothing of it is to be told here."""
    if made.kind != "roll" or (home := home_of(made)) is None:
        return ""
    body = told(made)
    parts = [line for part in body["parts"] if (line := _came_to(body, part))]
    return f"#{made.number} {'; '.join(part.removesuffix('.') for part in parts)}, in <#{home}>" if parts else ""


def _came_to(body: Mapping[str, Any], part: Mapping[str, Any]) -> str:
    """Return what a part came to; of one that is summed up the first line."""
    summary = summary_of(part)
    if summary is not None:
        return plain("".join(summary["lines"][:1]))
    return outcome_line(body, part, plain(part["outcome"]["text"])) if part["outcome"] else ""
