"""The Discord client: dispatches interactions, limits how many, and runs loops."""

import asyncio
import logging
import math
import time
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import tasks

from bot.core import campaigns, config, errors, migrate, outages
from bot.kernel import Chore, Client, Kernel
from bot.outbox.queue import Post
from bot.ui import answering, commands, parsing, reply
from bot.ui.answering import attend
from bot.ui.registration import Registration
from bot.ui.reply import SLOW, AnyInteraction, report

if TYPE_CHECKING:
    from bot.monitor import Monitor

POST_EVERY = 5.0
TICK_EVERY = 20.0
FAREWELL = 1.0
INVITED = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    embed_links=True,
    attach_files=True,
    read_message_history=True,
    manage_channels=True,
    manage_roles=True,
)
GRACE = 5.0
"""Seconds running commands get when the bot stops; a process is usually killed after ten."""

_SLACK = 1e-6
COMPLETIONS = 5
"""Factor for suggestions, which are requested per letter."""

log = logging.getLogger(__name__)


class Buckets:
    """Token buckets by key, stored as the monotonic time when full."""

    def __init__(self, pace: config.Pace) -> None:
        self._pace = pace
        self._full_at: dict[Hashable, float] = {}
        self._sweep_at = -math.inf

    def __len__(self) -> int:
        return len(self._full_at)

    def wait(self, key: Hashable, now: float) -> float:
        """Return the seconds until a token is free; 0 if one is."""
        lacking = (self._full_at.get(key, now) - now) * self._pace.rate + 1 - self._pace.burst
        return lacking / self._pace.rate if lacking > _SLACK else 0.0

    def take(self, key: Hashable, now: float) -> None:
        """Take a token."""
        if now >= self._sweep_at:  # full ones are dropped, at most once per refill time
            self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
            self._sweep_at = now + self._pace.refill
        self._full_at[key] = max(now, self._full_at.get(key, now)) + 1 / self._pace.rate


class Limits:
    """Limits of members and servers; None for no limit."""

    def __init__(self, member: config.Pace | None, server: config.Pace | None) -> None:
        self._members = None if member is None else Buckets(member)
        self._servers = None if server is None else Buckets(server)

    def wait(self, server: int | None, member: int, now: float) -> float:
        """Count a request and return 0, or return seconds to wait."""
        asked: list[tuple[Buckets, Hashable]] = []
        if self._members is not None:
            asked.append((self._members, (server, member)))
        if self._servers is not None and server is not None:
            asked.append((self._servers, server))
        longest = max((buckets.wait(key, now) for buckets, key in asked), default=0.0)
        if not longest:
            for buckets, key in asked:
                buckets.take(key, now)
        return longest


class Tree(app_commands.CommandTree["Adjutant"]):
    """The command tree, with one error handler."""

    async def interaction_check(self, interaction: AnyInteraction, /) -> bool:
        """Return whether to go on; refuse text that doesn't work, and too many requests."""
        if interaction.type is discord.InteractionType.autocomplete:
            return await self._completes(interaction)
        try:
            attend(interaction, _name(interaction))
        except errors.UserError as error:
            await report(interaction, _name(interaction), error)
            return False
        return True

    async def _completes(self, interaction: AnyInteraction) -> bool:
        wait = self.client.suggesting.wait(interaction.guild_id, interaction.user.id, time.monotonic())
        try:
            parsing.refuse_unprintable(interaction.data)
        except errors.BadInput:
            wait = math.inf
        if wait:
            await interaction.response.autocomplete([])
        return not wait

    async def on_error(self, interaction: AnyInteraction, error: app_commands.AppCommandError, /) -> None:
        """Show the person what went wrong."""
        await report(interaction, _name(interaction), commands.explain_unknown(interaction.data, error))


