"""What the audit thread has said, as people paste it: commitments, and the ends of epochs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

from bot.core.seeds import SLOTS, Node

FORMAT = "adjutant audit 1"
_HASH = r"([0-9a-f]{64})"
_NUMBER = r"([0-9]{1,9})"
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
    """What was pasted of one campaign: the commitments and closings by epoch, and the entries (number) of which the hash is known.

    `campaigns` (UUIDs) are all that were pasted; `after` is the entry (number) behind which epoch 1 begins, None where that
    was not pasted.
    """

    campaigns: set[str] = field(default_factory=set)
    after: int | None = None
    commitments: dict[int, str] = field(default_factory=dict)
    closed: dict[int, Closing] = field(default_factory=dict)
    known: dict[int, str] = field(default_factory=dict)


class _Line(NamedTuple):
    name: str
    values: tuple[str, ...]


def read_anchors(text: str, campaign: str) -> Anchors:
    """Return what pasted messages of an audit thread say of a campaign (UUID), which is named above it; other lines are passed over.

    Raises:
        ValueError: there is nothing of an audit thread in it, or it says two different things about one epoch.

    """
    found, current, about = Anchors(), Closing(), None
    for name, values in _lines(text):
        if name == "campaign":
            about, current = values[0], Closing()
            found.campaigns.add(about)
        elif about == campaign:
            current = _take_down(found, current, name, values)
    others = found.campaigns and campaign not in found.campaigns
    if not (found.commitments or found.closed or others):
        raise ValueError("this isn't from a dice proof thread: paste its messages whole")
    found.known |= {item.last: item.head for item in found.closed.values() if item.head and item.last}
    return found


def _lines(text: str) -> Iterator[_Line]:
    for line in map(str.strip, text.splitlines()):
        for name, form in _LINES.items():
            found = form.fullmatch(line)
            if found:
                yield _Line(name, found.groups())


def _take_down(found: Anchors, current: Closing, name: str, values: tuple[str, ...]) -> Closing:
    """Take down what a line says; return the closing that the next lines are of."""
    match name:
        case "next":
            _say(found.commitments, int(values[0]), values[1], f"the commitment of dice set {int(values[0])}")
        case "after":
            if found.after not in {None, int(values[0])}:
                raise ValueError("it says two different things about where dice set 1 begins")
            found.after = int(values[0])
            _say(found.known, found.after, values[1], f"entry {found.after}")
        case "epoch":
            return found.closed.setdefault(int(values[0]), Closing())
        case _:
            _close(current, name, values)
    return current


def _close(closing: Closing, name: str, values: tuple[str, ...]) -> None:
    """Take down what a line says of the end of an epoch."""
    match name:
        case "entries":
            said = int(values[0]), int(values[1])
            if (closing.first, closing.last) not in {(0, 0), said}:
                raise ValueError("it says two different things about the entries of a dice set")
            closing.first, closing.last = said
        case "reveal":
            first, last = int(values[0]), int(values[1])
            if not first <= last < SLOTS:
                raise ValueError(f"slots {first} to {last} don't exist")
            closing.revealed.append(Node(first, last - first + 1, bytes.fromhex(values[2])))
        case "secret":
            _say(closing.secret, int(values[0]), values[1], f"entry {int(values[0])}")
        case _:
            if getattr(closing, name) not in {"", values[0]}:
                raise ValueError(f"it says two different things about the {name} of a dice set")
            setattr(closing, name, values[0])


def _say(known: dict[int, str], key: int, value: str, what: str) -> None:
    if known.setdefault(key, value) != value:
        raise ValueError(f"it says two different things about {what}")
