"""One time that a job is due."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from bot.core.campaigns import Campaign
from bot.rolls.resolver import Resolver

Features = Sequence[Any]
"""All features of the bot: `bot.kernel.Feature`, which stands above this module."""


class Occurrence(Struct, frozen=True):
    """One time that a job is due: in which campaign, whose row is locked, at which moment (aware), and what does it."""

    resolver: Resolver
    features: Features
    campaign: Campaign
    at: datetime
