"""What ends hiding: to attack somebody or to be attacked, to struggle, and the like (lines 353, 355)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.procedure import Part
from rules.tables import Consequence


def exposed(part: Part, *roles: str) -> Iterator[Consequence]:
    """Yield that those in these roles are seen by all who hide."""
    for role in roles:
        if f"{role}.hidden" in part.facts:
            yield Consequence("be-seen", role)
