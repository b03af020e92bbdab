"""A scheduler of fake deeds on the bot below its panels."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

import discord
from sqlalchemy import Connection

from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.schedules import store
from bot.schedules.service import Deed, Plan, Scheduler
from bot.schedules.store import SCHEDULE
from tests.support.backend import GM, House
from tests.support.world import counted_randomness

SATURDAYS = Plan("Saturday", "18:00")
ASKING = Plan("Saturday", "18:00", catch_up="ask")


@dataclass
class Fake:
    """A deed that enters for which occurrence it was done, and fails as it is told to."""

    house: House
    outbox: Outbox
    refusals: list[Exception | None] = field(default_factory=list)

    def deed(self, name: str) -> Deed:
        """The deed under a name."""

        def run(tx: Connection, campaign: Campaign, at: datetime) -> tuple[Post, ...]:
            return self.enter(tx, campaign, f"{name} {at:%d %b %H:%M}", SCHEDULE)

        def reached(tx: Connection, campaign: Campaign) -> int:
            made = [item for item in entries.walk(tx, campaign.id) if item.kind == "update"]
            return sum(item.content()["done"].startswith((name, "by hand")) for item in made)

        return Deed(run, reached, title="Weekly weather", what="the weather rollover")

    def enter(self, tx: Connection, campaign: Campaign, what: str, user_id: int) -> tuple[Post, ...]:
        """Enter and post, in a second's time, that it was done; what fails has entered something before it does."""
        self.house.clock.advance(seconds=1)
        draft = EntryDraft(kind="update", audience="results", body={"done": what})
        entry = self.house.ledger.enter(tx, campaign, user_id, draft)
        refusal = self.refusals.pop(0) if self.refusals else None
        if refusal is not None:
            raise refusal
        letters = [OutgoingMessage("results", campaign.results_channel_id, [discord.Embed(title=what)])]
        return tuple(self.outbox.queue(tx, campaign.id, entry.number, letters))


@dataclass
class Shop:
    """A house with a scheduler of fake deeds."""

    house: House
    fake: Fake
    scheduler: Scheduler

    async def set(self, plan: Plan | None = SATURDAYS, deed: str = "weather", campaign: int = 1) -> None:
        """Set a schedule as the game master does."""
        await self.scheduler.set(GM, campaign, deed, plan)

    async def tick(self, *when: int) -> list[Post]:
        """Tick, once it is a day (of March 2026 at first), an hour and a minute in UTC."""
        if when:
            self.house.clock.now = utc(*when)
        return await self.scheduler.tick()

    async def done(self) -> list[str]:
        """What was done in the first campaign, in the order of the ledger."""
        return [item.content()["done"] for item in await self.house.entries() if item.kind == "update"]

    async def job(self, deed: str = "weather") -> store.Job:
        """A schedule as it stands, which there must be."""
        job = await self.scheduler.show(1, deed)
        assert job is not None
        return job


def utc(day: int, hour: int = 0, minute: int = 0, month: int = 3) -> datetime:
    """A moment of 2026."""
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


def open_shop(house: House, database: Database, start: int = 0) -> Shop:
    """A scheduler on a database, with randomness of its own."""
    numbers = counted_randomness()
    outbox = Outbox(database, ledger=Ledger(house.clock, lambda size: bytes([start]) + numbers(size)[1:]))
    fake = Fake(house, outbox)
    deeds = {name: fake.deed(name) for name in ("weather", "update")}
    scheduler = Scheduler(database, outbox, deeds, ledger=house.ledger)
    return Shop(house, fake, scheduler)


async def by_hand(shop: Shop, *when: int) -> None:
    """Do it by hand at a moment."""
    shop.house.clock.now = utc(*when)
    await shop.house.database.write(
        lambda tx: shop.fake.enter(tx, shop.house.campaign, f"by hand {when[0]:02}", GM.user_id)
    )
