"""random.org: announce a roll, ask within two seconds, and hand the answer to the roll.

No reply makes the reading raise. Keys are in no log line and no error.
"""

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

import aiohttp
import msgspec
from msgspec import Raw, Struct, structs
from sqlalchemy import Connection

from bot.core import campaigns, draws, entries, records, transactions
from bot.core.ledger import Body, EntryDraft, EntryKind, EntryView, Ledger, Pages, View
from bot.rolls.fairness import forms, outside
from bot.ui.receipt import plain_pages

OK = 200
_KEY, _QUOTA = {400, 401, 404, 405}, {402, 403}
"""random.org's error codes: an unknown, stopped or unsuitable key; requests or bits used up."""

_GARBAGE: outside.Lacking = {"why": "garbage"}
_FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading a malformed reply raises; msgspec's `DecodeError` is a ValueError."""


class Reply(Struct, frozen=True):
    """An answer, or what is lacking, and how many seconds random.org wants no other request."""

    answer: outside.RandomAnswer | None = None
    lacking: outside.Lacking | None = None
    pause: float = 0.0


class Usage(Struct, frozen=True, rename="camel"):
    """How many requests and bits random.org still allows a key."""

    status: str
    requests_left: int
    bits_left: int


class _Error(Struct):
    code: forms.Whole


class _Envelope(Struct):
    jsonrpc: str
    id: str | None
    result: Raw | msgspec.UnsetType = msgspec.UNSET
    error: _Error | None = None


class _Signed(Struct, rename="camel"):
    random: Raw
    signature: str
    advisory_delay: forms.Whole = 0


def request(key: str, name: str, user_data: Mapping[str, records.Json]) -> dict[str, records.Json]:
    """Return a request for signed numbers. The reply repeats `name`."""
    asked = {"apiKey": key, **outside.NUMBERS, "replacement": True, "userData": user_data}
    return _request(outside.METHOD, name, asked)


def read_reply(data: bytes, status: int, name: str, user_data: Mapping[str, object]) -> Reply:
    """Read a reply to a request for numbers. `status` is HTTP's."""
    result = _result(data, status, name)
    if not isinstance(result, Raw):
        return Reply(lacking=result)
    try:
        signed = msgspec.json.decode(result, type=_Signed)
        text = bytes(signed.random).decode()
        numbers = forms.read_foreign(text, dict[str, records.Json])["data"]
        fits = len(numbers) > 0 and _is_answer(text, user_data) and outside.is_signature(signed.signature)
    except (msgspec.MsgspecError, *_FAULTS):
        return Reply(lacking=_GARBAGE)
    pause = max(signed.advisory_delay, 0) / 1000
    if not fits:
        return Reply(lacking={"why": "other"}, pause=pause)
    return Reply(outside.RandomAnswer(text, signed.signature), pause=pause)


def read_usage(data: bytes, status: int, name: str) -> Usage | outside.Lacking:
    """Read a reply about the quota; return why it is missing if it can't be read."""
    result = _result(data, status, name)
    if not isinstance(result, Raw):
        return result
    try:
        return msgspec.json.decode(result, type=Usage)
    except (msgspec.MsgspecError, *_FAULTS):
        return _GARBAGE


def _result(data: bytes, status: int, name: str) -> Raw | outside.Lacking:
    try:
        envelope = msgspec.json.decode(data, type=_Envelope)
    except (msgspec.MsgspecError, *_FAULTS):
        return _GARBAGE if status == OK else {"why": "http", "code": status}
    unread = envelope.id is None and envelope.error is not None  # it could not read which request that is of
    if envelope.jsonrpc != "2.0" or not (unread or envelope.id == name):
        return {"why": "other"}
    if envelope.error is not None:
        code = envelope.error.code
        return {"why": "key" if code in _KEY else "quota" if code in _QUOTA else "error", "code": code}
    if status != OK:
        return {"why": "http", "code": status}
    return _GARBAGE if envelope.result is msgspec.UNSET else envelope.result


