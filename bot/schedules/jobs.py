"""What can be scheduled. Features bring their own jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.outbox.store import Post


class Ahead(Struct, frozen=True):
    """What a job does some minutes ahead of its time: what that is called, in a sentence, and what does it, as `run` of `Job`."""

    title: str
    run: Callable[..., tuple[Post, ...]]


class Job(Struct, frozen=True):
    """Something that can happen by itself.

    `id` is the word of its command, such as `weather`; `title` names it ("Weekly weather"), `what` tells it in a sentence
    ("the weather rollover"), `does` is what a campaign does then ("rolls its weather"). `run` takes a write
    transaction and an `Occurrence`, does it and queues its posts; `reached` tells how far it has come, by whomever: how many weeks are rolled, which
    update is the current one. `ahead` is what it does ahead of its time, if anything.
    """

    id: str
    title: str
    what: str
    does: str
    run: Callable[..., tuple[Post, ...]]
    reached: Callable[[Connection, Campaign], int]
    ahead: Ahead | None = None


Jobs = Mapping[str, Job]
"""All jobs of the bot, by id."""
