"""Several channels of one simulated server in the browser at once.

simcord shows one channel per server. Its previews are independent of each other but for one attribute, through which a
running action learns that it has changed the world. And it shows mentions and small print
in messages, but not in their embeds, where Discord has them too. simcord's private attributes are used here and nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import simcord
from simcord.preview import _markdown

_AS_IN_DISCORD = {"mentions": True, "commands": True, "subtext": True}


class _Windows:
    """A stand-in for simcord's one preview that passes its call on to all of them."""

    def __init__(self, previews: Sequence[simcord.Preview]) -> None:
        self._previews: Sequence[Any] = previews
        self._closed = False

    def _mark_action_dispatched(self) -> None:
        for preview in self._previews:
            preview._mark_action_dispatched()  # noqa: SLF001 - see the module's docstring


@asynccontextmanager
async def windows(
    env: simcord.Env, channels: Sequence[tuple[simcord.ChannelHandle, Sequence[simcord.MemberActor]]], port: int | None
) -> AsyncIterator[list[str]]:
    """Show each channel to those who may see it, under an address of its own.

    On `port` and the ports after it, or on any free ones.
    """
    handle: Any = env
    for body in ("embed_description", "embed_field_value"):
        _markdown._FIELD_POLICIES[body] |= _AS_IN_DISCORD  # noqa: SLF001 - see the module's docstring
    previews: list[simcord.Preview] = []
    async with AsyncExitStack() as stack:
        for place, (channel, viewers) in enumerate(channels):
            handle._preview = None  # noqa: SLF001 - see the module's docstring
            own_port = None if port is None else port + place
            preview = env.preview(channel, viewers=viewers, layout="channel", port=own_port)
            previews.append(await stack.enter_async_context(preview))
        handle._preview = _Windows(previews)  # noqa: SLF001 - see the module's docstring
        yield [preview.url for preview in previews]
