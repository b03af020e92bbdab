"""Chores: things that are due and done one by one, so that one that goes wrong keeps no other from being done."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable, Sequence
from typing import TypeVar

from bot.core.outages import outage

T = TypeVar("T")

log = logging.getLogger(__name__)


async def each(work: Iterable[Awaitable[Sequence[T]]], fault: str) -> list[T]:
    """Do all; return what came of those that went well, together. The others are logged under the name of a fault, and are due again."""
    done = await asyncio.gather(*work, return_exceptions=True)
    for error in done:
        if isinstance(error, BaseException):
            log_fault(fault, error)
    return [each for item in done if not isinstance(item, BaseException) for each in item]


def log_fault(fault: str, error: BaseException, **fields: object) -> None:
    """Log what went wrong with something that is due again: a bug under its name with where it was, an outage of the database in a line."""
    told = outage(error)
    if told is None:
        log.error(fault, extra=fields, exc_info=error)
    else:
        log.warning("chore.outage", extra={**fields, "fault": told[0]})  # in one line: it comes again with every round
