"""The composition root: the only place that knows which part is made of which."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from discord.ext import commands

from bot.client import Adjutant
from bot.cogs.campaign import CampaignCog
from bot.cogs.captive import CaptiveCog
from bot.cogs.cards import CardsCog
from bot.cogs.character import CharacterCog
from bot.cogs.complications import ComplicationsCog
from bot.cogs.detection import DetectionCog
from bot.cogs.effect import EffectCog
from bot.cogs.escape import EscapeCog
from bot.cogs.events import EventsCog
from bot.cogs.exchange import ExchangeCog
from bot.cogs.infinity import InfinityCog
from bot.cogs.interrogation import InterrogationCog
from bot.cogs.ledger import LedgerCog
from bot.cogs.newtype import NewtypeCog
from bot.cogs.patrol import PatrolCog
from bot.cogs.ping import PingCog
from bot.cogs.roll import RollCog
from bot.cogs.scouting import ScoutingCog
from bot.cogs.table import TableCog
from bot.cogs.unit import UnitCog
from bot.cogs.update import UpdateCog
from bot.cogs.weather import WeatherCog
from bot.cogs.writeups import WriteupsCog
from bot.config import Settings
from bot.dice.system import SystemDice
from bot.ledger import Randomness
from bot.library import Library
from bot.panels.captive import CaptivePanel
from bot.panels.card import CardPanel
from bot.panels.challenge import ChallengePanel
from bot.panels.events import EVENTS, EventsPanel
from bot.panels.exchange import IMPORT, ExchangePanel
from bot.panels.house import TABLE, HousePanel
from bot.panels.journal import JournalPanel
from bot.panels.rolling import CHALLENGE, ESCAPE, PUBLISH, SCHEDULE, RollDesk
from bot.panels.roster import RosterPanel
from bot.panels.roster_view import TRAITS
from bot.panels.schedule import SchedulePanel
from bot.panels.weather import WeatherPanel
from bot.panels.writeups import WRITEUPS, WriteupsPanel
from bot.posts import Outbox
from bot.resolver import Resolver
from bot.services.almanac import Almanac
from bot.services.attempts import Attempts
from bot.services.battles import defence
from bot.services.campaigns import Campaigns
from bot.services.captives import Captives
from bot.services.captivity import together
from bot.services.cards import Cards
from bot.services.challenges import Challenges
from bot.services.climate import Climates
from bot.services.deeds import update_deed, weather_deed
from bot.services.drawings import Drawings
from bot.services.effects import Effects
from bot.services.event_rolls import EventRolls
from bot.services.events import Events
from bot.services.exchange import Exchange
from bot.services.headquarters import Headquarters
from bot.services.house import HouseRules
from bot.services.journal import Journal
from bot.services.ranks import Ranks
from bot.services.rolls import Rolls
from bot.services.roster import Roster
from bot.services.schedule import Scheduler
from bot.services.updates import Updates
from bot.services.weather import Weather
from bot.services.writeups import Writeups
from bot.situation import FactProvider, Situation, captivity, carry_over, effects, saved, weather_of_region
from bot.store.database import Database
from rules.dice import Dice
from rules.loader import load_books
from rules.ruleset import RuleSet

PROVIDERS: tuple[FactProvider, ...] = (saved, captivity, together, defence, effects, weather_of_region, carry_over)


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def rollable(book: RuleSet) -> tuple[str, ...]:
    """The roll families of a book that a campaign can open to its players."""
    return tuple(family for family, procedure in book.procedures.items() if procedure.policy.on_request)


@dataclass(frozen=True, slots=True)
class Battles:
    """What sees to battles with random events."""

    events: Events
    rolls: EventRolls
    ranks: Ranks

    @classmethod
    def under(cls, headquarters: Headquarters, resolver: Resolver, dice: Dice) -> Self:
        """All three under one headquarters."""
        return cls(Events(headquarters), EventRolls(headquarters, resolver, dice), Ranks(headquarters))


@dataclass(frozen=True, slots=True)
class Services:
    """Everything below the panels, put together."""

    library: Library
    outbox: Outbox
    resolver: Resolver
    campaigns: Campaigns
    cards: Cards
    rolls: Rolls
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
    library = Library(books, overlays)
    almanac = Almanac(database, library)
    drawings = Drawings(database, almanac)
    outbox = Outbox(database, clock=clock, randomness=randomness, illustrate=drawings.post)
    resolver = Resolver(
        database, library, dice=dice, situation=Situation(PROVIDERS), outbox=outbox, clock=clock, randomness=randomness
    )
    families = {book.id: rollable(book) for book in books.values()}
    cards = Cards(database, resolver, clock=clock, randomness=randomness)
    updates = Updates(database, clock=clock, randomness=randomness)
    weather = Weather(database, resolver, almanac, outbox, clock=clock, randomness=randomness)
    deeds = {"weather": weather_deed(weather), "update": update_deed(updates, outbox)}
    return Services(
        library=library,
        outbox=outbox,
        resolver=resolver,
        campaigns=Campaigns(database, families=families, clock=clock, randomness=randomness),
        cards=cards,
        rolls=Rolls(database, resolver, cards),
        updates=updates,
        journal=Journal(database, outbox, clock=clock, randomness=randomness),
        almanac=almanac,
        drawings=drawings,
        weather=weather,
        climates=Climates(database, library, almanac, clock=clock, randomness=randomness),
        scheduler=Scheduler(database, outbox, deeds, clock=clock, randomness=randomness),
        captives=Captives(database, clock=clock, randomness=randomness),
        attempts=Attempts(database, cards, outbox, clock=clock, randomness=randomness),
        challenges=Challenges(database, resolver, outbox, clock=clock, randomness=randomness),
        effects=Effects(database, library, clock=clock, randomness=randomness),
        writeups=Writeups(database, clock=clock, randomness=randomness),
        battles=Battles.under(
            Headquarters(database, library, outbox, clock=clock, randomness=randomness), resolver, dice
        ),
        roster=Roster(database, library, clock=clock, randomness=randomness),
        exchange=Exchange(database, library, clock=clock, randomness=randomness),
        house=HouseRules(database, library, clock=clock, randomness=randomness),
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
    bot = Adjutant(settings, database, made.outbox, (made.scheduler.tick, made.challenges.expire))
    bot.panels = {
        "card": CardPanel(panels.desk),
        "ledger": panels.journal.older,
        PUBLISH: panels.journal.publish,
        "weather": panels.weather.handle,
        SCHEDULE: panels.schedules.answer,
        ESCAPE: panels.captives.handle,
        CHALLENGE: panels.challenges.handle,
        WRITEUPS: panels.writeups.handle,
        EVENTS: panels.events.handle,
        TRAITS: panels.roster.handle,
        IMPORT: panels.exchange.handle,
        TABLE: panels.house.handle,
    }
    bot.parts = _cogs(made, panels, {book.id: book.named for book in books.values()})
    return bot


def _panels(made: Services) -> Panels:
    desk = RollDesk(made.rolls, made.cards, made.campaigns, made.roster, made.outbox)
    return Panels(
        desk=desk,
        journal=JournalPanel(made.campaigns, made.journal, made.outbox),
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
        PingCog(),
        CampaignCog(desk, made.campaigns, books),
        UpdateCog(desk, made.updates, panels.schedules),
        PatrolCog(desk),
        ScoutingCog(desk),
        DetectionCog(desk),
        WeatherCog(desk, panels.weather, panels.schedules, made.weather, made.almanac, made.drawings),
        UnitCog(desk, panels.roster, made.roster),
        CharacterCog(desk, panels.roster, made.roster),
        ExchangeCog(desk, panels.exchange),
        CaptiveCog(desk, panels.captives, made.captives),
        InterrogationCog(desk, panels.captives, made.attempts),
        EscapeCog(desk, panels.captives),
        EffectCog(desk, made.effects),
        NewtypeCog(desk),
        ComplicationsCog(desk),
        WriteupsCog(desk, panels.writeups, made.writeups),
        EventsCog(desk, panels.events, made.battles.events, made.battles.ranks),
        InfinityCog(desk, panels.challenges),
        RollCog(desk),
        TableCog(desk, panels.house, made.house),
        CardsCog(desk),
        LedgerCog(desk, panels.journal),
    )
