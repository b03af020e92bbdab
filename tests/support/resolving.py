"""Resolve orders one by one."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.core.permissions import Person
from bot.orders.resolution import Progress, ResolutionStep, take_steps
from bot.rolls.resolver import Resolver


def step(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, progress: Progress
) -> ResolutionStep | None:
    """Make the next roll or cancellation; None if only waiting tasks are left."""
    return next(iter(take_steps(tx, resolver, person, campaign_id, progress, 1)), None)
