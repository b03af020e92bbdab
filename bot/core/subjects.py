"""Subjects: the keys under which a campaign's state keeps what has a name."""

from __future__ import annotations

import re


def subject_key(name: str) -> str:
    """Return the key of a name: case and runs of white space make no difference."""
    return re.sub(r"\s+", " ", name).strip().casefold()


def unit(name: str) -> str:
    """Return the subject under which the state keeps what is true of a unit, base or character."""
    return f"unit:{subject_key(name)}"


def names_of(subject: str) -> tuple[str, ...]:
    """Return the names of those who share a role, such as several interrogators; a name itself has no comma."""
    return tuple(subject.split(", "))
