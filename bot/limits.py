"""How much one member and one server may ask for: token buckets. Pure: what the time is comes in."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from dataclasses import dataclass

_SLACK = 1e-6
"""Tokens that may be missing for want of digits."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many at once, and how many a second after that."""

    burst: int
    rate: float

    @classmethod
    def read(cls, text: str) -> Pace | None:
        """Return the pace that a text such as `20+2` names, 20 at once and 2 a second after that; None for `off`.

        Raises:
            ValueError: it names none.

        """
        if text.strip() == "off":
            return None
        found = re.fullmatch(r"(\d{1,5})\+(\d{1,5}(?:\.\d{1,3})?)", text.strip(), re.ASCII)
        if found is None or int(found[1]) < 1 or float(found[2]) <= 0:
            raise ValueError("Input should be how many at once and a second, such as 20+2, or off")
        return cls(int(found[1]), float(found[2]))

    def __str__(self) -> str:
        """Return the text that `read` takes."""
        return f"{self.burst}+{self.rate:g}"

    def times(self, factor: int) -> Pace:
        """Return a pace that is so many times as fast."""
        return Pace(self.burst * factor, self.rate * factor)

    @property
    def refill(self) -> float:
        """Seconds in which an empty bucket is full again."""
        return self.burst / self.rate


class Buckets:
    """A bucket of tokens for each key; one that is full is forgotten.

    Times are seconds of a clock that never goes back. A bucket is kept as the time at which it is full again.
    """

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._full_at: dict[Hashable, float] = {}
        self._sweep_at = -math.inf

    def __len__(self) -> int:
        """Return how many buckets are remembered: those used within the last two times in which one fills up, at most."""
        return len(self._full_at)

    def wait(self, key: Hashable, now: float) -> float:
        """Return the seconds until a bucket has a token; 0 when it has one."""
        lacking = (self._full_at.get(key, now) - now) * self._pace.rate + 1 - self._pace.burst
        return lacking / self._pace.rate if lacking > _SLACK else 0.0

    def take(self, key: Hashable, now: float) -> None:
        """Take a token out of a bucket that has one."""
        self._forget(now)
        self._full_at[key] = max(now, self._full_at.get(key, now)) + 1 / self._pace.rate

    def _forget(self, now: float) -> None:
        """Forget the full ones, once in each time in which all would fill up: that costs each use next to nothing."""
        if now >= self._sweep_at:
            self._full_at = {key: full_at for key, full_at in self._full_at.items() if full_at > now}
            self._sweep_at = now + self._pace.refill


COMPLETIONS = 5
"""How many times as often as anything else suggestions may be asked for: each letter typed asks for them."""


class Limits:
    """What members and servers may ask for, by a pace of each; None for as much as they want."""

    def __init__(self, member: Pace | None, server: Pace | None) -> None:
        self._members = None if member is None else Buckets(member)
        self._servers = None if server is None else Buckets(server)

    def wait(self, server: int | None, member: int, now: float) -> float:
        """Count something that is asked for, and return 0; or the seconds until it may be asked for again, and count nothing.

        A member who asks too fast takes nothing from the server. In direct messages there is no server.
        """
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
