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

Viewers = Sequence[simcord.MemberActor]
_AS_IN_DISCORD = {"mentions": True, "commands": True, "subtext": True}


class _Windows:
    """A stand-in for simcord's one preview that passes its call on to all of them."""

    def __init__(self, previews: Sequence[simcord.Preview]) -> None:
        self._previews: Sequence[Any] = previews
        self._closed = False

    def _mark_action_dispatched(self) -> None:
        for preview in self._previews:
            preview._mark_action_dispatched()  # noqa: SLF001 - see the module's docstring


class Windows:
    """The pages of channels and of their threads, each with an address."""

    def __init__(self, env: simcord.Env, stack: AsyncExitStack) -> None:
        self._env: Any = env
        self._stack = stack
        self._previews: list[simcord.Preview] = []
        self._shown: dict[int, Viewers] = {}
        self._channels: list[simcord.ChannelHandle] = []

    @property
    def addresses(self) -> list[str]:
        """The addresses, in the order in which pages were opened."""
        return [preview.url for preview in self._previews]

    async def open(self, channel: simcord.ChannelHandle, viewers: Viewers, port: int | None = None) -> str:
        """Open a page for a channel, or a thread, on a port or any free one; return its address."""
        self._env._preview = None  # noqa: SLF001 - see the module's docstring
        preview = self._env.preview(channel, viewers=viewers, layout="channel", port=port)
        self._previews.append(await self._stack.enter_async_context(preview))
        self._env._preview = _Windows(self._previews)  # noqa: SLF001 - as above
        self._shown[channel.id] = viewers
        self._channels.append(channel)
        return self.addresses[-1]

    async def open_threads(self) -> list[tuple[str, str]]:
        """Open a page for each thread that has none yet; return their names and addresses."""
        new = [
            (thread, self._shown[channel.id])
            for channel in self._channels
            for thread in channel.threads
            if thread.id not in self._shown
        ]
        return [(thread.name or "", await self.open(thread, viewers)) for thread, viewers in new]


@asynccontextmanager
async def windows(
    env: simcord.Env, channels: Sequence[tuple[simcord.ChannelHandle, Viewers]], port: int | None
) -> AsyncIterator[Windows]:
    """Show each channel to those who may see it, on `port` and the ports after it, or on any free ones."""
    for body in ("embed_description", "embed_field_value"):
        _markdown._FIELD_POLICIES[body] |= _AS_IN_DISCORD  # noqa: SLF001 - see the module's docstring
    async with AsyncExitStack() as stack:
        opened = Windows(env, stack)
        for place, (channel, viewers) in enumerate(channels):
            await opened.open(channel, viewers, None if port is None else port + place)
        yield opened
