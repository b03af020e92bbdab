"""What random.org's API (JSON-RPC, release 4) is sent, and how its replies are read. Pure: no reply makes this raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct

from bot.rolls.fairness.document import Whole
from bot.rolls.fairness.forms import RandomForm, read_foreign
from bot.rolls.fairness.outside import METHOD, NUMBERS, Answer, Lacking, is_asked_for, is_signature

OK = 200
_KEY, _QUOTA = {400, 401, 404, 405}, {402, 403}
"""Error codes of random.org's: a key that there is not, that does not run, or that is not for this method or release; requests
or bits of the day used up."""

_GARBAGE: Lacking = {"why": "garbage"}
_FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a reply of another form raises as it is read; of msgspec's own, `DecodeError` is a ValueError."""


class Reply(Struct, frozen=True):
    """What a request came to: an answer, or why there is none; and for how many seconds nothing more is to be asked."""

    answer: Answer | None = None
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


def request(key: str, name: str, user_data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request for signed numbers; `name` is repeated by its reply."""
    return _request(METHOD, name, {"apiKey": key, **NUMBERS, "replacement": True, "userData": user_data})


def usage_request(key: str, name: str) -> dict[str, Any]:
    """Return a request that asks what is left of a key's quota, and uses nothing of it."""
    return _request("getUsage", name, {"apiKey": key})


def read_reply(data: bytes, status: int, name: str, user_data: Mapping[str, Any]) -> Reply:
    """Return what the reply to a request for numbers comes to; `status` is HTTP's."""
    result = _result(data, status, name)
    if not isinstance(result, Raw):
        return Reply(lacking=result)
    try:
        signed = msgspec.json.decode(result, type=_Signed)
        text = bytes(signed.random).decode()
        numbers = read_foreign(text, dict[str, Any])["data"]
        fits = len(numbers) > 0 and _is_answer(text, user_data) and is_signature(signed.signature)
    except (msgspec.MsgspecError, *_FAULTS):
        return Reply(lacking=_GARBAGE)
    pause = max(signed.advisory_delay, 0) / 1000
    if not fits:
        return Reply(lacking={"why": "other"}, pause=pause)
    return Reply(Answer(text, signed.signature), pause=pause)


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


def _is_answer(text: str, user_data: Mapping[str, Any]) -> bool:
    """Return whether a random object is what was asked for; one that verifiers cannot read is not."""
    try:
        random = read_foreign(text, RandomForm)
    except msgspec.ValidationError:
        return False
    return is_asked_for(random) and random.get("userData") == user_data


def _request(method: str, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": parameters, "id": name}
