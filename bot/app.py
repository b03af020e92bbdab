"""The composition root: the only place that knows which part is made of which."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from discord.ext import commands
from sqlalchemy import Connection

from bot.client import Adjutant
from bot.cogs import (
    battles,
    campaign,
    captives,
    cards,
    complications,
    detection,
    effects,
    house_rules,
    infinity,
    ledger,
    newtype,
    patrol,
    ping,
    roll,
    roster,
    scouting,
    update,
    weather,
    writeups,
)
from bot.cogs.campaign.cog import CampaignCog
from bot.cogs.campaign.service import Campaigns
from bot.cogs.ledger.cog import LedgerCog
from bot.cogs.ledger.pages import Journal
from bot.cogs.ledger.panel import JournalPanel
from bot.cogs.update.cog import UpdateCog
from bot.cogs.update.service import Updates
from bot.cogs.writeups.cog import WriteupsCog
from bot.cogs.writeups.panel import WRITEUPS, WriteupsPanel
from bot.cogs.writeups.service import Writeups
from bot.config import Settings
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.ledger import Ledger, Randomness
from bot.core.library import Library
from bot.feature import Feature
from bot.kernel import Kernel, entry_kinds
from bot.outbox.delivery import Outbox
from bot.outbox.store import Post
from bot.rolls.desk import RollDesk
from bot.rolls.dice.system import SystemDice
from bot.rolls.resolver import Resolver
from bot.schedules.deeds import update_deed
from bot.schedules.jobs import Job
from bot.schedules.panel import SchedulePanel
from bot.schedules.service import Deed, Scheduler
from rules.compose import Composer
from rules.dice import Dice
from rules.loader import load_books
from rules.ruleset import RuleSet

FEATURES: tuple[Feature, ...] = (
    roster.FEATURE,  # facts that are named later count before these
    captives.FEATURE,
    complications.FEATURE,
    effects.FEATURE,
    weather.FEATURE,
    campaign.FEATURE,
    update.FEATURE,
    patrol.FEATURE,
    scouting.FEATURE,
    detection.FEATURE,
    newtype.FEATURE,
    roll.FEATURE,
    cards.FEATURE,
    ping.FEATURE,
    writeups.FEATURE,
    battles.FEATURE,
    infinity.FEATURE,
    house_rules.FEATURE,
    ledger.FEATURE,
)
KINDS = entry_kinds(FEATURES)


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def rollable(book: RuleSet) -> tuple[str, ...]:
    """The roll families of a book that a campaign can open to its players."""
    return tuple(family for family, procedure in book.procedures.items() if procedure.policy.on_request)


def job_deed(job: Job, resolver: Resolver) -> Deed:
    """Return a job as the scheduler still takes it."""

    def run(tx: Connection, campaign: Campaign, at: datetime) -> tuple[Post, ...]:
        return job.run(tx, resolver, campaign, at)

    return Deed(run, job.reached, title=job.title, what=job.what)


@dataclass(frozen=True, slots=True)
class Services:
    """Everything below the panels, put together."""

    library: Library
    outbox: Outbox
    resolver: Resolver
    campaigns: Campaigns
    kernel: Kernel
    updates: Updates
    journal: Journal
    scheduler: Scheduler
    writeups: Writeups


@dataclass(frozen=True, slots=True)
class Panels:
    """The messages that people press, put together."""

    desk: RollDesk
    journal: JournalPanel
    schedules: SchedulePanel
    writeups: WriteupsPanel


def assemble(  # noqa: PLR0913 - all that comes from outside is handed in by name
    database: Database,
    books: Mapping[str, RuleSet],
    *,
    clock: Callable[[], datetime],
    dice: Dice,
    randomness: Randomness,
    overlays: Sequence[Path] = (),
) -> Services:
    """Put the services together; time, dice and randomness come in from outside."""
    ledger = Ledger(clock, randomness)
    library = Library(books, Composer(overlays))
    kernel = Kernel.build(
        FEATURES,
        database=database,
        ledger=ledger,
        books=books,
        dice=dice,
        overlays=overlays,
    )
    outbox, resolver = kernel.outbox, kernel.resolver
    families = {book.id: rollable(book) for book in books.values()}
    updates = Updates(database, ledger=ledger)
    jobs = {job.id: job_deed(job, resolver) for feature in FEATURES for job in feature.jobs}
    deeds = {**jobs, "update": update_deed(updates, outbox)}
    return Services(
        library=library,
        outbox=outbox,
        resolver=resolver,
        campaigns=Campaigns(database, families=families, ledger=ledger),
        kernel=kernel,
        updates=updates,
        journal=Journal(database, outbox, ledger=ledger),
        scheduler=Scheduler(database, outbox, deeds, ledger=ledger),
        writeups=Writeups(database, ledger=ledger),
    )


def create_bot(  # noqa: PLR0913 - all that comes from outside is handed in by name
    settings: Settings,
    *,
    database: Database | None = None,
    clock: Callable[[], datetime] = utc_now,
    dice: Dice | None = None,
    randomness: Randomness = secrets.token_bytes,
    books: Mapping[str, RuleSet] | None = None,
) -> Adjutant:
    """Put the bot together. Time, dice and randomness come in from outside, and the database when it is not the usual."""
    database = database or Database(settings.database_url)
    books = load_books(settings.rules_overlays) if books is None else books
    overlays = settings.rules_overlays
    made = assemble(database, books, clock=clock, dice=dice or SystemDice(), randomness=randomness, overlays=overlays)
    panels = _panels(made)
    bot = Adjutant(settings, made.kernel, (made.scheduler.tick,))
    bot.panels = {
        "ledger": panels.journal.older,
        "publish": panels.journal.publish,
        "schedule": panels.schedules.answer,
        WRITEUPS: panels.writeups.handle,
    }
    bot.schedules = panels.schedules
    bot.parts = _cogs(made, panels, {book.id: book.named for book in books.values()})
    return bot


def _panels(made: Services) -> Panels:
    desk = made.kernel.desk
    return Panels(
        desk=desk,
        journal=JournalPanel(made.journal, made.outbox, made.kernel.database, KINDS),
        schedules=SchedulePanel(desk, made.scheduler, made.outbox),
        writeups=WriteupsPanel(made.campaigns, made.writeups),
    )


def _cogs(made: Services, panels: Panels, books: Mapping[str, str]) -> tuple[commands.Cog, ...]:
    desk = panels.desk
    return (
        CampaignCog(desk, made.campaigns, books),
        UpdateCog(desk, made.updates, panels.schedules),
        WriteupsCog(desk, panels.writeups, made.writeups),
        LedgerCog(desk, panels.journal),
    )
