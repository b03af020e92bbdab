"""The Discord client: hands out interactions and keeps its loops going."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import tasks

from bot.config import Settings
from bot.core import servers
from bot.core.chores import do_each
from bot.core.migrate import upgrade
from bot.core.servers import digest_commands, find_registered, set_registered
from bot.errors import BadInput, UserError
from bot.kernel import Client, Kernel
from bot.limits import COMPLETIONS, Limits
from bot.outbox.store import Post
from bot.ui.answering import CUT_OFF, Attended, Untold
from bot.ui.components import route
from bot.ui.parsing import refuse_unprintable
from bot.ui.reply import SLOW, AnyInteraction, attend, report

if TYPE_CHECKING:
    from bot.monitor import Monitor

POST_EVERY = 5.0
TICK_EVERY = 20.0
FAREWELL = 1.0
"""Seconds for which the gateway may take to say goodbye; nothing is heard from it any more meanwhile."""

INVITED = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    embed_links=True,
    attach_files=True,
    read_message_history=True,
)
"""What the bot asks for when it is added to a server."""

REFUSED = "The commands weren't updated. Start again later. If it fails again, report this line."

GRACE = 5.0
"""Seconds for which people's commands may go on when the bot is stopped; it is killed after ten, as a rule."""

log = logging.getLogger(__name__)


class Tree(app_commands.CommandTree["Adjutant"]):
    """The command tree, with one handler for whatever a command raises."""

    async def interaction_check(self, interaction: AnyInteraction, /) -> bool:
        """See to the interaction; refuse what is no text, and complete nothing of it."""
        if interaction.type is discord.InteractionType.autocomplete:
            return await self._completes(interaction)
        try:
            attend(interaction, _name(interaction))
        except UserError as error:
            await report(interaction, _name(interaction), error)
            return False
        return True

    async def _completes(self, interaction: AnyInteraction) -> bool:
        """Return whether suggestions are to be made; give none of what is no text, or is typed too fast."""
        wait = self.client.suggesting.wait(interaction.guild_id, interaction.user.id, time.monotonic())
        try:
            refuse_unprintable(interaction.data)
        except BadInput:
            wait = math.inf
        if wait:
            await interaction.response.autocomplete([])
        return not wait

    async def on_error(self, interaction: AnyInteraction, error: app_commands.AppCommandError, /) -> None:
        """Tell the person what went wrong."""
        await report(interaction, _name(interaction), error)