class Adjutant(Client):
    """The bot: commands, components, modals and loops."""

    def __init__(self, settings: config.Settings, kernel: Kernel) -> None:
        answering.leave_unread()
        super().__init__(
            shard_count=None if settings.shards is None else settings.shards.count,
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
        )
        self.tree = Tree(
            self,
            allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        )
        for command in dict.fromkeys(command for feature in kernel.features for command in feature.commands):
            self.tree.add_command(command)
        self.shard_ids = None if settings.shards is None else settings.shards.ids()
        self.settings = settings
        self.kernel = kernel
        self.database, self.ledger, self.library = kernel.database, kernel.ledger, kernel.library
        self.resolver, self.outbox, self.kinds = kernel.resolver, kernel.outbox, kernel.kinds
        self.features, self.outside = kernel.features, kernel.outside
        self.servers, self.mentions = kernel.outbox.servers, kernel.outbox.mentions
        self.components = tuple(item for feature in self.features for item in feature.components)
        self.untold = answering.LostAnswers()
        self.slow_after = SLOW
        member, server = settings.member_limit, settings.server_limit
        self.limits = Limits(member, server)
        self.suggesting = Limits(member and member.times(COMPLETIONS), server and server.times(COMPLETIONS))
        self.attended: set[asyncio.Task[object]] = set()
        self.measures: list[Callable[[answering.InteractionRecord], None]] = []  # called after each interaction
        self.monitor: Monitor | None = None
        rounds = [self._round(chore) for feature in self.features for chore in feature.chores]
        self._loops: tuple[tasks.Loop[Any], ...] = (
            self.learn_commands,
            self.compare_servers,
            self.register_books,
            self.post_due,
            *rounds,
        )
        books = {
            command.name: frozenset({it.book, it.also or it.book}) for it in self.features for command in it.commands
        }
        self.registration = Registration(self.tree, self.database, self.mentions, books, self.ledger.now)
        self._compared = asyncio.Event()

    async def login(self, token: str) -> None:
        """Migrate the database, then log in."""
        await migrate.upgrade(self.database)
        address = self.database.file or self.database.engine.url.render_as_string(hide_password=True)
        log.info("database.opened", extra={"database": str(address)})
        await super().login(token)

    async def setup_hook(self) -> None:
        """Register commands and start the loops."""
        await self.registration.register_global()
        for loop in self._loops:
            loop.add_exception_type(Exception)  # whatever happens is logged, and the loop goes on after a pause
            loop.start()
        if self.settings.health_port is not None:
            from bot.monitor import Monitor  # noqa: PLC0415 - most start without it

            self.monitor = Monitor(self)
            await self.monitor.open(self.settings.health_port)

    @tasks.loop(seconds=TICK_EVERY)
    async def learn_commands(self) -> None:
        """Register what all servers have, or read its ids, until it's done."""
        if not self.registration.ready:
            await outages.do_each([self._register_global()], "commands.bug")
        if self.registration.ready:
            self.learn_commands.stop()

    async def _register_global(self) -> tuple[()]:
        await self.registration.register_global()
        return ()

    @tasks.loop(seconds=POST_EVERY)
    async def register_books(self) -> None:
        """Register servers' commands of books, also where another process has changed what is played."""
        await outages.do_each([self.registration.register_books()], "commands.bug")

    async def keep_up(self) -> None:
        """Run all loops once, for tests and the demo."""
        for loop in self._loops:
            await loop()

    async def close(self) -> None:
        """Stop loops, finish answers and sends, disconnect."""
        for loop in self._loops:
            loop.cancel()
        if self.monitor is not None:
            await self.monitor.close()
        leaving = [asyncio.ensure_future(shard.disconnect()) for shard in self.shards.values()]
        if leaving:
            await asyncio.wait(leaving, timeout=FAREWELL)
        if self.attended:
            await asyncio.wait(self.attended, timeout=GRACE)
        await self.outbox.close()
        if self.outside is not None:
            await self.outside.random_org.close()
        await super().close()
        await self.database.close()

    async def on_ready(self) -> None:
        """Log that the bot is ready."""
        invite = discord.utils.oauth_url(self.application_id or 0, permissions=INVITED)
        log.info("ready", extra={"user": str(self.user), "guilds": len(self.guilds), "invite": invite})

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Rest a server's campaigns; features say goodbye."""
        left = await self.database.write(campaigns.mark_away, [guild.id], self.ledger.now())
        self.registration.forget(guild.id)
        log.info("server.removed", extra={"guild": guild.id, "campaigns": len(left)})
        for feature in self.features if left else ():
            if feature.farewell is not None:
                await feature.farewell(self, guild, left)

    async def on_interaction(self, interaction: AnyInteraction) -> None:
        """Answer components and modals by id; discord.py handles commands."""
        if interaction.type not in {discord.InteractionType.component, discord.InteractionType.modal_submit}:
            return
        await reply.route(interaction, self.components)

    @tasks.loop(seconds=TICK_EVERY)
    async def compare_servers(self) -> None:
        """Notice servers that came back or went unnoticed."""
        await outages.do_each([self._compare_servers()], "servers.bug")
        self._compared.set()

    async def _compare_servers(self) -> Sequence[int]:
        known = await self.database.read(campaigns.list_servers)
        left = [guild_id for guild_id, away in known if not away and self.has_left(guild_id)]
        back = [guild_id for guild_id, away in known if away and self.get_guild(guild_id) is not None]
        if back:
            await self.database.write(campaigns.mark_back, back)
        gone = await self.database.write(campaigns.mark_away, left, self.ledger.now()) if left else ()
        for guild_id in left:
            self.registration.forget(guild_id)
        if left or back:
            log.info("servers.compared", extra={"removed": len(left), "back": len(back), "campaigns": len(gone)})
        return gone

    @tasks.loop(seconds=POST_EVERY)
    async def post_due(self) -> None:
        """Send due posts."""
        await outages.do_each([self.outbox.send_due(self)], "post.bug")  # a loop that raises ends for good

    def _round(self, chore: Chore) -> tasks.Loop[Any]:
        async def do() -> None:
            await outages.do_each([self._do_chore(chore)], "chore.bug")

        loop = tasks.loop(seconds=chore.every)(do)
        loop.before_loop(self._until_ready)
        return loop

    async def _do_chore(self, chore: Chore) -> Sequence[Post]:
        return await self.outbox.send(self, await chore.do(self))

    @compare_servers.before_loop
    async def _until_connected(self) -> None:
        await self.wait_until_ready()

    @register_books.before_loop
    @post_due.before_loop
    async def _until_ready(self) -> None:
        """Wait until removals are known: nothing there is done."""
        await self._compared.wait()


def _name(interaction: AnyInteraction) -> str:
    return interaction.command.qualified_name if interaction.command else "unknown"


Interaction = discord.Interaction[Adjutant]
