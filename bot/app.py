"""The composition root: the only place that knows which part is made of which."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands, tasks

from bot.cogs.campaign import CampaignCog
from bot.cogs.cards import CardsCog
from bot.cogs.detection import DetectionCog
from bot.cogs.ledger import LedgerCog
from bot.cogs.patrol import PatrolCog
from bot.cogs.ping import PingCog
from bot.cogs.scouting import ScoutingCog
from bot.cogs.update import UpdateCog
from bot.config import Settings
from bot.dice.system import SystemDice
from bot.heartbeat import beat
from bot.ledger import Randomness
from bot.panels.card import CardPanel
from bot.panels.journal import JournalPanel
from bot.panels.reply import Interaction, guarded, leave_line, promise, report
from bot.panels.rolling import PUBLISH, RollDesk, post_view
from bot.posts import Outbox
from bot.resolver import Resolver
from bot.services.campaigns import Campaigns
from bot.services.cards import Cards
from bot.services.journal import Journal
from bot.services.rolls import Rolls
from bot.services.updates import Updates
from bot.situation import FactProvider, Situation, effects
from bot.store.database import Database
from bot.store.migrate import upgrade
from rules.book import Book
from rules.dice import Dice
from rules.loader import book_ids, load_book

POST_EVERY = 5.0
BEAT_EVERY = 15.0
PROVIDERS: tuple[FactProvider, ...] = (effects,)

Panel = Callable[[Interaction, list[str]], Awaitable[None]]

_DEED = 4  # where the id of a card's component says what it does

log = logging.getLogger(__name__)


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


class Tree(app_commands.CommandTree["Adjutant"]):
    """The command tree, with one handler for whatever a command raises."""

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        """See to the interaction's line in the log; nobody is refused here."""
        if interaction.type is not discord.InteractionType.autocomplete:
            leave_line(interaction, _name(interaction))
            promise(interaction)
        return True

    async def on_error(self, interaction: Interaction, error: app_commands.AppCommandError, /) -> None:
        """Tell the person what went wrong."""
        await report(interaction, _name(interaction), error)


class Adjutant(commands.Bot):
    """The bot: its commands, its panels, and the two loops that keep it going."""

    def __init__(self, settings: Settings, database: Database, outbox: Outbox) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            tree_cls=Tree,
        )
        self.settings = settings
        self.database = database
        self.panels: dict[str, Panel] = {}
        self.parts: tuple[commands.Cog, ...] = ()
        self._outbox = outbox

    async def setup_hook(self) -> None:
        """Bring the database up to date, put the commands in place, start the loops."""
        if await upgrade(self.database):
            log.info("database.migrated")
        for cog in self.parts:
            await self.add_cog(cog)
        await self.tree.sync()
        self.post_due.add_exception_type(Exception)  # whatever happens is logged, and posting goes on after a pause
        self.post_due.start()
        if self.settings.heartbeat_file is not None:
            self.heartbeat.start()

    async def close(self) -> None:
        """Stop the loops, leave Discord, close the database."""
        self.post_due.cancel()
        self.heartbeat.cancel()
        await super().close()
        await self.database.close()

    async def on_ready(self) -> None:
        """Say in the log that the bot is there."""
        log.info("ready", extra={"user": str(self.user), "guilds": len(self.guilds)})

    async def on_interaction(self, interaction: Interaction) -> None:
        """Hand components and modals to the panel that their ids name; commands go through the tree."""
        data: Any = interaction.data or {}
        key = str(data.get("custom_id", ""))
        panel, *words = key.split(":")
        if panel in self.panels:
            leave_line(interaction, f"{panel}:{words[_DEED]}" if panel == "card" and len(words) > _DEED else panel)
            await guarded(interaction, key, self.panels[panel](interaction, words))

    @tasks.loop(seconds=POST_EVERY)
    async def post_due(self) -> None:
        """Send what is still owed to channels."""
        await self._outbox.send_due(self, post_view)

    @tasks.loop(seconds=BEAT_EVERY)
    async def heartbeat(self) -> None:
        """Leave a sign of life for the health check while Discord is connected."""
        if self.settings.heartbeat_file is not None and self.is_ready():
            await beat(self.settings.heartbeat_file)

    @post_due.before_loop
    @heartbeat.before_loop
    async def _until_ready(self) -> None:
        await self.wait_until_ready()


def load_books(settings: Settings) -> dict[str, Book]:
    """All rule books, with the operator's house rules laid over them.

    Raises:
        BookError: a book or overlay does not load.

    """
    return {book: load_book(book, overlays=settings.rules_overlays) for book in book_ids()}


def create_bot(  # noqa: PLR0913 - all that comes from outside is handed in by name
    settings: Settings,
    *,
    database: Database | None = None,
    clock: Callable[[], datetime] = utc_now,
    dice: Dice | None = None,
    randomness: Randomness = secrets.token_bytes,
    books: Mapping[str, Book] | None = None,
) -> Adjutant:
    """Put the bot together. Time, dice and randomness come in from outside, and the database when it is not the usual."""
    database = database or Database(settings.database_url)
    outbox = Outbox(database, clock=clock, randomness=randomness)
    books = load_books(settings) if books is None else books
    resolver = Resolver(
        database,
        books,
        dice=dice or SystemDice(),
        situation=Situation(PROVIDERS),
        outbox=outbox,
        clock=clock,
        randomness=randomness,
    )
    families = {book.id: tuple(book.procedures) for book in books.values()}
    campaigns = Campaigns(database, families=families, clock=clock, randomness=randomness)
    cards = Cards(database, resolver, clock=clock, randomness=randomness)
    desk = RollDesk(Rolls(database, resolver, cards), resolver, cards, campaigns, outbox)
    journal = JournalPanel(campaigns, Journal(database, outbox, clock=clock, randomness=randomness), outbox)
    bot = Adjutant(settings, database, outbox)
    bot.panels = {"card": CardPanel(desk), "ledger": journal.older, PUBLISH: journal.publish}
    bot.parts = (
        PingCog(),
        CampaignCog(desk, campaigns, tuple(books)),
        UpdateCog(desk, Updates(database, clock=clock, randomness=randomness)),
        PatrolCog(desk),
        ScoutingCog(desk),
        DetectionCog(desk),
        CardsCog(desk),
        LedgerCog(desk, journal),
    )
    return bot


def _name(interaction: Interaction) -> str:
    return interaction.command.qualified_name if interaction.command else "unknown"
