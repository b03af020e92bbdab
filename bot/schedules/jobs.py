"""What can be scheduled. Features bring their own jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.outbox.store import Post
from bot.rolls.resolver import Resolver


@dataclass(frozen=True, slots=True)
class Job:
    """Something that can happen by itself.

    `id` is the word of its command, such as `weather`; `title` names it ("Weekly weather"), `what` tells it in a sentence
    ("the weather rollover"). `run` does it in a write transaction, for the occurrence at a moment (aware), and queues its
    posts; `reached` tells how far it has come, by whomever: how many weeks are rolled, which update is the current one.
    """

    id: str
    title: str
    what: str
    run: Callable[[Connection, Resolver, Campaign, datetime], tuple[Post, ...]]
    reached: Callable[[Connection, Campaign], int]
