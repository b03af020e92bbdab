"""Whether the faces that an entry's record has of its dice follow from its seed. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from operator import itemgetter
from typing import Any, TypedDict

from msgspec import DecodeError
from msgspec.json import Decoder

from bot.core import draws
from bot.core.records import Entry
from bot.core.seeds import SLOTS, all_seeds, face

DRAWN_FROM = ("book", "campaign", "entry", "epoch", "family", "interaction", "situation")
"""What faces hang on beside the seed, as the record of a draw has it."""

_drawn_from = itemgetter(*DRAWN_FROM)

PART = "part"
"""What the faces of one part hang on besides: the salted hash of what was asked for it."""

OUTSIDE = "outside"
"""Under which body and record of a roll have what came of asking for randomness from outside."""


class _Dice(TypedDict):
    """What is read of a part to draw its dice again: their sides and faces, and what these hang on."""

    dice: list[tuple[int, int]]
    part: Any


_EPOCH = re.compile(r'"entry":[0-9]+,"epoch":([0-9]{1,9}),')
"""Where canonical JSON has the epoch."""

_RECORD, _PART = Decoder(dict[str, Any]), Decoder(_Dice)

Secrets = Sequence[tuple[int, str, int]]
"""The secrets of epochs (hex), each between the number of the epoch's first entry and its own number, in their order."""


def face_faults(seed: bytes, of_all: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the faces of a part, by its record and that of what all parts hang on; both have all their fields."""
    description = {**dict(zip(DRAWN_FROM, _drawn_from(of_all), strict=True)), **mixed_in(of_all), PART: part[PART]}
    for place, (sides, fallen) in enumerate(part["dice"]):
        expected = face(seed, description, place, sides)
        if fallen != expected:
            yield f"die {place + 1}, a d{sides}, shows {fallen}, and its seed gives {expected}"


def epoch_named(entry: Entry) -> int | None:
    """Return the number of the epoch that the record of an entry's dice names; None where it names none."""
    found = _EPOCH.search(entry.draw.partition("\n")[0]) if draws.has_parts(entry.draw) and entry.draw else None
    return None if found is None else int(found[1])


def digest(text: str) -> str:
    """Return the SHA-256 of a text (hex)."""
    return sha256(text.encode()).hexdigest()


def mixed_in(record: Mapping[str, Any]) -> dict[str, str]:
    """Return what the faces of a roll hang on besides: the hashes of the intent and of the answer, where one was mixed in."""
    if OUTSIDE not in record or not {"intent", "random"} <= record[OUTSIDE].keys():
        return {}
    outside = record[OUTSIDE]
    return {"intent": digest(outside["intent"]["header"]), OUTSIDE: digest(outside["random"])}


def seed_faults(entry: Entry, secrets: Secrets) -> Iterator[str]:
    """Yield what is wrong with the dice of an entry, by the secret of its epoch; nothing of one without a record of dice, or from before all epochs."""
    begun = bisect_right(secrets, (entry.number + 1,))
    if entry.draw is None or not begun:
        return
    first, secret, number = secrets[begun - 1]
    if entry.number >= first + SLOTS:
        yield "its dice were drawn beyond the end of its dice set"
        return
    seed = all_seeds(bytes.fromhex(secret))[entry.number - first]
    try:
        drawn = draws.read(entry.draw)
        of_all = _RECORD.decode(drawn.of_all)
        if of_all["entry"] != entry.number:
            yield f"its dice were drawn for entry {of_all['entry']!r}"
        if drawn.parts and (of_all["epoch"] != number or of_all["slot"] != entry.number - first):
            yield f"its dice were drawn in slot {of_all['slot']!r} of dice set {of_all['epoch']!r}, which isn't the one that is kept for it"
        for part in drawn.parts:
            found = face_faults(seed, of_all, _PART.decode(part.text))
            yield from (f"at place {part.place}, {fault}" for fault in found)
    except (AttributeError, DecodeError, KeyError, RecursionError, TypeError, ValueError):
        yield "the record of its dice can't be read"
