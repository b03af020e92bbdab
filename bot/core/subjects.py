"""Subjects: the keys under which a campaign's state keeps what has a name."""

from __future__ import annotations

from rules.subjects import subject_key, unit

__all__ = ["names_of", "subject_key", "unit"]


def names_of(subject: str) -> tuple[str, ...]:
    """Return the names of those who share a role, such as several interrogators; a name itself has no comma."""
    return tuple(subject.split(", "))
