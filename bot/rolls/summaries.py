"""Rolls that are told otherwise where many are told together: what a battle has come to, and nothing of what decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, cast

from sqlalchemy import Connection

from bot.core import entries, voiding
from bot.core.campaigns import Campaign
from bot.core.records import Entry
from rules.procedure import SUMMARY


class Summary(TypedDict):
    """What is told of a part of a roll, in which phase of its book's orders (id); no lines where it has decided nothing."""

    phase: str
    lines: Sequence[str]


def summary_of(part: Mapping[str, Any]) -> Summary | None:
    """Return what is told of a part of a roll (as its entry's body has it) instead of its outcome; None where it is told as ever."""
    return cast("Summary | None", part["record"].get(SUMMARY))


def has_decided(made: Entry) -> bool:
    """Return whether an entry is a roll that has decided something that is to be told."""
    parts = made.content()["parts"] if made.kind == "roll" else ()
    return any(found["lines"] for part in parts if (found := summary_of(part)))


def decided_among(tx: Connection, campaign: Campaign, numbers: range) -> list[Entry]:
    """Return the rolls among the entries of these numbers that have decided something and stand, in their order."""
    made = entries.without_texts(tx, campaign.id, numbers)
    found = {number for number, entry in made.items() if has_decided(entry)}
    return [made[number] for number in sorted(found - voiding.voided(tx, campaign.id, found))]
