"""What the bot tells on a port of its own to whoever runs it: at `/health` whether it is ready, at `/metrics` its figures for Prometheus.

Loaded only where `HEALTH_PORT` is set. No figure names a person, a server or a campaign.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from aiohttp import web
from msgspec import Struct
from msgspec.structs import asdict
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector
from sqlalchemy import Connection

from bot.config import Address
from bot.core.campaigns import Campaign
from bot.core.chores import log_fault
from bot.core.records import Entry
from bot.core.transactions import do_after_commit
from bot.errors import StartError
from bot.outbox import store as posts
from bot.outbox.store import Post
from bot.rolls.extension import RollExtension
from bot.rolls.resolver import Resolver
from bot.schedules import store as schedules
from bot.ui.answering import Attended
from rules.book import HOUSE

PATIENCE = 3.0
"""Seconds for which an answer waits for the database."""

OVERDUE = timedelta(minutes=1)
"""For how long a post may be due without being taken: senders look every few seconds."""

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10)
"""The limits by which waits are counted; Discord waits three seconds for an acknowledgement."""

OWN_TABLES = "own"
"""The family by which rolls on tables of campaigns' own are counted, all together: their names are those campaigns' business."""

Bot = Any
"""The running bot: `bot.client.Adjutant`, which stands above this module."""


class Owed(Struct, frozen=True):
    """What the database says is still to be done: how many posts wait, and for how many seconds a post, and a schedule, is overdue."""

    posts: int
    post_overdue_seconds: float
    schedule_lag_seconds: float


class Health(Struct, frozen=True):
    """Whether each part of the bot is ready; what is owed is None where the database does not answer."""

    gateway: bool
    database: bool
    posts: bool
    owed: Owed | None

    @property
    def parts(self) -> dict[str, bool]:
        """Return the parts by name."""
        return {"gateway": self.gateway, "database": self.database, "posts": self.posts}


def look(tx: Connection, now: datetime) -> Owed:
    """Read what is owed."""
    late = (_since(posts.find_oldest_due(tx, now), now), _since(schedules.find_oldest_due_job(tx, now), now))
    return Owed(posts.count_queued(tx), *late)


def _since(then: datetime | None, now: datetime) -> float:
    return 0.0 if then is None else (now - then).total_seconds()


class Figures:
    """What Prometheus is told."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        wait = partial(Histogram, registry=self.registry, buckets=SECONDS)
        self.acknowledged = wait("adjutant_acknowledgement_seconds", "Until Discord has taken an acknowledgement")
        self.answered = wait("adjutant_answer_seconds", "Until Discord has taken the first answer")
        count, gauge = partial(Counter, registry=self.registry), partial(Gauge, registry=self.registry)
        self.interactions = count("adjutant_interactions", "Commands and presses by outcome", ["command", "outcome"])
        self.rolls = count("adjutant_rolls", "Rolls that were entered", ["book", "family"])
        self.ready = gauge("adjutant_ready", "Whether a part is ready", ["part"])
        self.owed = {
            "posts": gauge("adjutant_posts_queued", "Posts that wait"),
            "post_overdue_seconds": gauge("adjutant_post_overdue_seconds", "How long a post is due and not taken"),
            "schedule_lag_seconds": gauge("adjutant_schedule_lag_seconds", "How long scheduled work is overdue"),
        }

    def show(self, standing: Health) -> bytes:
        """Return all figures as Prometheus reads them; what is not known is NaN."""
        for part, ready in standing.parts.items():
            self.ready.labels(part).set(ready)
        known = {} if standing.owed is None else asdict(standing.owed)
        for name, figure in self.owed.items():
            figure.set(known.get(name, float("nan")))
        return generate_latest(self.registry)

    def interaction(self, over: Attended) -> None:
        """Count an interaction that is over, and its waits."""
        self.interactions.labels(over.command, over.outcome).inc()
        for wait, then in ((self.acknowledged, over.acknowledged), (self.answered, over.answered)):
            if then is not None:
                wait.observe(then - over.started)


class Monitor:
    """Serves health and figures of a bot, which it takes from now on."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._figures = Figures()
        self._looking: asyncio.Task[Owed] | None = None
        app = web.Application()
        app.router.add_get("/health", self._health)
        app.router.add_get("/metrics", self._metrics)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        bot.measures.append(self._figures.interaction)
        resolver = bot.resolver
        resolver.extension.rolls.append(RollExtension(follows=(self._rolled,)))

    @property
    def port(self) -> int:
        """The port that is served."""
        return int(self._runner.addresses[0][1])

    async def open(self, address: Address) -> None:
        """Serve an address."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, address.host, address.port).start()
        except OSError as error:
            raise StartError(f"HEALTH_PORT cannot be used: {error.strerror or error}.") from error

    async def close(self) -> None:
        """Serve no more."""
        await self._runner.cleanup()

    async def standing(self) -> Health:
        """Return how the bot stands."""
        bot, owed = self._bot, await self._owed()
        gateway = bot.is_ready() and not any(shard.is_closed() for shard in bot.shards.values())
        timely = owed is not None and owed.post_overdue_seconds < OVERDUE.total_seconds()
        return Health(gateway, owed is not None, timely, owed)

    async def _owed(self) -> Owed | None:
        """Return what is owed; None where the database does not answer: it is then asked once, however often we are."""
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._bot.database.read(look, self._bot.ledger.now()))
        task = self._looking
        await asyncio.wait([task], timeout=PATIENCE)
        if not task.done():
            return None
        self._looking = None
        if (error := task.exception()) is not None:
            log_fault("health.bug", error)
            return None
        return task.result()

    async def _health(self, _request: web.Request) -> web.Response:
        standing = await self.standing()
        ready = all(standing.parts.values())
        owed = {} if standing.owed is None else {"owed": asdict(standing.owed)}
        return web.json_response({"ready": ready, **standing.parts, **owed}, status=200 if ready else 503)

    async def _metrics(self, _request: web.Request) -> web.Response:
        shown = self._figures.show(await self.standing())
        return web.Response(body=shown, headers={"Content-Type": CONTENT_TYPE_LATEST})

    def _rolled(self, tx: Connection, resolver: Resolver, _campaign: Campaign, entry: Entry) -> Iterable[Post]:
        book, family = (str(entry.content()[name]) for name in ("book", "family"))
        shipped = resolver.library.shipped.get(book)
        own = book == HOUSE or (shipped is not None and family not in shipped.procedures)
        do_after_commit(tx, self._figures.rolls.labels(book, OWN_TABLES if own else family).inc)
        return ()
