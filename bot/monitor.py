"""Health at `/health`, anonymous Prometheus metrics at `/metrics`, with `HEALTH_PORT`."""

import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from aiohttp import web
from msgspec import Struct
from msgspec.structs import asdict
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector
from sqlalchemy import Connection

from bot.core import campaigns, config, errors, records, transactions
from bot.core.outages import log_fault
from bot.outbox import queue as posts
from bot.rolls.extension import RollExtension
from bot.rolls.resolver import Resolver
from bot.schedules import store as schedules
from bot.ui.answering import InteractionRecord
from rules.book import HOUSE

PATIENCE = 3.0
OVERDUE = timedelta(minutes=1)
"""How long a post may be due: senders look every few seconds."""

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10)
OWN_TABLES = "own"
"""The family for all campaigns' own tables, whose names stay private."""

Bot = Any
"""`bot.client.Adjutant`, which is above this module."""


class Backlog(Struct, frozen=True):
    """Waiting posts, and seconds posts and schedules are overdue."""

    posts: int
    post_overdue_seconds: float
    schedule_lag_seconds: float


class Health(Struct, frozen=True):
    """Which parts are ready, by name; `owed` is None without a database."""

    parts: Mapping[str, bool]
    owed: Backlog | None


def read_backlog(tx: Connection, now: datetime) -> Backlog:
    """Read what is owed."""
    late = (_since(posts.find_oldest_due(tx, now), now), _since(schedules.find_oldest_due_job(tx, now), now))
    return Backlog(posts.count_queued(tx), *late)


def _since(then: datetime | None, now: datetime) -> float:
    return 0.0 if then is None else (now - then).total_seconds()


class Monitor:
    """Serves a bot's health, and metrics in Prometheus format; unknown ones are NaN."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._looking: asyncio.Task[Backlog] | None = None
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        wait = partial(Histogram, registry=self._registry, buckets=SECONDS)
        self._acknowledged = wait("adjutant_acknowledgement_seconds", "Until Discord has taken an acknowledgement")
        self._answered = wait("adjutant_answer_seconds", "Until Discord has taken the first answer")
        count, gauge = partial(Counter, registry=self._registry), partial(Gauge, registry=self._registry)
        self._interactions = count("adjutant_interactions", "Commands and presses by outcome", ["command", "outcome"])
        self._rolls = count("adjutant_rolls", "Rolls that were entered", ["book", "family"])
        self._ready = gauge("adjutant_ready", "Whether a part is ready", ["part"])
        self._owed = {
            "posts": gauge("adjutant_posts_queued", "Posts that wait"),
            "post_overdue_seconds": gauge("adjutant_post_overdue_seconds", "How long a post is due and not taken"),
            "schedule_lag_seconds": gauge("adjutant_schedule_lag_seconds", "How long scheduled work is overdue"),
        }
        app = web.Application()
        app.router.add_get("/health", self._health)
        app.router.add_get("/metrics", self._metrics)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        bot.measures.append(self._count_interaction)
        resolver = bot.resolver
        resolver.extension.rolls.append(RollExtension(follows=(self._count_roll,)))

    @property
    def port(self) -> int:
        """The port on which health and metrics are served."""
        return int(self._runner.addresses[0][1])

    async def open(self, address: config.Address) -> None:
        """Serve an address."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, address.host, address.port).start()
        except OSError as error:
            raise errors.StartError(f"HEALTH_PORT cannot be used: {error.strerror or error}.") from error

    async def close(self) -> None:
        """Stop serving."""
        await self._runner.cleanup()

    async def check_health(self) -> Health:
        """Return the bot's health."""
        bot, owed = self._bot, await self._read_owed()
        gateway = bot.is_ready() and not any(shard.is_closed() for shard in bot.shards.values())
        timely = owed is not None and owed.post_overdue_seconds < OVERDUE.total_seconds()
        return Health({"gateway": gateway, "database": owed is not None, "posts": timely}, owed)

    async def _read_owed(self) -> Backlog | None:
        """Ask once, however often we are asked; None without an answer."""
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._bot.database.read(read_backlog, self._bot.ledger.now()))
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
        health = await self.check_health()
        ready = all(health.parts.values())
        owed = {} if health.owed is None else {"owed": asdict(health.owed)}
        return web.json_response({"ready": ready, **health.parts, **owed}, status=200 if ready else 503)

    async def _metrics(self, _request: web.Request) -> web.Response:
        health = await self.check_health()
        for part, ready in health.parts.items():
            self._ready.labels(part).set(ready)
        known = {} if health.owed is None else asdict(health.owed)
        for name, figure in self._owed.items():
            figure.set(known.get(name, float("nan")))
        return web.Response(body=generate_latest(self._registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    def _count_interaction(self, over: InteractionRecord) -> None:
        self._interactions.labels(over.command, over.outcome).inc()
        for wait, then in ((self._acknowledged, over.acknowledged), (self._answered, over.answered)):
            if then is not None:
                wait.observe(then - over.started)

    def _count_roll(
        self, tx: Connection, resolver: Resolver, _campaign: campaigns.Campaign, entry: records.Entry
    ) -> Iterable[posts.Post]:
        book, family = (str(entry.content()[name]) for name in ("book", "family"))
        shipped = resolver.library.shipped.get(book)
        own = book == HOUSE or (shipped is not None and family not in shipped.procedures)
        transactions.do_after_commit(tx, self._rolls.labels(book, OWN_TABLES if own else family).inc)
        return ()
