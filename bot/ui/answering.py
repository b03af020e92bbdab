"""Answer a person, also over a bad line: an answer that is lost is repeated with the next one. Each interaction is logged in one line."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal

import aiohttp
import discord
from msgspec import Struct, field

from bot.core.transactions import CarriedOut
from bot.ui.limits import MAX_CONTENT

Outcome = Literal["answered", "refused", "failed", "taken", "unanswered"]
"""How an interaction ended.

`refused` told the person what they can do about it, `failed` was a fault of the bot's, `taken` was carried out by another
process, and the answer of one that is `unanswered` did not arrive.
"""

KEY = "attended"


class Attended(Struct):
    """An interaction under way: times are seconds of a clock that only runs on, `fault` the name of what was raised.

    The `reference` stands in its line in the log, and people see it where something went wrong.
    """

    command: str
    carried: CarriedOut
    started: float = field(default_factory=time.perf_counter)
    reference: str = field(default_factory=partial(secrets.token_hex, 4))
    outcome: Outcome = "answered"
    fault: str | None = None
    acknowledged: float | None = None
    answered: float | None = None

    def since(self, then: float | None) -> float | None:
        """Return the milliseconds from the beginning to a time; None where there is none."""
        return None if then is None else round((then - self.started) * 1000, 1)


def reference(interaction: Interaction) -> str:
    """Return the reference of an interaction, or a new one of what is not attended."""
    attended: Attended | None = interaction.extras.get(KEY)
    return secrets.token_hex(4) if attended is None else attended.reference


def note_heard(interaction: Interaction, *, answer: bool) -> None:
    """Note that Discord has taken the acknowledgement of an interaction, or its answer; the first of each counts."""
    attended: Attended | None = interaction.extras.get(KEY)
    if attended is not None:
        now = time.perf_counter()
        attended.acknowledged = attended.acknowledged or now
        attended.answered = attended.answered or (now if answer else None)


def note_end(interaction: Interaction, outcome: Outcome, fault: BaseException | None = None) -> None:
    """Note how an interaction ended otherwise than well, and what was raised."""
    attended: Attended | None = interaction.extras.get(KEY)
    if attended is not None:
        attended.outcome = outcome
        attended.fault = None if fault is None else type(fault).__name__


def log_end(interaction: Interaction, attended: Attended) -> None:
    """Log an interaction that is over, in one line: no names, and nothing that was typed."""
    carried = attended.carried
    line = {
        "guild": interaction.guild_id,
        "campaign": carried.campaign,
        "user": interaction.user.id,
        "command": attended.command,
        "entry": carried.entry,
        "outcome": attended.outcome,
        "fault": attended.fault,
        "acknowledged_ms": attended.since(attended.acknowledged),
        "answered_ms": attended.since(attended.answered),
        "ms": attended.since(time.perf_counter()),
        "reference": attended.reference,
    }
    log.info("interaction", extra={name: value for name, value in line.items() if value is not None})


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


def note_done(interaction: Interaction, done: str) -> None:
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
    note_heard(interaction, answer=True)
    await _tell_untold(interaction)
    return given


def _lost(interaction: Interaction, problem: Exception | None) -> None:
    """Log that an answer did not reach its person, and keep what was done for their next one."""
    who = {"guild": interaction.guild_id, "user": interaction.user.id}
    done = interaction.extras.pop("done", None)
    log.warning("interaction.unanswered", extra={**who, "done": done, "fault": str(problem)})
    note_end(interaction, "unanswered", problem)
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
