"""Rate limits per member and server: token buckets. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from dataclasses import dataclass

_SLACK = 1e-6


@dataclass(frozen=True, slots=True)
class Pace:
    """How many requests at once, and how many per second."""

    burst: int
    rate: float

    @classmethod
    def read(cls, text: str) -> Pace | None:
        """Return the pace from `20+2`, None for `off`, or raise ValueError."""
        if text.strip() == "off":
            return None
        found = re.fullmatch(r"(\d{1,5})\+(\d{1,5}(?:\.\d{1,3})?)", text.strip(), re.ASCII)
        if found is None or int(found[1]) < 1 or float(found[2]) <= 0:
            raise ValueError("Input should be how many at once and a second, such as 20+2, or off")
        return cls(int(found[1]), float(found[2]))

    def __str__(self) -> str:
        """Return the pace as `read` takes it."""
        return f"{self.burst}+{self.rate:g}"

    def times(self, factor: int) -> Pace:
        """Return a pace this many times as fast."""
        return Pace(self.burst * factor, self.rate * factor)

    @property
    def refill(self) -> float:
        """How many seconds an empty bucket needs until it is full."""
        return self.burst / self.rate


class Buckets:
    """Token buckets by key, stored as the monotonic time when full."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._full_at: dict[Hashable, float] = {}
        self._sweep_at = -math.inf

    def __len__(self) -> int:
        """Return how many buckets are in memory."""
        return len(self._full_at)

    def wait(self, key: Hashable, now: float) -> float:
        """Return the seconds until a token is free; 0 if one is."""
        lacking = (self._full_at.get(key, now) - now) * self._pace.rate + 1 - self._pace.burst
        return lacking / self._pace.rate if lacking > _SLACK else 0.0

    def take(self, key: Hashable, now: float) -> None:
        """Take a token."""
        self._forget(now)
        self._full_at[key] = max(now, self._full_at.get(key, now)) + 1 / self._pace.rate

    def _forget(self, now: float) -> None:
        """Drop full buckets, at most once per refill time."""
        if now >= self._sweep_at:
            self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
            self._sweep_at = now + self._pace.refill


COMPLETIONS = 5
"""Factor for suggestions, which are requested per letter."""


class Limits:
    """Limits of members and servers; None for no limit."""

    def __init__(self, member: Pace | None, server: Pace | None) -> None:
        self._members = None if member is None else Buckets(member)
        self._servers = None if server is None else Buckets(server)

    def wait(self, server: int | None, member: int, now: float) -> float:
        """Count a request and return 0, or return seconds to wait."""
        asked: list[tuple[Buckets, Hashable]] = []
        if self._members is not None:
            asked.append((self._members, (server, member)))
        if self._servers is not None and server is not None:
            asked.append((self._servers, server))
        longest = max((buckets.wait(key, now) for buckets, key in asked), default=0.0)
        if not longest:
            for buckets, key in asked:
                buckets.take(key, now)
        return longest
