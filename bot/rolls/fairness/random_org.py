"""random.org: announce a roll, ask within two seconds, read the reply, and hand the answer to the roll, which is made then.

No reply makes the reading raise. Keys are in no log line and no error.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

import aiohttp
import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import campaigns, entries
from bot.core.campaigns import Campaign, open_campaign
from bot.core.encoding import Json
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.ledger import EntryDraft, Ledger
from bot.core.randomness import Vault
from bot.core.transactions import Interlude, Write, had_interlude, take_answer
from bot.rolls.fairness.document import Whole
from bot.rolls.fairness.forms import RandomForm, read_foreign
from bot.rolls.fairness.outside import (
    INTENT,
    METHOD,
    NUMBERS,
    TIMEOUT,
    Given,
    Intent,
    Lacking,
    RandomAnswer,
    intent_audience,
    intent_body,
    is_asked_for,
    is_signature,
    user_data,
)
from bot.ui.receipt import plain_pages

OK = 200
_KEY, _QUOTA = {400, 401, 404, 405}, {402, 403}
"""Error codes of random.org's: a key that there is not, that does not run, or that is not for this method or release; requests
or bits of the day used up."""

_GARBAGE: Lacking = {"why": "garbage"}
_FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a reply of another form raises as it is read; of msgspec's own, `DecodeError` is a ValueError."""


class Reply(Struct, frozen=True):
    """What a request came to: an answer, or why there is none; and for how many seconds nothing more is to be asked."""

    answer: RandomAnswer | None = None
    lacking: Lacking | None = None
    pause: float = 0.0


class Usage(Struct, frozen=True, rename="camel"):
    """What is left of a key's quota: its status, such as `running`, requests and bits."""

    status: str
    requests_left: int
    bits_left: int


class _Error(Struct):
    code: Whole


class _Envelope(Struct):
    jsonrpc: str
    id: str | None
    result: Raw | msgspec.UnsetType = msgspec.UNSET
    error: _Error | None = None


class _Signed(Struct, rename="camel"):
    random: Raw
    signature: str
    advisory_delay: Whole = 0


def request(key: str, name: str, user_data: Mapping[str, Json]) -> dict[str, Json]:
    """Return a request for signed numbers; `name` is repeated by its reply."""
    return _request(METHOD, name, {"apiKey": key, **NUMBERS, "replacement": True, "userData": user_data})


def usage_request(key: str, name: str) -> dict[str, object]:
    """Return a request that asks what is left of a key's quota, and uses nothing of it."""
    return _request("getUsage", name, {"apiKey": key})


def read_reply(data: bytes, status: int, name: str, user_data: Mapping[str, object]) -> Reply:
    """Return what the reply to a request for numbers comes to; `status` is HTTP's."""
    result = _result(data, status, name)
    if not isinstance(result, Raw):
        return Reply(lacking=result)
    try:
        signed = msgspec.json.decode(result, type=_Signed)
        text = bytes(signed.random).decode()
        numbers = read_foreign(text, dict[str, Json])["data"]
        fits = len(numbers) > 0 and _is_answer(text, user_data) and is_signature(signed.signature)
    except (msgspec.MsgspecError, *_FAULTS):
        return Reply(lacking=_GARBAGE)
    pause = max(signed.advisory_delay, 0) / 1000
    if not fits:
        return Reply(lacking={"why": "other"}, pause=pause)
    return Reply(RandomAnswer(text, signed.signature), pause=pause)


def read_usage(data: bytes, status: int, name: str) -> Usage | Lacking:
    """Return what the reply to a request for the quota says, or why there is none."""
    result = _result(data, status, name)
    if not isinstance(result, Raw):
        return result
    try:
        return msgspec.json.decode(result, type=Usage)
    except (msgspec.MsgspecError, *_FAULTS):
        return _GARBAGE


def _result(data: bytes, status: int, name: str) -> Raw | Lacking:
    """Return the result in a reply, as it was written; or why there is none."""
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
    """Return whether a random object is what was asked for; one that verifiers cannot read is not."""
    try:
        random = read_foreign(text, RandomForm)
    except msgspec.ValidationError:
        return False
    return is_asked_for(random) and random.get("userData") == user_data


def _request(method: str, name: str, parameters: Mapping[str, object]) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": parameters, "id": name}


def _audience(body: Body, _before: Sequence[str]) -> str:
    return intent_audience(body)


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


