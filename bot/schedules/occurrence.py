"""One time that a job is due."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from bot.core.campaigns import Campaign
from bot.rolls.resolver import Resolver


class Occurrence(Struct, frozen=True):
    """One time that a job is due: in which campaign, whose row is locked, at which moment (aware), and what does it."""

    resolver: Resolver
    campaign: Campaign
    at: datetime
