"""The composition root: the only place that knows which part is built of which."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from discord.ext import commands

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
from bot.cogs.battles.cog import EventsCog
from bot.cogs.battles.panel import EVENTS, EventsPanel
from bot.cogs.battles.service import Events
from bot.cogs.battles.transaction import Headquarters
from bot.cogs.battles.turn_check import EventRolls
from bot.cogs.battles.units import Ranks
from bot.cogs.campaign.cog import CampaignCog
from bot.cogs.campaign.service import Campaigns
from bot.cogs.captives.captive_cog import CaptiveCog
from bot.cogs.captives.escape_cog import EscapeCog
from bot.cogs.captives.interrogation_cog import InterrogationCog
from bot.cogs.captives.panel import CaptivePanel
from bot.cogs.captives.rolls import Attempts
from bot.cogs.captives.service import Captives
from bot.cogs.effects.cog import EffectCog
from bot.cogs.effects.service import Effects
from bot.cogs.house_rules.cog import TableCog
from bot.cogs.house_rules.panel import TABLE, HousePanel
from bot.cogs.house_rules.service import HouseRules
from bot.cogs.infinity.challenges import Challenges
from bot.cogs.infinity.cog import InfinityCog
from bot.cogs.infinity.panel import ChallengePanel
from bot.cogs.ledger.cog import LedgerCog
from bot.cogs.ledger.pages import Journal
from bot.cogs.ledger.panel import JournalPanel
from bot.cogs.roster.character_cog import CharacterCog
from bot.cogs.roster.import_cog import ExchangeCog
from bot.cogs.roster.import_export import Exchange
from bot.cogs.roster.import_panel import IMPORT, ExchangePanel
from bot.cogs.roster.panel import RosterPanel
from bot.cogs.roster.service import Roster
from bot.cogs.roster.trait_view import TRAITS
from bot.cogs.roster.unit_cog import UnitCog
from bot.cogs.update.cog import UpdateCog
from bot.cogs.update.service import Updates
from bot.cogs.weather.category_meanings import Climates
from bot.cogs.weather.cog import WeatherCog
from bot.cogs.weather.panel import WeatherPanel
from bot.cogs.weather.pictures import Drawings
from bot.cogs.weather.queries import Almanac
from bot.cogs.weather.rollover import Weather
from bot.cogs.writeups.cog import WriteupsCog
from bot.cogs.writeups.panel import WRITEUPS, WriteupsPanel
from bot.cogs.writeups.service import Writeups
from bot.config import Settings
from bot.core.database import Database
from bot.core.ledger import Ledger, Randomness
from bot.core.library import Library
from bot.feature import Feature
from bot.kernel import Kernel, entry_kinds
from bot.outbox.delivery import Outbox
from bot.rolls.desk import RollDesk
from bot.rolls.dice.system import SystemDice
from bot.rolls.resolver import Resolver
from bot.schedules.deeds import update_deed, weather_deed
from bot.schedules.panel import SchedulePanel
from bot.schedules.service import Scheduler
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
    """Return the time now, in UTC."""
    return datetime.now(UTC)


def rollable(book: RuleSet) -> tuple[str, ...]:
    """Return the roll families of a book that a campaign can open to its players."""
    return tuple(family for family, procedure in book.procedures.items() if procedure.policy.on_request)


@dataclass(frozen=True, slots=True)
class Battles:
    """What sees to battles with random events."""

    events: Events
    rolls: EventRolls
    ranks: Ranks

    @classmethod
    def under(cls, headquarters: Headquarters, resolver: Resolver, dice: Dice) -> Self:
        """Return all three for one headquarters."""
        return cls(Events(headquarters), EventRolls(headquarters, resolver, dice), Ranks(headquarters))


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
    almanac: Almanac
    drawings: Drawings
    weather: Weather
    climates: Climates
    scheduler: Scheduler
    captives: Captives
    attempts: Attempts
    challenges: Challenges
    effects: Effects
    writeups: Writeups
    battles: Battles
    roster: Roster
    exchange: Exchange
    house: HouseRules


@dataclass(frozen=True, slots=True)
class Panels:
    """The messages that people press, put together."""

    desk: RollDesk
    journal: JournalPanel
    weather: WeatherPanel
    schedules: SchedulePanel
    captives: CaptivePanel
    challenges: ChallengePanel
    roster: RosterPanel
    exchange: ExchangePanel
    writeups: WriteupsPanel
    events: EventsPanel
    house: HousePanel


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
    library = Library(books, overlays)
    almanac = Almanac(database, library)
    drawings = Drawings(database, almanac)
    kernel = Kernel.build(
        FEATURES,
        database=database,
        ledger=ledger,
        books=books,
        dice=dice,
        overlays=overlays,
        illustrate=drawings.post,
    )
    outbox, resolver = kernel.outbox, kernel.resolver
    families = {book.id: rollable(book) for book in books.values()}
    updates = Updates(database, ledger=ledger)
    weather = Weather(database, resolver, almanac, outbox, ledger=ledger)
    deeds = {"weather": weather_deed(weather), "update": update_deed(updates, outbox)}
    return Services(
        library=library,
        outbox=outbox,
        resolver=resolver,
        campaigns=Campaigns(database, families=families, ledger=ledger),
        kernel=kernel,
        updates=updates,
        journal=Journal(database, outbox, ledger=ledger),
        almanac=almanac,
        drawings=drawings,
        weather=weather,
        climates=Climates(database, library, almanac, ledger=ledger),
        scheduler=Scheduler(database, outbox, deeds, ledger=ledger),
        captives=Captives(database, ledger=ledger),
        attempts=Attempts(database, resolver, outbox, ledger=ledger),
        challenges=Challenges(database, resolver, outbox, ledger=ledger),
        effects=Effects(database, library, ledger=ledger),
        writeups=Writeups(database, ledger=ledger),
        battles=Battles.under(Headquarters(database, library, outbox, ledger=ledger), resolver, dice),
        roster=Roster(database, library, ledger=ledger),
        exchange=Exchange(database, library, ledger=ledger),
        house=HouseRules(database, library, ledger=ledger),
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
    bot = Adjutant(settings, made.kernel, (made.scheduler.tick, made.challenges.expire))
    bot.panels = {
        "ledger": panels.journal.older,
        "publish": panels.journal.publish,
        "weather": panels.weather.handle,
        "schedule": panels.schedules.answer,
        "escape": panels.captives.handle,
        "challenge": panels.challenges.handle,
        WRITEUPS: panels.writeups.handle,
        EVENTS: panels.events.handle,
        TRAITS: panels.roster.handle,
        IMPORT: panels.exchange.handle,
        TABLE: panels.house.handle,
    }
    bot.parts = _cogs(made, panels, {book.id: book.named for book in books.values()})
    return bot


def _panels(made: Services) -> Panels:
    desk = made.kernel.desk
    return Panels(
        desk=desk,
        journal=JournalPanel(made.journal, made.outbox, made.kernel.database, KINDS),
        weather=WeatherPanel(made.weather, made.climates, made.outbox),
        schedules=SchedulePanel(desk, made.scheduler, made.outbox),
        captives=CaptivePanel(desk, made.captives, made.attempts, made.outbox),
        challenges=ChallengePanel(desk, made.challenges, made.outbox),
        roster=RosterPanel(made.roster),
        exchange=ExchangePanel(made.exchange),
        writeups=WriteupsPanel(made.campaigns, made.writeups),
        events=EventsPanel(desk, made.battles.events, made.battles.rolls, made.outbox),
        house=HousePanel(desk, made.house),
    )


def _cogs(made: Services, panels: Panels, books: Mapping[str, str]) -> tuple[commands.Cog, ...]:
    desk = panels.desk
    return (
        CampaignCog(desk, made.campaigns, books),
        UpdateCog(desk, made.updates, panels.schedules),
        WeatherCog(desk, panels.weather, panels.schedules, made.weather, made.almanac, made.drawings),
        UnitCog(desk, panels.roster, made.roster),
        CharacterCog(desk, panels.roster, made.roster),
        ExchangeCog(desk, panels.exchange),
        CaptiveCog(desk, panels.captives, made.captives),
        InterrogationCog(desk, panels.captives, made.attempts),
        EscapeCog(desk, panels.captives),
        EffectCog(desk, made.effects),
        WriteupsCog(desk, panels.writeups, made.writeups),
        EventsCog(desk, panels.events, made.battles.events, made.battles.ranks),
        InfinityCog(desk, panels.challenges),
        TableCog(desk, panels.house, made.house),
        LedgerCog(desk, panels.journal),
    )
