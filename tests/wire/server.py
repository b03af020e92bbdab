"""A fake Discord on a real socket with one server, in which a bot that is its own process is used, slowed down and cut off."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import discord
from aiohttp import web
from simcord.backend import serializers

from tests.bench.start import ADJUTANT
from tests.bench.stub import TOKEN, Stub
from tests.support.world import World, running

APPLICATION = 100
SHORTER = """
import asyncio, datetime
import discord.backoff
import bot.client, bot.outbox.delivery
discord.backoff.ExponentialBackoff.delay = lambda self: 0.1
bot.client.Adjutant.before_identify_hook = lambda self, shard, initial: asyncio.sleep(0)
bot.outbox.delivery.CLAIM = datetime.timedelta(seconds={claim})
bot.outbox.delivery.FIRST_PAUSE = datetime.timedelta(seconds=1)
bot.outbox.delivery.GRACE = 1.0
bot.client.Adjutant.post_due.change_interval(seconds=0.5)
"""
"""What makes a bot claim posts for a shorter time, look for due ones more often, stop sooner and come back to a lost gateway at once."""

DEFERRED = {
    discord.InteractionResponseType.deferred_channel_message.value,
    discord.InteractionResponseType.deferred_message_update.value,
}
PAGE = "<!DOCTYPE html><h1>Bad Gateway</h1>"
NO_ANSWER = {"message": "Unknown interaction", "code": 10062}
ANSWERED = {"message": "Interaction has already been acknowledged.", "code": 40060}


@dataclass(frozen=True, slots=True)
class Place:
    """The server of a campaign: its gateway payload, its channels, and a game master."""

    guild: Mapping[str, Any]
    me: Mapping[str, Any]
    gm: Mapping[str, Any]
    orders: int
    results: int
    staff: int

    @classmethod
    def of(cls, world: World) -> Place:
        """The place where a simulated world plays."""
        backend = world.env.backend
        guild = backend.guilds[world.guild.id]
        return cls(
            guild=json.loads(json.dumps(serializers.guild_create_payload(backend, guild))),
            me=dict(serializers.user_payload(backend.bot_user)),
            gm=dict(serializers.member_payload(backend, guild, guild.members[world.gm.id])),
            orders=world.orders.id,
            results=world.results.id,
            staff=world.staff.id,
        )


@dataclass(eq=False, slots=True)
class Use:
    """One use of a command or component: what it was answered with, in order, when the first answer came, and whether that only said that one comes."""

    number: int
    answers: list[dict[str, Any]] = field(default_factory=list)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    sent_at: float = field(default_factory=time.perf_counter)
    heard_at: float = 0.0
    deferred: bool = False

    @property
    def waited(self) -> float:
        """Seconds from the event to the first answer."""
        return self.heard_at - self.sent_at

    @property
    def entry(self) -> int:
        """The number of the entry that the answers tell of."""
        return int(re.findall(r"[Ee]ntry #(\d+)", json.dumps(self.answers))[0])


class Wire(Stub):
    """A fake Discord that writes down in `log` what happens, in order: answers to uses, and posts by their entry's number.

    #results answers while it is `open`. A `deaf` Discord knows no interaction. So many `resets` are still to come,
    and `troubles`: statuses with which the next requests are answered that something in front of Discord answers in its place.
    """

    def __init__(self, place: Place) -> None:
        super().__init__(place.me)
        self.place = place
        self.open = asyncio.Event()
        self.open.set()
        self.deaf = False
        self.resets = 0
        self.troubles: list[int] = []
        self.log: list[tuple[str, int]] = []
        self.messages: list[dict[str, Any]] = []
        self.among_staff: list[dict[str, Any]] = []
        self._ids = itertools.count()
        self._uses: dict[str, Use] = {}
        self._sockets: list[web.WebSocketResponse] = []
        self._sequence = itertools.count(2)

    async def greet(self, socket: web.WebSocketResponse, shard: Sequence[int]) -> None:
        """Tell the shard that serves the server of it."""
        mine, count = shard
        if (int(self.place.guild["id"]) >> 22) % count != mine:
            return
        self._sockets.append(socket)
        await self._dispatch("GUILD_CREATE", self.place.guild)

    async def slash(self, name: str, /, **options: str | int) -> Use:
        """Let the game master use a command in #orders, such as `ping` or `order give`."""
        given: list[dict[str, Any]] = [
            {"name": key, "type": 4 if isinstance(value, int) else 3, "value": value} for key, value in options.items()
        ]
        name, *sub = name.split()
        given = [{"name": sub[0], "type": 1, "options": given}] if sub else given
        return await self._use({"type": 2, "data": {"id": "7", "name": name, "type": 1, "options": given}})

    async def click(self, shown: Mapping[str, Any], custom_id: str) -> Use:
        """Let the game master press a button of a message that an answer has shown."""
        data = {"custom_id": custom_id, "component_type": 2}
        return await self._use({"type": 3, "data": data, "message": self._message(self.place.orders, shown)})

    async def select(self, shown: Mapping[str, Any], custom_id: str, *values: str) -> Use:
        """Let the game master pick values in a select of a message that an answer has shown."""
        data = {"custom_id": custom_id, "component_type": 3, "values": list(values)}
        return await self._use({"type": 3, "data": data, "message": self._message(self.place.orders, shown)})

    async def submit(self, shown: Mapping[str, Any], **fields: str) -> Use:
        """Let the game master send off a window that an answer has shown, with what they have typed."""
        typed = [
            {"type": 18, "component": {"type": 4, "custom_id": key, "value": value}} for key, value in fields.items()
        ]
        return await self._use({"type": 5, "data": {"custom_id": shown["custom_id"], "components": typed}})

    async def _use(self, about: Mapping[str, Any]) -> Use:
        number = len(self._uses)
        token = f"use-{number}"
        event = {**self._interaction(token), **about}
        use = self._uses[token] = Use(number)
        await self._dispatch("INTERACTION_CREATE", event)
        return use

    def listening(self) -> Sequence[web.WebSocketResponse]:
        """The connections over which bots are told what happens on the server."""
        return [socket for socket in self._sockets if not socket.closed]

    async def drop(self) -> None:
        """Cut the connection over which the bot that came last is told what happens."""
        self.ready = asyncio.get_running_loop().create_future()
        await self._sockets.pop().close(code=4000)

    async def rest(self, request: web.Request) -> web.StreamResponse:
        """Answer a request, unless something in front does."""
        if self.troubles:
            return web.Response(text=PAGE, status=self.troubles.pop(0), content_type="text/html")
        return await self._served(request)

    async def _served(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/api/v10")
        body = await _body(request)
        if path.startswith(("/interactions/", "/webhooks/")):
            return await self._answer(request, path.split("/")[3], body)
        if path == f"/channels/{self.place.results}/messages":
            return self._history(request, self.messages) if request.method == "GET" else await self._post(body)
        if path == f"/channels/{self.place.staff}/messages":
            return self._history(request, self.among_staff) if request.method == "GET" else self._tell_staff(body)
        elsewhere = re.fullmatch(r"/channels/(\d+)/messages", path)
        if elsewhere and request.method == "POST":  # the audit thread
            return _json(self._message(int(elsewhere[1]), body))
        found = self._edited(path, body) or self._looked_at(path)
        if found is not None:
            return _json(found)
        return await super().rest(request)

    def _edited(self, path: str, body: Mapping[str, Any]) -> dict[str, Any] | None:
        message = next((item for item in self.messages if path.endswith(f"/messages/{item['id']}")), None)
        if message is not None:
            message |= body
        return message

    def _looked_at(self, path: str) -> dict[str, Any] | None:
        places = (*self.place.guild["channels"], *self.place.guild["threads"])
        channel = next((item for item in places if path == f"/channels/{item['id']}"), None)
        return None if channel is None else {**channel, "guild_id": self.place.guild["id"]}

    def posted(self) -> list[int]:
        """The entries of which messages tell, in the order of the messages."""
        return [number for kind, number in self.log if kind == "post"]

    async def _answer(self, request: web.Request, token: str, body: dict[str, Any]) -> web.Response:
        use = self._uses[token]
        if self.resets and request.transport is not None:
            self.resets -= 1
            request.transport.abort()
            return _json({})
        if self.deaf:
            return _json(NO_ANSWER, 404)
        if request.path.endswith("/callback") and use.answers:
            return _json(ANSWERED, 400)
        use.heard_at = use.heard_at or time.perf_counter()
        use.answers.append(body.get("data", body) or {})
        self.log.append(("answer", use.number))
        if body.get("type") in DEFERRED:
            use.deferred = True
        else:
            use.answered.set()
        if request.path.endswith("/callback") and "with_response" not in request.query:
            return web.Response(status=204)
        message = self._message(self.place.orders, use.answers[-1])
        if request.path.endswith("/callback"):
            resource = {"type": body["type"], "message": message}
            return _json({"interaction": {"id": token.removeprefix("use-"), "type": 2}, "resource": resource})
        return _json(message)

    async def _post(self, body: dict[str, Any]) -> web.Response:
        message = self._message(self.place.results, body)  # unlike Discord it remembers no nonce: each send counts
        self.messages.append(message)
        self.log.append(("post", int(re.findall(r"\"#(\d+)", json.dumps(body))[0])))
        await self.open.wait()
        return _json(message)

    def _tell_staff(self, body: dict[str, Any]) -> web.Response:
        self.among_staff.append(self._message(self.place.staff, body))
        return _json(self.among_staff[-1])

    def talk(self, lines: int) -> None:
        """Let others write into #results."""
        other = {**self.place.gm["user"]}
        self.messages += [self._message(self.place.results, {}) | {"author": other} for _ in range(lines)]

    @staticmethod
    def _history(request: web.Request, messages: Sequence[Mapping[str, Any]]) -> web.Response:
        newest = reversed(messages)
        before, limit = int(request.query.get("before", 2**63)), int(request.query["limit"])
        return _json([message for message in newest if int(message["id"]) < before][:limit])

    def _message(self, channel: int, body: Mapping[str, Any]) -> dict[str, Any]:
        now = datetime.now(UTC)
        return {
            "id": str(discord.utils.time_snowflake(now) + next(self._ids)),
            "channel_id": str(channel),
            "author": self.place.me,
            "content": "",
            "timestamp": now.isoformat(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [],
            "mention_roles": [],
            "attachments": [],
            "embeds": body.get("embeds", []),
            "pinned": False,
            "type": 0,
            "flags": body.get("flags", 0),
            "components": body.get("components", []),
        }

    def _interaction(self, token: str) -> dict[str, Any]:
        channel = next(item for item in self.place.guild["channels"] if int(item["id"]) == self.place.orders)
        return {
            "id": str(discord.utils.time_snowflake(datetime.now(UTC)) + next(self._ids)),
            "application_id": str(APPLICATION),
            "token": token,
            "version": 1,
            "guild_id": self.place.guild["id"],
            "channel_id": str(self.place.orders),
            "channel": channel,
            "member": {**self.place.gm, "permissions": "0"},
            "locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {},
            "attachment_size_limit": 10485760,
        }

    async def _dispatch(self, event: str, payload: Mapping[str, Any]) -> None:
        """Tell every process that is connected, as Discord does with one shard that two serve."""
        self._sockets = [*self.listening()]
        told = {"op": 0, "t": event, "s": next(self._sequence), "d": payload}
        await asyncio.gather(*(socket.send_json(told) for socket in self._sockets))


@asynccontextmanager
async def adjutant(
    wire: Wire, folder: Path, *, claim: float | None = 60, before: str = "", **settings: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the bot as a process of its own on the folder's database, unless `settings` name another, until it is ready and then until the block ends.

    It claims posts for so many seconds and is made impatient; without a claim it is left as it is. `before` is Python that
    runs before it.
    """
    program = (SHORTER.format(claim=claim) if claim else "") + before + ADJUTANT
    async with bot_process(wire, folder, program, **settings) as process:
        yield process


@asynccontextmanager
async def bot_process(
    wire: Wire, folder: Path, program: str, **settings: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a Python program that is a bot in its process, as `adjutant` does."""
    wire.ready = asyncio.get_running_loop().create_future()
    env = {"DISCORD_TOKEN": TOKEN, "DATABASE_URL": f"sqlite:///{folder / 'wire.db'}", "LOG_FORMAT": "json"}
    env |= {"MEMBER_LIMIT": "off", "SERVER_LIMIT": "off", "BACKUPS": "off"}  # one game master does all
    env |= {name.upper(): value for name, value in settings.items()}
    with (folder / "log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", wire.preface() + program, env=env, stdout=log, stderr=log
        )
    try:
        await asyncio.wait_for(wire.ready, 60)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def place(folder: Path) -> Place:
    """Make a campaign on a server, in the folder's database."""
    async with running(f"sqlite:///{folder / 'wire.db'}") as world:
        return Place.of(world)


async def _body(request: web.Request) -> Any:  # noqa: ANN401 - any JSON
    """What a request says, without the files that go with it."""
    if request.content_type.startswith("multipart/"):
        return json.loads(str((await request.post())["payload_json"]))
    return await request.json() if request.can_read_body else {}


def _json(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    kind = {"Content-Type": "application/json"}  # discord.py compares it whole
    return web.Response(body=json.dumps(content).encode(), status=status, headers={**kind, **(headers or {})})