def _is_answer(text: str, user_data: Mapping[str, object]) -> bool:
    try:
        random = forms.read_foreign(text, outside.RandomForm)
    except msgspec.ValidationError:
        return False
    return outside.is_asked_for(random) and random.get("userData") == user_data


def _request(method: str, name: str, parameters: Mapping[str, object]) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": parameters, "id": name}


def _sentence(body: Body, _view: View) -> str:
    return f"random.org is asked for the roll of entry #{body['entry']}"


def _pages(shown: EntryView, view: View) -> Pages:
    body = shown.entry.content()
    lines = [
        f"{_sentence(body, view)}.",
        "The roll is fixed from here on. Only random.org's answer decides the dice.",
        f"-# What was asked: `{body['situation'][:16]}`",
    ]
    return plain_pages(shown, "random.org is asked", lines)


INTENT_ENTRY = EntryKind(outside.INTENT, outside.intent_audience, _sentence, _pages, stays="Later checks need it.")

LONGEST = 64 * 1024
"""Most bytes read of a reply; one has about two thousand."""

SHORT = 0.5
"""Seconds of a pause that are waited for. During a longer one nothing is asked."""

SPENT = 600.0
"""Seconds to pause after a quota is used up. It is renewed daily."""

log = logging.getLogger(__name__)


class _Pause(NamedTuple):
    until: float
    lacking: outside.Lacking


class RandomOrg:
    """random.org's API at an address. Pauses are kept by key, in this process."""

    def __init__(
        self,
        url: str,
        *,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        timeout: float = outside.TIMEOUT,
    ) -> None:
        self._url, self._now, self._sleep, self.timeout = url, now, sleep, timeout
        self._session: aiohttp.ClientSession | None = None
        self._pauses: dict[bytes, _Pause] = {}

    def find_pause(self, key: str) -> outside.Lacking | None:
        """Return why a key can't be used now; None if it can after a short wait."""
        pause = self._pauses.get(_hash_key(key))
        return None if pause is None or pause.until - self._now() <= SHORT else pause.lacking

    async def ask(self, key: str, name: str, user_data: Mapping[str, object]) -> Reply:
        """Ask for signed numbers, after a short pause if one is left. Faulty replies don't raise."""
        sent = await self._send(request(key, name, user_data), key)
        reply = sent if isinstance(sent, Reply) else read_reply(*sent, name, user_data)
        lacking = reply.lacking
        if lacking is not None:
            log.warning("random_org.lacking", extra=dict(lacking))
        if isinstance(sent, Reply):
            return reply
        if lacking is not None and lacking["why"] == "quota":
            self._pause(key, SPENT, lacking)
        self._pause(key, reply.pause, {"why": "delay"})
        return reply

    async def usage(self, key: str, name: str) -> Usage | outside.Lacking:
        """Return what is left of a key's quota."""
        sent = await self._send(_request("getUsage", name, {"apiKey": key}))
        return (sent.lacking or {}) if isinstance(sent, Reply) else read_usage(*sent, name)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _pause(self, key: str, seconds: float, lacking: outside.Lacking) -> None:
        pause, kept = _Pause(self._now() + seconds, lacking), self._pauses.get(_hash_key(key))
        if kept is None or kept.until < pause.until:
            self._pauses[_hash_key(key)] = pause

    async def _wait_for_pause(self, key: str) -> outside.Lacking | None:
        while (pause := self._pauses.get(_hash_key(key))) is not None and (left := pause.until - self._now()) > 0:
            if left > SHORT:
                return pause.lacking
            await self._sleep(left)
        return None

    async def _send(self, request: Mapping[str, object], key: str | None = None) -> tuple[bytes, int] | Reply:
        if self._session is None:
            # Rolls are minutes apart: a connection that is kept is closed from afar by the next, which would fall back for it.
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True))
        try:
            async with asyncio.timeout(self.timeout):
                lacking = None if key is None else await self._wait_for_pause(key)
                if lacking is not None:
                    return Reply(lacking=lacking)
                async with self._session.post(self._url, json=request, allow_redirects=False) as response:
                    return await _read(response.content), response.status
        except TimeoutError:
            return Reply(lacking={"why": "timeout"})
        except (OSError, aiohttp.ClientError):
            return Reply(lacking={"why": "unreachable"})


