"""Getting an answer to a person, also over a bad line; what was done is told with the next answer when one is lost."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import discord

from bot.ui.attending import ended, heard
from bot.ui.bounds import MAX_CONTENT

Interaction = discord.Interaction[Any]
Give = Callable[[], Awaitable[Any]]

CUT_OFF = (OSError, aiohttp.ClientError)
"""What is raised when Discord does not answer."""

TRIES = 3
ANSWERED_ALREADY = 40060
"""Discord's error code for an interaction that has its answer."""

GIVEN_UP = {401, 404}
"""Statuses with which Discord says that it does not wait for this answer any more."""

SERVER_ERROR = 500
MAX_UNTOLD, MAX_PEOPLE = 5, 1000

log = logging.getLogger(__name__)


class Untold:
    """What people did whose answers were lost, by server and person: one line for each deed, until it is told."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int | None, int], list[str]] = {}

    def add(self, interaction: Interaction, *lines: str) -> None:
        """Keep lines; of too many the oldest are forgotten, for the ledger has all."""
        key = (interaction.guild_id, interaction.user.id)
        self._lines[key] = [*self._lines.pop(key, []), *lines][-MAX_UNTOLD:]
        if len(self._lines) > MAX_PEOPLE:
            del self._lines[next(iter(self._lines))]

    def take(self, interaction: Interaction) -> list[str]:
        """Return a person's lines and forget them."""
        return self._lines.pop((interaction.guild_id, interaction.user.id), [])


def committed(interaction: Interaction, done: str) -> None:
    """Note what is done and stands whether the answer arrives or not, in a few words such as `Rolled: entry #7`."""
    interaction.extras["done"] = done


async def answer(interaction: Interaction, first: Give, later: Give, *, again: bool = True) -> Any:  # noqa: ANN401 - what Discord gives
    """Answer an interaction in the first way, or in the later one when it has an answer; return what Discord gives.

    A connection that was cut is tried `again`. What Discord does not take any more is logged, and None is returned; what
    is committed is then told with the person's next answer.
    """
    problem: Exception | None = None
    for _ in range(TRIES):
        try:
            given = await (later() if interaction.response.is_done() else first())
        except discord.HTTPException as error:
            if error.code == ANSWERED_ALREADY and problem is None:
                first = later  # an acknowledgement had arrived that seemed to be cut off
            elif error.code == ANSWERED_ALREADY:
                given = None  # the try that was cut off had arrived
                break
            elif error.status in GIVEN_UP or error.status >= SERVER_ERROR:
                return _lost(interaction, error)
            else:
                raise
            problem = error
        except CUT_OFF as error:
            if not again:
                return _lost(interaction, error)
            problem = error
        else:
            break
    else:
        return _lost(interaction, problem)
    heard(interaction, answer=True)
    await _tell_untold(interaction)
    return given


def _lost(interaction: Interaction, problem: Exception | None) -> None:
    """Log that an answer did not reach its person, and keep what was done for their next one."""
    who = {"guild": interaction.guild_id, "user": interaction.user.id}
    done = interaction.extras.pop("done", None)
    log.warning("interaction.unanswered", extra={**who, "done": done, "fault": str(problem)})
    ended(interaction, "unanswered", problem)
    if done is not None:
        interaction.client.untold.add(interaction, done)


async def _tell_untold(interaction: Interaction) -> None:
    """Tell what was done although its answer was lost; a window that was opened is let alone."""
    interaction.extras.pop("done", None)
    if interaction.response.type is discord.InteractionResponseType.modal:
        return
    if lines := interaction.client.untold.take(interaction):
        told = "\n".join(["You may have missed my answer. This was done; see `/ledger show`:", *lines])
        try:
            told = interaction.client.mentions.write(told, MAX_CONTENT)
            await interaction.followup.send(told, ephemeral=True)
        except (discord.HTTPException, *CUT_OFF) as problem:
            log.warning("interaction.unanswered", extra={"user": interaction.user.id, "fault": str(problem)})
            interaction.client.untold.add(interaction, *lines)
