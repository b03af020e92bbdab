"""Serves the demo on loopback, with several pages though simcord has one preview."""

import asyncio
import contextlib
import secrets
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import simcord
from msgspec import Struct
from simcord.preview import _markdown

from bot.client import POST_EVERY, Adjutant
from bot.core import sites
from bot.core.config import Settings, call_on_stop, configure
from bot.demo.game import DemoGame, seed_game
from bot.demo.world import GENERAL, NAME, SUGGESTIONS, Suggestion, World, build, forget_commands, seed, welcome

_Viewers = Sequence[simcord.MemberActor]
_AS_IN_DISCORD = {"mentions": True, "commands": True, "subtext": True}


class _Windows:
    """Passes simcord's call for its one preview on to all."""

    def __init__(self, previews: Sequence[simcord.Preview]) -> None:
        self._previews: Sequence[Any] = previews
        self._closed = False

    def _mark_action_dispatched(self) -> None:
        for preview in self._previews:
            preview._mark_action_dispatched()  # noqa: SLF001 - see the module's docstring


class Windows:
    """Pages of channels and threads."""

    def __init__(self, env: simcord.Env, stack: contextlib.AsyncExitStack) -> None:
        self._env: Any = env
        self._stack = stack
        self._previews: list[simcord.Preview] = []
        self._shown: dict[int, _Viewers] = {}
        self._channels: list[simcord.ChannelHandle] = []

    @property
    def addresses(self) -> list[str]:
        """The addresses, in order of opening."""
        return [preview.url for preview in self._previews]

    async def open(self, channel: simcord.ChannelHandle, viewers: _Viewers, port: int | None = None) -> str:
        """Open a channel's page, on a port or any; return its address."""
        self._env._preview = None  # noqa: SLF001 - see the module's docstring
        preview = self._env.preview(channel, viewers=viewers, layout="channel", port=port)
        self._previews.append(await self._stack.enter_async_context(preview))
        self._env._preview = _Windows(self._previews)  # noqa: SLF001 - as above
        self._shown[channel.id] = viewers
        self._channels.append(channel)
        return self.addresses[-1]

    async def open_new(self, server: simcord.GuildHandle, manager: simcord.MemberActor) -> list[tuple[str, str]]:
        """Open pages of new threads and channels; return names and addresses."""
        threads = [(thread, self._shown[channel.id]) for channel in self._channels for thread in channel.threads]
        found = [*threads, *((channel, (manager,)) for channel in server.channels.values())]
        new = [(channel, viewers) for channel, viewers in found if channel.id not in self._shown]
        return [(channel.name or "", await self.open(channel, viewers)) for channel, viewers in new]


@contextlib.asynccontextmanager
async def open_windows(
    env: simcord.Env, channels: Sequence[tuple[simcord.ChannelHandle, _Viewers]], port: int | None
) -> AsyncIterator[Windows]:
    """Show channels, on `port` and those after it, or on any."""
    for body in ("embed_description", "embed_field_value"):
        _markdown._FIELD_POLICIES[body] |= _AS_IN_DISCORD  # noqa: SLF001 - see the module's docstring
    async with contextlib.AsyncExitStack() as stack:
        opened = Windows(env, stack)
        for place, (channel, viewers) in enumerate(channels):
            await opened.open(channel, viewers, None if port is None else port + place)
        yield opened


_GREETING = """Adjutant's demo is running. Open it in a browser on this machine:

  #orders   {orders}
  #results  {results}
  #arena    {arena}
  #front    {front}
  #headquarters  {headquarters}
  #staff    {staff}
  #general  {general}  of a server where nothing is played yet: begin with /campaign create
  The public site  {site}

Things to try, in #orders unless said (pick who you are at the top; the other pages show what was posted after Refresh):

{suggestions}

Threads and new channels get pages too; their addresses appear here. All data is in {data}. Stop with Ctrl-C.
"""

PAGES = 8
"""How many ports are taken: one for each channel's page, and the last for the site."""
PATIENCE = 120.0
"""Seconds for each step of making the demo."""
Create = Callable[[Settings], Adjutant]
Listen = Callable[..., contextlib.AbstractAsyncContextManager[None]]
"""`bot.web.serving.listen`, which needs the extra `web`."""


