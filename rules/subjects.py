"""The names under which it is kept what is true of somebody."""

from __future__ import annotations

import re


def subject_key(name: str) -> str:
    """Return the name under which state is kept: case and runs of white space make no difference."""
    return re.sub(r"\s+", " ", name).strip().casefold()


def unit(name: str) -> str:
    """Return the subject under which it is kept what is true of a unit, base or character."""
    return f"unit:{subject_key(name)}"