async def _read(content: aiohttp.StreamReader) -> bytes:
    data = b""
    async for part in content.iter_any():
        data += part
        if len(data) > LONGEST:
            break
    return data


def _hash_key(key: str) -> bytes:
    """Return a hash: no keys are kept in memory."""
    return hashlib.sha256(key.encode()).digest()


class _Wanted(Struct, frozen=True):
    """A roll to ask random.org for. Entry `epoch_ends` is in the next epoch; `private` is for its maker only."""

    campaign_id: int
    user_id: int
    description: Mapping[str, records.Json]
    salt: str
    epoch_ends: int
    private: bool = False

    def behind(self, newest: int) -> dict[str, object]:
        entry = max(self.description["entry"], newest + 1) + 1
        return {**self.description, "entry": entry, "epoch": self.description["epoch"] + (entry >= self.epoch_ends)}


class Outside:
    """What random.org is asked with: the vault for campaigns' keys, and the way there."""

    def __init__(self, ledger: Ledger, vault: draws.Vault | None, random_org: RandomOrg) -> None:
        self.vault, self.random_org = vault, random_org
        self._ledger = ledger

    async def ask(self, write: transactions.Write, wanted: _Wanted) -> outside.OutsideAnswer:
        """Chain the intent, ask random.org, and return its answer. `write` runs the intent's transaction."""
        key, given = await write(self._announce, wanted)
        if given.intent is None or given.description is None:
            return given
        name = given.intent.hash
        about = outside.user_data(given.description["campaign"], name, given.description)
        reply = await self.random_org.ask(key, name, about)
        return structs.replace(given, answer=reply.answer, lacking=reply.lacking)

    def _announce(self, tx: Connection, wanted: _Wanted) -> tuple[str, outside.OutsideAnswer]:
        campaign = campaigns.open_campaign(tx, wanted.campaign_id)
        sealed = campaigns.get_outside_key(tx, campaign.id)
        key = None if sealed is None or self.vault is None else self.vault.open(sealed, campaign.uuid)
        if key is None:
            return "", outside.OutsideAnswer(lacking={"why": "locked"})
        paused = self.random_org.find_pause(key)
        if paused is not None:
            return "", outside.OutsideAnswer(lacking=paused)
        newest = entries.find_link(tx, campaign.id, campaign.uuid)
        description = wanted.behind(newest.number)
        body = outside.intent_body(description, private=wanted.private)
        draft = EntryDraft(outside.INTENT, outside.intent_audience(body), body)
        entry = self._ledger.append(tx, campaign.id, self._ledger.actor(tx, campaign, wanted.user_id), draft, newest)
        intent = outside.Intent(entry.number, entry.header, entry.salt, entry.body)
        return key, outside.OutsideAnswer(intent=intent, description=description, salt=wanted.salt)


class OutsideRequest:
    """What random.org is asked in one transaction, at most once."""

    def __init__(self, outside: Outside, tx: Connection, who: tuple[int, int], *, private: bool) -> None:
        self._outside, self._tx = outside, tx
        self._who, self._private = who, private

    def obtain(self, description: Mapping[str, records.Json], salt: str, epoch_ends: int) -> outside.OutsideAnswer:
        """Return the answer for `draw`, or raise so that `Database.write` asks and starts again."""
        if not transactions.had_outside_step(self._tx):
            raise _OutsideWanted(self._outside, _Wanted(*self._who, description, salt, epoch_ends, self._private))
        given: outside.OutsideAnswer | None = transactions.take_answer(self._tx)
        return given or outside.OutsideAnswer(lacking={"why": "several"})


class _OutsideWanted(transactions.OutsideStep):
    """Raised at the first die if random.org hasn't been asked yet."""

    def __init__(self, outside: Outside, wanted: _Wanted) -> None:
        super().__init__("random.org is to be asked")
        self._outside, self._wanted = outside, wanted

    async def run(self, write: transactions.Write) -> outside.OutsideAnswer:
        return await self._outside.ask(write, self._wanted)