INTENT_ENTRY = EntryKind(INTENT, _audience, _sentence, _pages, stays="Later checks need it.")


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

    async def ask(self, key: str, name: str, user_data: Mapping[str, object]) -> Reply:
        """Ask for signed numbers, after what is left of a short pause; `name` is repeated by the reply."""
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

    async def usage(self, key: str, name: str) -> Usage | Lacking:
        """Return what is left of a key's quota, or why random.org does not say."""
        sent = await self._send(usage_request(key, name))
        return (sent.lacking or {}) if isinstance(sent, Reply) else read_usage(*sent, name)

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

    async def _send(self, request: Mapping[str, object], key: str | None = None) -> tuple[bytes, int] | Reply:
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


class Wanted(Struct, frozen=True):
    """A roll for which random.org is to be asked: who makes it, what its faces hang on, and the salt of what was asked.

    One that is `private` is for its maker alone. An entry of the number `epoch_ends` is of the next epoch.
    """

    campaign_id: int
    user_id: int
    description: Mapping[str, Json]
    salt: str
    epoch_ends: int
    private: bool = False

    def behind(self, newest: int) -> dict[str, object]:
        """Return what the faces hang on when the intent is chained behind the newest entry: all later numbers move up by one.

        What the roll's own transaction enters ahead of it stands in between.
        """
        entry = max(self.description["entry"], newest + 1) + 1
        return {**self.description, "entry": entry, "epoch": self.description["epoch"] + (entry >= self.epoch_ends)}


class Outside:
    """What random.org is asked with: the key with which campaigns' keys are encrypted, where the host has set one, and the way there."""

    def __init__(self, ledger: Ledger, vault: Vault | None, random_org: RandomOrg) -> None:
        self.vault, self.random_org = vault, random_org
        self._ledger = ledger

    def of(self, tx: Connection, campaign: Campaign, user_id: int, *, private: bool = False) -> AskedFor | None:
        """Return what mixes something from outside into a person's roll, which is theirs alone if it is `private`; None in a campaign without a key."""
        return AskedFor(self, tx, (campaign.id, user_id), private=private) if campaign.asks_outside else None

    async def ask(self, write: Write, wanted: Wanted) -> Given:
        """Chain the intent, ask random.org, and return what came of it. `write` runs the transaction of the intent."""
        key, given = await write(self._announce, wanted)
        if given.intent is None or given.description is None:
            return given
        name = given.intent.hash
        about = user_data(given.description["campaign"], name, given.description)
        reply = await self.random_org.ask(key, name, about)
        return replace(given, answer=reply.answer, lacking=reply.lacking)

    def _announce(self, tx: Connection, wanted: Wanted) -> tuple[str, Given]:
        """Chain the intent of a roll; return the key to ask with and the intent, or why nothing is asked."""
        campaign = open_campaign(tx, wanted.campaign_id)
        sealed = campaigns.get_outside_key(tx, campaign.id)
        key = None if sealed is None or self.vault is None else self.vault.open(sealed, campaign.uuid)
        if key is None:
            return "", Given(lacking={"why": "locked"})
        paused = self.random_org.paused(key)
        if paused is not None:
            return "", Given(lacking=paused)
        newest = entries.find_link(tx, campaign.id, campaign.uuid)
        description = wanted.behind(newest.number)
        body = intent_body(description, private=wanted.private)
        draft = EntryDraft(INTENT, intent_audience(body), body)
        entry = self._ledger.append(tx, campaign.id, self._ledger.actor(tx, campaign, wanted.user_id), draft, newest)
        intent = Intent(entry.number, entry.header, entry.salt, entry.body)
        return key, Given(intent=intent, description=description, salt=wanted.salt)


class AskedFor:
    """What random.org is asked for the rolls of one transaction, as `draw.Mixer`: it is asked once."""

    def __init__(self, outside: Outside, tx: Connection, who: tuple[int, int], *, private: bool) -> None:
        self._outside, self._tx = outside, tx
        self._who, self._private = who, private

    def given(self, description: Mapping[str, Json], salt: str, epoch_ends: int) -> Given:
        """Return what was asked for a roll; see `draw.Mixer`."""
        if not had_interlude(self._tx):
            raise OutsideWanted(self._outside, Wanted(*self._who, description, salt, epoch_ends, self._private))
        given: Given | None = take_answer(self._tx)
        return given or Given(lacking={"why": "several"})


class OutsideWanted(Interlude):
    """Raised when a roll is about to draw its first die, and random.org has not been asked for it yet."""

    def __init__(self, outside: Outside, wanted: Wanted) -> None:
        super().__init__("random.org is to be asked")
        self._outside, self._wanted = outside, wanted

    async def held(self, write: Write) -> Given:
        """Ask."""
        return await self._outside.ask(write, self._wanted)
