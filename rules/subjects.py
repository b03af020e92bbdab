"""Subjects: who or what a campaign keeps something of, by a number of its own; a name is only what it is called."""

from __future__ import annotations

from rules.names import folded

NAME, PROFILE, GROUP = "name", "profile", "group"
"""The names of the values that say what a subject is called, and what it is: a saved unit or character, or a group; mappings of fields."""

KEPT = ("name", "kind", "side", "owner", "region", "squad", "secret", "traits")
"""What is kept of every saved unit or character, whatever book is played; beside it stand the fields of books."""

_KEY = "subject:"

REFERENCES = frozenset({"id", "by", "at", "squad", "members"})
"""The fields of values that refer to a subject by its number, or to several by a list of theirs."""


def name_key(name: str) -> str:
    """Return a name as names are compared: case, white space, what nobody sees and letters that look alike make no difference."""
    return folded(name)


def names_of(subject_names: str) -> tuple[str, ...]:
    """Return the names of those who share a role, such as several interrogators; a name itself has no comma."""
    return tuple(subject_names.split(", "))


def subject_key(number: int) -> str:
    """Return the key under which the state keeps what is true of the subject of this number."""
    return f"{_KEY}{number}"


def subject_number(key: str) -> int | None:
    """Return the number in the key of a subject; None for the key of anything else."""
    return int(key.removeprefix(_KEY)) if key.startswith(_KEY) else None


def number_of(key: str) -> int:
    """Return the number in the key of a subject."""
    number = subject_number(key)
    if number is None:
        raise ValueError(key)
    return number
