"""A small server that answers as random.org's documented API (JSON-RPC, release 4) does, and in all the ways in which it should not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

KEY = "6b1e65b9-4186-45c2-8981-b77a9842c4f0"
"""The key that it knows."""

Json = dict[str, Any]
Sign = Callable[[bytes], bytes]

ERRORS = {
    "unknown key": (400, "The API key you specified does not exist"),
    "stopped key": (401, "The API key you specified is not running"),
    "unsigned key": (404, "The API key you specified is not valid for this method"),
    "old key": (405, "The API key you specified is not valid for this version of the API"),
    "requests spent": (402, "The operation requires 1 requests, but the API key only has 0 left"),
    "bits spent": (403, "The operation requires 261 bits, but the API key only has 0 left"),
    "other error": (-32603, "Internal error"),
    "unread": (-32700, "Parse error"),
}
"""Errors of the API by name: code and message."""

BROKEN: dict[str | None, Json] = {
    "slow": {"text": "too late"},
    "http 500": {"status": 500, "text": "<html>Internal Server Error</html>"},
    "elsewhere": {"status": 307, "headers": {"Location": "/json-rpc/4/invoke"}},
    "garbage": {"body": b"\xff\xfe\x00 nothing", "content_type": "application/json"},
    "endless": {"body": b"[" * 200_000, "content_type": "application/json"},
}
"""Responses that are none of the API's, by name."""


class Naps:
    """A time that passes only while somebody sleeps; `taken` are the sleeps."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    def now(self) -> float:
        """Seconds that have passed."""
        return sum(self.taken)

    async def sleep(self, seconds: float) -> None:
        """Let seconds pass."""
        self.taken.append(seconds)


def unsigned(_text: bytes) -> bytes:
    """A signature that is none."""
    return b"no signature" * 40


@dataclass
class RandomOrgServer:
    """The server: its address, what it was asked, and the fault that it has at the moment, if any."""

    url: str = ""
    fault: str | None = None
    delay: int = 0
    sign: Sign = unsigned
    asked: list[Json] = field(default_factory=list)
    stalled: asyncio.Event = field(default_factory=asyncio.Event)
    serial: int = 69259
    before: Callable[[], Any] | None = None

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        asked = json.loads(await request.read())
        self.asked.append(asked)
        if self.before is not None:
            await self.before()
        return await self._reply(request, asked)

    async def _reply(self, request: web.Request, asked: Json) -> web.StreamResponse:
        if self.fault == "slow":
            await self.stalled.wait()
        if self.fault == "truncated":
            return await self._cut(request, asked)
        broken = BROKEN.get(self.fault)
        if broken is not None:
            return web.Response(**broken)
        fault = self.fault if asked["params"]["apiKey"] == KEY else "unknown key"
        if fault in ERRORS:
            code, message = ERRORS[fault]
            error = {"code": code, "message": f"{message} {KEY}", "data": [KEY]}
            name = None if fault == "unread" else asked["id"]
            return _json({"jsonrpc": "2.0", "error": error, "id": name})
        result = self._usage() if asked["method"] == "getUsage" else self._signed(asked["params"])
        name = "another" if self.fault == "wrong id" else asked["id"]
        return _json({"jsonrpc": "2.0", "result": result, "id": name})

    async def _cut(self, request: web.Request, asked: Json) -> web.StreamResponse:
        """Promise a whole answer and break off in the middle."""
        whole = json.dumps({"jsonrpc": "2.0", "result": self._signed(asked["params"]), "id": asked["id"]}).encode()
        response = web.StreamResponse(headers={"Content-Length": str(len(whole))})
        await response.prepare(request)
        await response.write(whole[: len(whole) // 2])
        if request.transport is not None:
            request.transport.close()
        return response

    def _usage(self) -> Json:
        status = "paused" if self.fault == "paused key" else "running"
        times = {"creationTime": "2013-02-01 17:53:40Z", "totalBits": 1646421, "totalRequests": 65036}
        return {"status": status, **times, "bitsLeft": 249_739, "requestsLeft": 999}

    def _signed(self, asked: Json) -> Json:
        self.serial += 1
        numbers = {name: asked[name] for name in ("n", "min", "max", "replacement")}
        data = [(asked["max"] * place) // (asked["n"] + self.serial % 7) for place in range(asked["n"])]
        random: Json = {
            "method": "generateSignedIntegers",
            "hashedApiKey": base64.b64encode(hashlib.sha512(asked["apiKey"].encode()).digest()).decode(),
            **numbers,
            "base": 10,
            "pregeneratedRandomization": None,
            "data": data,
            "license": {
                "type": "developer",
                "text": "Random values licensed strictly for development",
                "infoUrl": None,
            },
            "licenseData": None,
            "userData": asked["userData"],
            "ticketData": None,
            "completionTime": "2026-03-01 12:00:00Z",
            "serialNumber": self.serial,
        }
        random |= self._changed(random)
        text = json.dumps(random, separators=(",", ":")).encode()
        signature = base64.b64encode(self.sign(text)).decode()
        left = {"cost": 0.0, "bitsUsed": 261, "bitsLeft": 249_739, "requestsLeft": 999, "advisoryDelay": self.delay}
        return {"random": random, "signature": signature, **left}

    def _changed(self, random: Json) -> Json:
        """Return what is not as it was asked for."""
        changes: dict[str | None, Json] = {
            "other numbers": {"n": 1, "data": [4]},
            "numbers beyond": {"data": [2**31] * len(random["data"])},
            "too few numbers": {"data": random["data"][1:]},
            "other method": {"method": "generateSignedUUIDs"},
            "other user data": {"userData": {**random["userData"], "entry": 1}},
            "no user data": {"userData": None},
            "no serial": {"serialNumber": "1"},
            "no data": {"data": None},
        }
        return changes.get(self.fault, {})


def _json(value: Json) -> web.Response:
    return web.Response(text=json.dumps(value, separators=(",", ":")), content_type="application/json")


@asynccontextmanager
async def random_org(sign: Sign = unsigned) -> AsyncIterator[RandomOrgServer]:
    """A server on a port of its own, as long as the context lasts."""
    server = RandomOrgServer(sign=sign)
    app = web.Application()
    app.router.add_post("/json-rpc/4/invoke", server.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    server.url = f"http://{host}:{port}/json-rpc/4/invoke"
    try:
        yield server
    finally:
        server.stalled.set()
        await runner.cleanup()
