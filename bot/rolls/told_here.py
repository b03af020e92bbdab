"""Rolls whose results stand where they were typed: an update's summary lists them, so that none is seen by few alone."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import entries, voiding
from bot.core.campaigns import Campaign, update_entry
from bot.core.people import told
from bot.core.records import Entry
from bot.core.schema import post
from bot.rolls.embed import outcome_line
from bot.rolls.entry_body import home_of
from bot.ui.text import plain


def of_update(tx: Connection, campaign: Campaign) -> Sequence[str]:
    """Return the rolls of the current update that stand and were posted elsewhere than in the results channel, a line each."""
    elsewhere = (
        post.c.campaign_id == campaign.id,
        post.c.kind == "results",
        post.c.channel_id != campaign.results_channel_id,
        post.c.entry_number > update_entry(tx, campaign.id),
    )
    numbers = set(tx.scalars(sa.select(post.c.entry_number).where(*elsewhere)))
    found = entries.some(tx, campaign.id, numbers - voiding.voided(tx, campaign.id, numbers))
    return [line for number in sorted(found) if (line := _line(found[number]))]


def _line(made: Entry) -> str:
    """Return a roll in a line; empty when it was not posted where it was typed."""
    if made.kind != "roll" or (home := home_of(made)) is None:
        return ""
    body = told(made)
    parts = [outcome_line(body, part, plain(part["outcome"]["text"])) for part in body["parts"] if part["outcome"]]
    return f"#{made.number} {'; '.join(part.removesuffix('.') for part in parts)}, in <#{home}>"
