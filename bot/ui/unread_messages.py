"""Leave messages unread that discord.py would read: it asks for each answer back, and makes objects of all components.

This replaces two of its private methods, if they are as known. If not, discord.py does all by itself.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial
from inspect import ismemberdescriptor, signature
from types import SimpleNamespace
from typing import Any

import discord
from discord.webhook.async_ import AsyncWebhookAdapter

_SLOT: Any = vars(discord.Message).get("components")
_PARSE: Any = vars(discord.Message).get("_handle_components")
_ANSWER: Any = vars(AsyncWebhookAdapter).get("create_interaction_response")
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
    await _ANSWER(SimpleNamespace(request=partial(_send_briefly, adapter.request)), number, *rest, **request)
    return {"interaction": {"id": number}}


async def _send_briefly(send: Callable[..., Awaitable[object]], *where: object, **request: object) -> None:
    await send(*where, **{**request, "params": None})
