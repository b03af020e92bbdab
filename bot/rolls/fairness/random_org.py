"""The way to random.org: requests within two seconds, and pauses that are kept. Keys are in no log line and no error."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import aiohttp

from bot.rolls.fairness import replies
from bot.rolls.fairness.outside import TIMEOUT, Lacking
from bot.rolls.fairness.replies import Reply, Usage

LONGEST = 64 * 1024
"""Bytes of a reply that are read at most; one is about two thousand."""

SHORT = 0.5
"""Seconds of a pause that are waited for; during a longer one nothing is asked."""

SPENT = 600.0
"""Seconds for which nothing is asked after a quota was used up: it is renewed once a day."""

log = logging.getLogger(__name__)


class _Pause(NamedTuple):
    until: float
    lacking: Lacking


class RandomOrg:
    """random.org's API at an address, given `timeout` seconds for each reply. Pauses are kept by key, in the memory of this process."""

    def __init__(
        self,
        url: str,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        timeout: float = TIMEOUT,
    ) -> None:
        self._url, self._now, self._sleep, self.timeout = url, now, sleep, timeout
        self._session: aiohttp.ClientSession | None = None
        self._pauses: dict[bytes, _Pause] = {}

    def paused(self, key: str) -> Lacking | None:
        """Return why nothing may be asked with a key now; None where it may, if need be after a `SHORT` wait."""
        pause = self._pauses.get(_of(key))
        return None if pause is None or pause.until - self._now() <= SHORT else pause.lacking

    async def ask(self, key: str, name: str, user_data: Mapping[str, Any]) -> Reply:
        """Ask for signed numbers, after what is left of a short pause; `name` is repeated by the reply."""
        sent = await self._send(replies.request(key, name, user_data), key)
        reply = sent if isinstance(sent, Reply) else replies.read_reply(*sent, name, user_data)
        lacking = reply.lacking
        if lacking is not None:
            log.warning("random_org.lacking", extra=dict(lacking))
        if isinstance(sent, Reply):
            return reply
        if lacking is not None and lacking["why"] == "quota":
            self._pause(key, SPENT, lacking)
        self._pause(key, reply.pause, {"why": "delay"})
        return reply

    async def usage(self, key: str, name: str) -> Usage | Lacking:
        """Return what is left of a key's quota, or why random.org does not say."""
        sent = await self._send(replies.usage_request(key, name))
        return (sent.lacking or {}) if isinstance(sent, Reply) else replies.read_usage(*sent, name)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._session is not None:
            await self._session.close()

    def _pause(self, key: str, seconds: float, lacking: Lacking) -> None:
        """Let nothing be asked with a key for a time; a pause that lasts longer stays."""
        pause, kept = _Pause(self._now() + seconds, lacking), self._pauses.get(_of(key))
        if kept is None or kept.until < pause.until:
            self._pauses[_of(key)] = pause

    async def _rest(self, key: str) -> Lacking | None:
        """Wait until the pauses of a key are over, whoever else waits for that; return why nothing may be asked if a longer one has come up."""
        while (pause := self._pauses.get(_of(key))) is not None and (left := pause.until - self._now()) > 0:
            if left > SHORT:
                return pause.lacking
            await self._sleep(left)
        return None

    async def _send(self, request: Mapping[str, Any], key: str | None = None) -> tuple[bytes, int] | Reply:
        """Send a request, after the pauses of a `key` if one is given; return the reply and its status, or why none came."""
        if self._session is None:
            # Rolls are minutes apart: a connection that is kept is closed from afar by the next, which would fall back for it.
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True))
        try:
            async with asyncio.timeout(self.timeout):
                lacking = None if key is None else await self._rest(key)
                if lacking is not None:
                    return Reply(lacking=lacking)
                async with self._session.post(self._url, json=request, allow_redirects=False) as response:
                    return await _read(response.content), response.status
        except TimeoutError:
            return Reply(lacking={"why": "timeout"})
        except (OSError, aiohttp.ClientError):
            return Reply(lacking={"why": "unreachable"})


async def _read(content: aiohttp.StreamReader) -> bytes:
    """Return what is sent, as far as it is of a length that can be a reply."""
    data = b""
    async for part in content.iter_any():
        data += part
        if len(data) > LONGEST:
            break
    return data


def _of(key: str) -> bytes:
    """Return under what a key's pause is kept: no table of keys lies in memory."""
    return hashlib.sha256(key.encode()).digest()
