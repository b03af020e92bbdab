"""Fake jobs and their schedules."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import perform
from bot.app import KINDS
from bot.cogs.weather.rollover import ROLLOVER_JOB
from bot.core import entries
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person
from bot.outbox.delivery import Outbox
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls.resolver import Resolver
from bot.schedules import runner, store
from bot.schedules.actions import ScheduleForm, SetSchedule
from bot.schedules.runner import JobRunner, MissedAnswer, MissedQuestion, tick
from bot.schedules.store import EVERY, SCHEDULE, Job, Schedule
from tests.support.backend import GM, House
from tests.support.world import CountedRandomness


def planned(**options: Any) -> SetSchedule:  # noqa: ANN401 - of the command
    """The action that `/gm schedule` makes for the weather."""
    return SetSchedule(job=ROLLOVER_JOB, plan=ScheduleForm(what="weather", **options))


SATURDAYS = planned(day="Saturday", time="18:00")
ASKING = planned(day="Saturday", time="18:00", catch_up="ask")


@dataclass
class Fake:
    """A job that enters its occurrences, or fails."""

    house: House
    outbox: Outbox
    refusals: list[Exception | None] = field(default_factory=list)
    faults: dict[int, Exception] = field(default_factory=dict)

    def job(self, name: str) -> Job:
        """The job under a name."""
        return Job(
            id=name,
            title="Weekly weather",
            what="the weather rollover",
            does="rolls its weather",
            run=partial(self._run, name),
            reached=partial(_count_done, name),
        )

    def _run(
        self, name: str, tx: Connection, _resolver: Resolver, campaign: Campaign, at: datetime
    ) -> tuple[Post, ...]:
        return self.enter(tx, campaign, f"{name} {at:%d %b %H:%M}", SCHEDULE)

    def enter(self, tx: Connection, campaign: Campaign, what: str, user_id: int) -> tuple[Post, ...]:
        """Enter and post, or fail afterwards."""
        self.house.clock.advance(seconds=1)
        draft = EntryDraft(kind="update", audience="results", body={"done": what})
        entry = self.house.ledger.enter(tx, campaign, user_id, draft)
        in_turn = self.refusals.pop(0) if self.refusals else None
        refusal = self.faults.pop(campaign.id, in_turn)
        if refusal is not None:
            raise refusal
        letters = [OutgoingMessage("results", campaign.results_channel_id, [discord.Embed(title=what)])]
        return tuple(self.outbox.queue(tx, campaign.id, entry.number, letters))


def _count_done(name: str, tx: Connection, campaign: Campaign) -> int:
    made = [item for item in entries.walk_entries(tx, campaign.id) if item.kind == "update"]
    return sum(item.content()["done"].startswith((name, "by hand")) for item in made)


@dataclass
class Schedules:
    """What people and time do to schedules."""

    database: Database
    runner: JobRunner

    async def set(self, who: Person, campaign: int, job: str, plan: SetSchedule) -> None:
        """Set or stop a schedule."""
        action = replace(plan, job=self.runner.jobs[job])
        await self.database.write(perform, self.runner.resolver, who, campaign, action)

    async def show(self, campaign: int, job: str) -> Schedule | None:
        """Show a schedule."""
        return await self.database.read(store.find_settled, self.runner.jobs[job], campaign)

    async def answer(self, who: Person, campaign: int, job: str, seen: int = EVERY, *, roll: bool) -> MissedAnswer:
        """Decide what was missed until a minute."""
        question = MissedQuestion(self.runner.jobs[job], campaign, seen)
        return await runner.answer_missed(self.database, self.runner, who, question, roll=roll)

    async def tick(self) -> list[Post]:
        """Do what is due."""
        return await tick(self.database, self.runner)


@dataclass
class Shop:
    """A house with fake jobs."""

    house: House
    fake: Fake
    schedules: Schedules

    async def set(self, plan: SetSchedule = SATURDAYS, job: str = "weather", campaign: int = 1) -> None:
        """Set a schedule."""
        await self.schedules.set(GM, campaign, job, plan)

    async def answer(self, *, roll: bool, who: Person = GM, seen: int = EVERY) -> MissedAnswer:
        """Decide about missed weather."""
        return await self.schedules.answer(who, 1, "weather", seen, roll=roll)

    async def tick(self, *when: int) -> list[Post]:
        """Tick at this time of March 2026."""
        if when:
            self.house.clock.now = utc(*when)
        return await self.schedules.tick()

    async def done(self) -> list[str]:
        """Occurrences done, in order."""
        return [item.content()["done"] for item in await self.house.entries() if item.kind == "update"]

    async def schedule(self, job: str = "weather") -> Schedule:
        """A schedule that exists."""
        schedule = await self.schedules.show(1, job)
        assert schedule is not None
        return schedule


def utc(day: int, hour: int = 0, minute: int = 0, month: int = 3) -> datetime:
    """A moment of 2026."""
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


def open_shop(house: House, database: Database, start: int = 0) -> Shop:
    """Two fake jobs on a database."""
    numbers = CountedRandomness()
    outbox = Outbox(database, ledger=Ledger(house.clock, lambda size: bytes([start]) + numbers(size)[1:]))
    fake = Fake(house, outbox)
    jobs = {name: fake.job(name) for name in ("weather", "update")}
    library, extension = house.resolver.library, house.resolver.extension
    resolver = Resolver(library, ledger=house.ledger, outbox=outbox, dice=house.dice, kinds=KINDS, extension=extension)
    return Shop(house, fake, Schedules(database, JobRunner(jobs, resolver)))


def list_schedules_of(house: House, job: Job) -> Schedules:
    """Schedules of a real job."""
    return Schedules(house.database, JobRunner({job.id: job}, house.resolver))


async def by_hand(shop: Shop, *when: int) -> None:
    """Do it by hand at a moment."""
    shop.house.clock.now = utc(*when)
    await shop.house.database.write(
        lambda tx: shop.fake.enter(tx, shop.house.campaign, f"by hand {when[0]:02}", GM.user_id)
    )
