"""What can be scheduled. Features bring their own jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver

Features = Sequence[Any]
"""All features of the bot: `bot.feature.Feature`, which stands above this module."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One time that a job is due: in which campaign, whose row is locked, at which moment (aware), and what does it."""

    resolver: Resolver
    features: Features
    campaign: Campaign
    at: datetime


@dataclass(frozen=True, slots=True)
class Job:
    """Something that can happen by itself.

    `id` is the word of its command, such as `weather`; `title` names it ("Weekly weather"), `what` tells it in a sentence
    ("the weather rollover"), `does` is what a campaign does then ("rolls its weather"). `run` does it in a write
    transaction and queues its posts; `reached` tells how far it has come, by whomever: how many weeks are rolled, which
    update is the current one.
    """

    id: str
    title: str
    what: str
    does: str
    run: Callable[[Connection, Occurrence], tuple[Post, ...]]
    reached: Callable[[Connection, Campaign], int]


Jobs = Mapping[str, Job]
"""All jobs of the bot, by id."""
