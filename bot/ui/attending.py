"""What is known of each interaction as it goes: under which reference, when it was acknowledged and answered, and how it ended."""

from __future__ import annotations

import logging
import secrets
import time
from functools import partial
from typing import Any, Literal

import discord
from msgspec import Struct, field

from bot.core.interactions import CarriedOut

Interaction = discord.Interaction[Any]
Outcome = Literal["answered", "refused", "failed", "taken", "unanswered"]
"""How an interaction ended.

`refused` told the person what they can do about it, `failed` was a fault of the bot's, `taken` was carried out by another
process, and the answer of one that is `unanswered` did not arrive.
"""

KEY = "attended"

log = logging.getLogger(__name__)


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


def heard(interaction: Interaction, *, answer: bool) -> None:
    """Note that Discord has taken the acknowledgement of an interaction, or its answer; the first of each counts."""
    attended: Attended | None = interaction.extras.get(KEY)
    if attended is not None:
        now = time.perf_counter()
        attended.acknowledged = attended.acknowledged or now
        attended.answered = attended.answered or (now if answer else None)


def ended(interaction: Interaction, outcome: Outcome, fault: BaseException | None = None) -> None:
    """Note how an interaction ended otherwise than well, and what was raised."""
    attended: Attended | None = interaction.extras.get(KEY)
    if attended is not None:
        attended.outcome = outcome
        attended.fault = None if fault is None else type(fault).__name__


def tell(interaction: Interaction, attended: Attended) -> None:
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
