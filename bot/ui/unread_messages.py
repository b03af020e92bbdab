"""Leave messages unread for which discord.py would make objects of all components, or ask them back.

This replaces two of its private methods, if they are as known.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from inspect import ismemberdescriptor, signature
from typing import Any

import discord
from discord.webhook.async_ import AsyncWebhookAdapter

Theirs = Any
"""Something of discord.py's."""

_SLOT: Theirs = vars(discord.Message).get("components")
_PARSE: Theirs = vars(discord.Message).get("_handle_components")
_ANSWER: Theirs = vars(AsyncWebhookAdapter).get("create_interaction_response")
_TAKES = ["self data", "self interaction_id token session proxy proxy_auth params"]


class _Unread(list[Mapping[str, object]]):
    """Components as Discord sent them."""


@cache
def leave_unread() -> bool:
    """Make discord.py read components only when asked for, and answers never. Return whether it lets us."""
    methods = [method for method in (_PARSE, _ANSWER) if callable(method)]
    known = ismemberdescriptor(_SLOT) and [" ".join(signature(method).parameters) for method in methods] == _TAKES
    if known:
        type.__setattr__(discord.Message, "components", property(_read_components, _SLOT.__set__))
        type.__setattr__(discord.Message, "_handle_components", _keep_unread)
        type.__setattr__(AsyncWebhookAdapter, "create_interaction_response", _answer_briefly)
    return known


def list_component_ids(message: discord.Message) -> Sequence[object]:
    """Return the ids of a message's outermost components."""
    if ismemberdescriptor(_SLOT) and isinstance(kept := _SLOT.__get__(message), _Unread):
        return [part.get("id") for part in kept]
    return [getattr(part, "id", None) for part in message.components]


def _keep_unread(message: discord.Message, data: Sequence[Mapping[str, object]]) -> None:
    _SLOT.__set__(message, _Unread(data))


def _read_components(message: discord.Message) -> object:
    if isinstance(kept := _SLOT.__get__(message), _Unread):
        _PARSE(message, kept)
    return _SLOT.__get__(message)


async def _answer_briefly(adapter: AsyncWebhookAdapter, number: int, *rest: object, **request: object) -> object:
    await _ANSWER(_BriefAdapter(adapter), number, *rest, **request)
    return {"interaction": {"id": number}}


class _BriefAdapter(AsyncWebhookAdapter):
    """Sends as another does, and doesn't ask for the message."""

    def __init__(self, adapter: AsyncWebhookAdapter) -> None:
        vars(self).update(vars(adapter))
        self._send: Theirs = adapter.request

    async def request(self, *where: Theirs, **request: Theirs) -> Theirs:
        return await self._send(*where, **{**request, "params": None})
