"""What the audit thread has said, as people paste it: commitments, and the ends of epochs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

from bot.core.seeds import SLOTS, Node

FORMAT = "adjutant audit 1"
_HASH = r"([0-9a-f]{64})"
_NUMBER = r"(\d{1,9})"
_LINES = {
    "campaign": re.compile(r"campaign ([0-9a-f-]{36})"),
    "after": re.compile(rf"after {_NUMBER} {_HASH}"),
    "next": re.compile(rf"next {_NUMBER} {_HASH}"),
    "epoch": re.compile(rf"epoch {_NUMBER}"),
    "entries": re.compile(rf"entries {_NUMBER}-{_NUMBER}"),
    "head": re.compile(rf"head {_HASH}"),
    "hashes": re.compile(rf"hashes {_HASH}"),
    "commitment": re.compile(rf"commitment {_HASH}"),
    "reveal": re.compile(rf"reveal {_NUMBER}-{_NUMBER} {_HASH}"),
    "secret": re.compile(rf"secret {_NUMBER} {_HASH}"),
}


class Closing(Struct):
    """What was said when an epoch was closed: its entries (first and last), hashes (hex), and nodes that give its public seeds."""

    first: int = 0
    last: int = 0
    head: str = ""
    hashes: str = ""
    commitment: str = ""
    revealed: list[Node] = field(default_factory=list)
    secret: dict[int, str] = field(default_factory=dict)


class Anchors(Struct):
    """What was pasted: the campaigns (UUIDs), the commitments and closings by epoch, and entries (number) up to which the hash is known."""

    campaigns: set[str] = field(default_factory=set)
    commitments: dict[int, str] = field(default_factory=dict)
    closed: dict[int, Closing] = field(default_factory=dict)
    known: dict[int, str] = field(default_factory=dict)


class _Line(NamedTuple):
    name: str
    values: tuple[str, ...]


def read_anchors(text: str) -> Anchors:
    """Return what pasted messages of an audit thread say; lines of other kinds are passed over.

    Raises:
        ValueError: there is nothing of an audit thread in it, or it says two things of one epoch.

    """
    found, current = Anchors(), Closing()
    for name, values in _lines(text):
        match name:
            case "campaign":
                found.campaigns.add(values[0])
                current = Closing()
            case "next":
                _say(found.commitments, int(values[0]), values[1], f"the commitment of epoch {values[0]}")
            case "after":
                _say(found.known, int(values[0]), values[1], f"entry {values[0]}")
            case "epoch":
                current = found.closed.setdefault(int(values[0]), Closing())
            case _:
                _close(current, name, values)
    if not (found.commitments or found.closed):
        raise ValueError("there is nothing of an audit thread in it: paste its messages whole")
    found.known |= {item.last: item.head for item in found.closed.values() if item.head}
    return found


def _lines(text: str) -> Iterator[_Line]:
    for line in map(str.strip, text.splitlines()):
        for name, form in _LINES.items():
            found = form.fullmatch(line)
            if found:
                yield _Line(name, found.groups())


def _close(closing: Closing, name: str, values: tuple[str, ...]) -> None:
    """Take down what a line says of the end of an epoch."""
    match name:
        case "entries":
            said = int(values[0]), int(values[1])
            if (closing.first, closing.last) not in {(0, 0), said}:
                raise ValueError("it says two things of the entries of an epoch")
            closing.first, closing.last = said
        case "reveal":
            first, last = int(values[0]), int(values[1])
            if not first <= last < SLOTS:
                raise ValueError(f"there are no slots {first} to {last}")
            closing.revealed.append(Node(first, last - first + 1, bytes.fromhex(values[2])))
        case "secret":
            _say(closing.secret, int(values[0]), values[1], f"entry {values[0]}")
        case _:
            if getattr(closing, name) not in {"", values[0]}:
                raise ValueError(f"it says two things of the {name} of an epoch")
            setattr(closing, name, values[0])


def _say(known: dict[int, str], key: int, value: str, what: str) -> None:
    if known.setdefault(key, value) != value:
        raise ValueError(f"it says two things of {what}")
