"""Just enough of Discord on loopback for a bot process to log in, sync its commands and become ready."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from aiohttp import web

TOKEN = "bench.fake.token"  # noqa: S105 - it opens nothing
BOT = {"id": "100", "username": "Bench", "discriminator": "0", "avatar": None, "bot": True, "flags": 0}
APPLICATION = {
    "id": "100",
    "name": "Bench",
    "description": "",
    "icon": None,
    "bot_public": True,
    "bot_require_code_grant": False,
    "verify_key": "",
    "flags": 0,
    "owner": BOT,
    "bot": BOT,
}
S = TypeVar("S", bound="Stub")
POINT = """
import sys, yarl, discord.http, discord.gateway
discord.http.Route.BASE = {api!r}
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL({ws!r})
"""


class Stub:
    """A fake Discord; `ready` is set, with the time, when a bot has been told that it is ready."""

    def __init__(self, user: Mapping[str, Any] = BOT) -> None:
        self.api = self.ws = ""
        self.user = user
        self.ready: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    def listen(self, port: int) -> None:
        """Take the addresses of a port."""
        self.api, self.ws = f"http://127.0.0.1:{port}/api/v10", f"ws://127.0.0.1:{port}/gateway"

    def preface(self) -> str:
        """Python that points discord.py at this server."""
        return POINT.format(api=self.api, ws=self.ws)

    async def rest(self, request: web.Request) -> web.StreamResponse:
        """Answer the few requests of a start."""
        path = request.path.removeprefix("/api/v10")
        answers: dict[str, Any] = {
            "/users/@me": self.user,
            "/oauth2/applications/@me": APPLICATION,
            "/gateway/bot": {"url": self.ws, "shards": 1, "session_start_limit": {"remaining": 1000}},
        }
        body = json.dumps(answers.get(path, []))
        return web.Response(body=body.encode(), headers={"Content-Type": "application/json"})

    async def gateway(self, request: web.Request) -> web.WebSocketResponse:
        """Say hello, and ready to whoever identifies."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 41250}, "s": None, "t": None})
        async for message in socket:
            asked = json.loads(message.data)["op"]
            if asked == 1:
                await socket.send_json({"op": 11, "t": None, "s": None, "d": None})
            if asked == 6:  # it would resume: no session is kept, so that it has to begin anew
                await socket.send_json({"op": 9, "t": None, "s": None, "d": False})
            if asked == 2:
                shard = json.loads(message.data)["d"].get("shard", [0, 1])
                await socket.send_json({"op": 0, "t": "READY", "s": 1, "d": self._welcome(shard)})
                await self.greet(socket, shard)
                if not self.ready.done():
                    self.ready.set_result(time.perf_counter())
        return socket

    async def greet(self, socket: web.WebSocketResponse, shard: Sequence[int]) -> None:
        """Tell a shard (its number, of how many) of a bot that is ready what else there is; here nothing."""

    def _welcome(self, shard: Sequence[int]) -> dict[str, Any]:
        application = {"id": "100", "flags": 0}
        session = {"session_id": "bench", "resume_gateway_url": self.ws, "shard": shard}
        return {"v": 10, "user": self.user, "guilds": [], "application": application, **session}


@asynccontextmanager
async def serving(stub: S) -> AsyncIterator[S]:
    """Serve a stub on a free port of loopback."""
    app = web.Application()
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    app.router.add_get("/gateway{tail:/?}", stub.gateway)
    app.router.add_route("*", "/api/v10/{path:.*}", stub.rest)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    stub.listen(runner.addresses[0][1])
    try:
        yield stub
    finally:
        await runner.cleanup()