async def serve(
    create: Create, port: int | None, data: Path, game: DemoGame | None = None, listen: Listen | None = None
) -> None:
    """Run the demo until interrupted."""
    door = None if listen is None else SiteDoor.bind(listen, None if port is None else port + PAGES - 1)
    # Its campaign is played at full speed by one person, the bot's only user.
    settings = Settings(
        database_url=f"sqlite+aiosqlite:///{data / 'demo.db'}",
        secrets_key=key_in(data),
        member_limit=None,
        server_limit=None,
        public_url=door.address if door else "",
    )
    bot = create(settings)
    bot.outbox.lanes.linger = 0
    try:
        await forget_commands(bot)
        async with simcord.run(bot, check_errors=False, shard_count=1, settle_timeout=PATIENCE) as env:
            world = build(env)
            tries: Sequence[Suggestion] = [*game.list_suggestions()] if game else SUGGESTIONS
            await (seed_game(world, game) if game else seed(world))
            await welcome(world, bot, game.rules.title if game else NAME, tries)
            seen = dict.fromkeys(("orders", "results", "arena", "front"), (world.game_master, *world.players))
            seen |= dict.fromkeys(("headquarters", "staff"), (world.game_master,))
            channels = [(getattr(world, name), viewers) for name, viewers in seen.items()]
            channels.append((world.empty.channels[GENERAL], world.newcomers))
            async with open_windows(env, channels, port) as opened, serve_site(bot, door) as site:
                lines = [item.lines() for item in tries]
                suggestions = "\n".join(
                    f"  {number:2}. {first}\n      {then}" for number, (first, then) in enumerate(lines, 1)
                )
                pages = dict(zip((*seen, GENERAL), opened.addresses, strict=True))
                stop = asyncio.Event()
                call_on_stop(stop.set)
                sys.stdout.write(_GREETING.format(**pages, site=site, suggestions=suggestions, data=data))
                sys.stdout.flush()
                keeping_up = asyncio.get_running_loop().create_task(_keep_up(bot, world, opened))
                await stop.wait()
                keeping_up.cancel()
    finally:
        await bot.database.close()


class SiteDoor(Struct):
    """A bound socket, and what serves sites there."""

    listen: Listen
    opened: socket.socket

    @classmethod
    def bind(cls, listen: Listen, port: int | None) -> Self:
        """Bind a port, or any."""
        return cls(listen, socket.create_server(("127.0.0.1", port or 0)))

    @property
    def address(self) -> str:
        """Its address, known before anything answers there."""
        host, port = self.opened.getsockname()
        return f"http://{host}:{port}"


@contextlib.asynccontextmanager
async def serve_site(bot: Adjutant, door: SiteDoor | None) -> AsyncIterator[str]:
    """Serve campaigns' sites; give their addresses, or what's missing."""
    if door is None:
        yield "needs Jinja2: pip install 'adjutant[web]'"
        return
    from aiohttp.web import SockSite  # noqa: PLC0415 - only with the extra

    from bot.web.reading import SiteTools  # noqa: PLC0415 - as above

    tools = SiteTools(bot.kinds, bot.library, door.address)
    async with door.listen(bot.settings.database_url, tools, partial(SockSite, sock=door.opened)):
        names = await bot.database.read(sites.list_sites)
        yield "  ".join(f"{door.address}/{name}/" for name in names) or "is off: turn it on in /gm settings"


def run(
    create: Create, port: int | None, data: Path | None, game: DemoGame | None = None, listen: Listen | None = None
) -> int:
    """Serve with a folder's data, or temporary data."""
    configure("WARNING", "auto")
    with contextlib.ExitStack() as stack:
        folder = data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adjutant-demo-")))
        folder.mkdir(parents=True, exist_ok=True)
        asyncio.run(serve(create, port, folder.resolve(), game, listen))
    return 0


def key_in(data: Path) -> bytes:
    """Return the key of the demo's secrets, made once."""
    path = data / "secrets.key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(secrets.token_bytes(32))
    return path.read_bytes()


async def _keep_up(bot: Adjutant, world: World, opened: Windows) -> None:
    while True:
        await asyncio.sleep(POST_EVERY)
        await bot.keep_up()
        for name, address in await opened.open_new(world.empty, world.newcomers[0]):
            sys.stdout.write(f"  {name}  {address}\n")
            sys.stdout.flush()