class Adjutant(Client):
    """The bot: the features' commands, components and modals, and its loops: one that posts, and one for each chore."""

    def __init__(self, settings: Settings, kernel: Kernel) -> None:
        super().__init__(
            shard_count=None if settings.shards is None else settings.shards.count,
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
        )
        self.tree = Tree(self, allowed_installs=app_commands.AppInstallationType(guild=True, user=False))
        for command in (command for feature in kernel.features for command in feature.commands):
            self.tree.add_command(command)
        self.shard_ids = None if settings.shards is None else settings.shards.ids()
        self.settings = settings
        self.kernel = kernel
        self.database, self.ledger, self.library = kernel.database, kernel.ledger, kernel.library
        self.resolver, self.outbox, self.kinds = kernel.resolver, kernel.outbox, kernel.kinds
        self.features, self.outside = kernel.features, kernel.outside
        self.servers, self.mentions = kernel.outbox.servers, kernel.outbox.mentions
        self.components = tuple(item for feature in self.features for item in feature.components)
        self.modals = tuple(item for feature in self.features for item in feature.modals)
        self.untold = Untold()
        self.slow_after = SLOW
        member, server = settings.member_limit, settings.server_limit
        self.limits = Limits(member, server)
        self.suggesting = Limits(member and member.times(COMPLETIONS), server and server.times(COMPLETIONS))
        self.attended: set[asyncio.Task[object]] = set()
        self.measures: list[Callable[[Attended], None]] = []  # are told of each interaction that is over
        self.monitor: Monitor | None = None
        chores = [partial(chore, self) for feature in self.features for chore in feature.chores]
        watches = [partial(watch, self) for feature in self.features for watch in feature.watches]
        rounds = (*map(self._round, chores), *map(partial(self._round, every=POST_EVERY), watches))
        self._loops: tuple[tasks.Loop[Any], ...] = (
            self.learn_commands,
            self.compare_servers,
            self.post_due,
            *rounds,
        )
        self._digest = ""
        self._compared = asyncio.Event()

    async def login(self, token: str) -> None:
        """Bring the database up to date, then log in."""
        await upgrade(self.database)
        address = self.database.file or self.database.engine.url.render_as_string(hide_password=True)
        log.info("database.opened", extra={"database": str(address)})
        await super().login(token)

    async def setup_hook(self) -> None:
        """Register the commands, start the loops, each under its own guard."""
        await self.register_commands()
        for loop in self._loops:
            loop.add_exception_type(Exception)  # whatever happens is logged, and the loop goes on after a pause
            loop.start()
        if self.settings.health_port is not None:
            from bot.monitor import Monitor  # noqa: PLC0415 - most start without it

            self.monitor = Monitor(self)
            await self.monitor.open(self.settings.health_port)

    async def register_commands(self) -> None:
        """Register the commands where they have changed; of several processes, the one with the first shard does so."""
        commands = [command.to_dict(self.tree) for command in self.tree.get_commands()]
        self._digest = digest_commands(self.application_id, commands)
        if self.shard_ids is not None and 0 not in self.shard_ids:
            return
        if await self.database.read(find_registered, self._digest) is not None:
            return
        try:
            given = await self.tree.sync()
        except (discord.HTTPException, app_commands.CommandSyncFailure, *CUT_OFF) as error:
            log.exception("commands.refused", extra={"do": REFUSED, "said": str(error)})
            return
        await self.database.write(set_registered, self._digest, {command.name: command.id for command in given})

    @tasks.loop(seconds=TICK_EVERY)
    async def learn_commands(self) -> None:
        """Read the commands' ids, once this process or that of the first shard has registered them."""
        ids = await self.database.read(find_registered, self._digest)
        if ids is not None:
            self.mentions.learn(
                [
                    command.qualified_name
                    for command in self.tree.walk_commands()
                    if isinstance(command, app_commands.Command)
                ],
                ids,
            )
            self.learn_commands.stop()

    async def keep_up(self) -> None:
        """Do at once what the loops do in their time: for where no time passes by itself."""
        for loop in self._loops:
            await loop()

    async def close(self) -> None:
        """Stop the loops, take nothing more, answer who waits, let posts arrive that are being sent, leave Discord, close the database."""
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
        """Say in the log that the bot is there."""
        invite = discord.utils.oauth_url(self.application_id or 0, permissions=INVITED)
        log.info("ready", extra={"user": str(self.user), "guilds": len(self.guilds), "invite": invite})

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Let the campaigns of a server rest that has removed the bot, and let the features say goodbye."""
        left = await self.database.write(servers.mark_away, [guild.id], self.ledger.now())
        log.info("server.removed", extra={"guild": guild.id, "campaigns": len(left)})
        for feature in self.features if left else ():
            if feature.farewell is not None:
                await feature.farewell(self, guild, left)

    async def on_interaction(self, interaction: AnyInteraction) -> None:
        """Answer components and modals by their ids; discord.py handles commands itself."""
        if interaction.type not in {discord.InteractionType.component, discord.InteractionType.modal_submit}:
            return
        await route(interaction, self.components, self.modals)

    @tasks.loop(seconds=TICK_EVERY)
    async def compare_servers(self) -> None:
        """Let campaigns go on whose server has added the bot again, and rest where it was removed unnoticed."""
        await do_each([self._compare_servers()], "servers.bug")
        self._compared.set()

    async def _compare_servers(self) -> Sequence[int]:
        known = await self.database.read(servers.list_servers)
        left = [guild_id for guild_id, away in known if not away and self.has_left(guild_id)]
        back = [guild_id for guild_id, away in known if away and self.get_guild(guild_id) is not None]
        if back:
            await self.database.write(servers.mark_back, back)
        gone = await self.database.write(servers.mark_away, left, self.ledger.now()) if left else ()
        if left or back:
            log.info("servers.compared", extra={"removed": len(left), "back": len(back), "campaigns": len(gone)})
        return gone

    @tasks.loop(seconds=POST_EVERY)
    async def post_due(self) -> None:
        """Send what is still owed to channels."""
        await do_each([self.outbox.send_due(self)], "post.bug")  # a loop that raises ends for good

    def _round(self, chore: Callable[[], Awaitable[Sequence[Post]]], every: float = TICK_EVERY) -> tasks.Loop[Any]:
        """Return the loop of one chore, which does what is due and sends what came of it; it keeps no other from running."""

        async def do() -> None:
            await do_each([self._done(chore)], "chore.bug")

        loop = tasks.loop(seconds=every)(do)
        loop.before_loop(self._until_ready)
        return loop

    async def _done(self, chore: Callable[[], Awaitable[Sequence[Post]]]) -> Sequence[Post]:
        return await self.outbox.send(self, await chore())

    @compare_servers.before_loop
    async def _until_connected(self) -> None:
        await self.wait_until_ready()

    @post_due.before_loop
    async def _until_ready(self) -> None:
        """Wait until it's known which servers removed the bot: what is due there isn't done."""
        await self._compared.wait()


def _name(interaction: AnyInteraction) -> str:
    return interaction.command.qualified_name if interaction.command else "unknown"


Interaction = discord.Interaction[Adjutant]
"""An interaction of this bot's: `interaction.client` has the kernel."""
