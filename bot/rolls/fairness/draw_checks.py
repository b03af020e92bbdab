"""Whether the dice of the rolls in a verification file hold, part by part: what they were drawn for, faces, totals and outcomes. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bot.core.canonical import canonical
from bot.core.drawn import DRAWN_FROM, OUTSIDE, PART, face_faults
from bot.core.places import PLACES, both, proved, salted_hash
from bot.core.records import DRAW
from bot.rolls.fairness.document import Document, DrawRecord, EntryRecord, PartRecord
from bot.rolls.fairness.draw import DRAWN, brief, read_part
from bot.rolls.fairness.outside_checks import outside_faults, outside_told
from bot.rolls.fairness.situation import ASKED, situation
from bot.rolls.fairness.totals import not_printed, total_faults

READ = ("key", "steps")
"""What the record of a part and a roll's body tell alike."""

_HASH = re.compile(r"[0-9a-f]{64}")
Read = Mapping[str, Any]


class _Part(NamedTuple):
    """The record of a part: as it is in the file, and parsed."""

    record: PartRecord
    read: Read

    @property
    def place(self) -> int | None:
        """Where it says that it stands; None where there is no such place."""
        place: Any = self.read.get("place")
        return int(place) if type(place) in {int, float} and place in range(PLACES) else None


class _Roll(NamedTuple):
    """A roll: its entry, what all its parts hang on, those parts that are in the file, and its seed, where that is."""

    item: EntryRecord
    of_all: Read
    parts: Sequence[_Part]
    seed: bytes | None

    @property
    def has_dice(self) -> bool:
        """Whether any die was drawn, as far as the file tells."""
        return any(part.read["dice"] for part in self.parts)

    def steps(self) -> Iterator[Read]:
        """Yield how the dice of its parts were read, step by step."""
        return (step for part in self.parts for step in part.read["steps"])


class Draws:
    """The dice of all rolls in a file, with their seeds where they are in it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._rolls = [_roll(item, item.draw) for item in document.entries if item.draw is not None]
        self._books = {name: json_object(text) for name, text in document.books.items()}

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the dice."""
        for roll in self._rolls:
            try:
                found = [*self._of(roll)]
            except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
                found = ["the record of its dice cannot be read"]
            yield from (f"Entry {roll.item.number}: {fault}." for fault in found)

    def told(self) -> Iterator[str]:
        """Yield what was checked of the dice, in words."""
        drawn = [roll.seed is not None for roll in self._rolls if roll.has_dice]
        known, waiting = drawn.count(True), drawn.count(False)
        if known:
            yield f"Of {known} rolls every face in the file that was drawn follows from a seed that was committed to before, and every total on a table is right."
        if waiting:
            yield f"The seeds of {waiting} rolls are not revealed yet: that comes when the epoch is closed."
        if any(roll.item.body is None for roll in self._rolls):
            yield "Whether a roll had parts besides, of which you may not know, cannot be told from this file."
        others = sum(any(source != DRAWN for *_, source in _dice(roll.steps())) for roll in self._rolls)
        if others:
            yield f"In {others} rolls faces were typed by hand or kept from before: those follow from no seed."
        beside = sum(not_printed(step, self._tables(roll.of_all)) for roll in self._rolls for step in roll.steps())
        if beside:
            yield f"Of {beside} modifiers the value was not checked: they are not of the tables."
        withheld = sum(_withholds(item) for item in self._document.entries)
        if withheld:
            yield f"The dice of {withheld} rolls are not in the file, and were not checked."
        yield from outside_told(self._document, [(roll.item, roll.of_all) for roll in self._rolls])

    def _of(self, roll: _Roll) -> Iterator[str]:
        document, item, draw = self._document, roll.item, roll.of_all
        expected = {"campaign": document.campaign, "entry": item.number, "epoch": document.epoch.number}
        expected["slot"] = item.number - document.epoch.first
        if item.header is not None:
            expected["book"] = json_object(item.header).get("book")
        yield from (
            f"its dice were drawn for {name} {draw.get(name)!r}, not {value!r}"
            for name, value in expected.items()
            if draw.get(name) != value
        )
        if item.body is not None:
            yield from _body_faults(roll, json_object(item.body.text))
        yield from outside_faults(document, item, draw, DRAWN_FROM)
        book = document.books.get(draw["book"])
        if book is None:
            yield "the tables of its book are not in the file"
        elif hashlib.sha256(book.encode()).hexdigest() != draw["book"]:
            yield "the tables do not match their fingerprint"
        for part in roll.parts:
            found = _part_faults(roll, part, None if book is None else self._tables(draw))
            yield from (f"at place {part.place}, {fault}" for fault in found)

    def _tables(self, of_all: Read) -> Read:
        tables: Read = self._books[of_all["book"]]["tables"]
        return tables


def seal_faults(kept: DrawRecord, sealed: object) -> Iterator[str]:
    """Yield a fault where a record of dice is not that of which a header has the hash, or has a part twice."""
    of_all = salted_hash(kept.salt, kept.text)
    parts = [_Part(part, json_object(part.text)) for part in kept.parts]
    for part in parts:
        place, record = part.place, part.record
        root = None if place is None else proved(salted_hash(record.salt, record.text), place, record.proof)
        if root is None or both(of_all, root) != sealed:
            yield "its draw does not match the header"
    if not parts:
        yield "its draw has no part"
    if len({part.place for part in parts}) != len(parts):
        yield "a part stands twice in its draw"


def withheld_hash(header: Mapping[str, Any]) -> object:
    """Return what a header says of the record of its dice (hash, hex); None where it has none."""
    texts = header.get("texts")
    return texts.get(DRAW) if isinstance(texts, dict) else None


def json_object(text: str) -> dict[str, Any]:
    """Return a JSON object; an empty one where the text is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _roll(item: EntryRecord, kept: DrawRecord) -> _Roll:
    seed = None if item.seed is None else bytes.fromhex(item.seed)
    return _Roll(item, json_object(kept.text), [_Part(part, json_object(part.text)) for part in kept.parts], seed)


def _body_faults(roll: _Roll, body: Read) -> Iterator[str]:
    """Yield a fault where the body of a roll has something else than the record of its dice, or other parts."""
    asked = situation(body[ASKED])
    if asked.placed.root != roll.of_all["situation"]:
        yield "what was asked for is not what its dice were drawn for"
    there = [part.place for part in roll.parts]
    missing = sum(place not in there for place in asked.places)
    if missing:
        yield f"the dice of {missing} of its parts are not in the file"
    if any(place not in asked.places for place in there):
        yield "it has dice for something that is none of its parts"
    told = [canonical(read_part(part)) for part in body["parts"]]
    if [part["key"] for part in body["parts"]] != [part["key"] for part in body[ASKED]["parts"]]:
        yield "its body tells of other parts than were asked for"
    for place, text in zip(asked.places, told, strict=False):
        records = (part.read for part in roll.parts if part.place == place)
        if any(canonical({name: read[name] for name in READ}) != text for read in records):
            yield f"at place {place}, its body tells otherwise of the dice"
    if body.get(OUTSIDE) != brief(roll.of_all).get(OUTSIDE):
        yield "its body tells otherwise of random.org"


def _part_faults(roll: _Roll, part: _Part, tables: Read | None) -> Iterator[str]:
    """Yield what is wrong with a part; without `tables` its totals are not looked at."""
    name, place = part.read[PART], part.place
    if _HASH.fullmatch(name) is None or place is None:
        raise ValueError(f"{name!r} at {place!r} is no part")
    if proved(name, place, part.record.asked) != roll.of_all["situation"]:
        yield "what was asked for is not among what its dice were drawn for"
    if roll.seed is not None:
        yield from face_faults(roll.seed, roll.of_all, part.read)
    yield from _reading_faults(part.read)
    if tables is not None:
        yield from (fault for step in part.read["steps"] for fault in total_faults(step, tables))


def _reading_faults(part: Read) -> Iterator[str]:
    """Yield a fault where the dice that were read are not those that were drawn."""
    read = [*_dice(part["steps"])]
    fresh = [(sides, fallen) for sides, fallen, source in read if source == DRAWN]
    drawn = [tuple(die) for die in part["dice"]]
    if any(DRAWN in source and source != DRAWN for _, _, source in read):  # some of the faces are kept ones
        mixed = sorted((sides, fallen) for sides, fallen, source in read if DRAWN in source)
        if any(drawn.count(die) > mixed.count(die) for die in drawn):
            yield "dice that were drawn were not read"
    elif fresh != drawn:
        yield "the dice that were read are not those that were drawn"


def _dice(steps: Iterator[Read] | Sequence[Read]) -> Iterator[tuple[int, int, str]]:
    """Yield the dice that were read: sides, face, and whence it came."""
    for step in steps:
        for roll in step["dice"]:
            yield from ((int(roll["die"].partition("d")[2]), fallen, roll["drawn"]) for fallen in roll["faces"])


def _withholds(item: EntryRecord) -> bool:
    """Return whether an entry has dice of which the file has no record."""
    return item.draw is None and item.header is not None and withheld_hash(json_object(item.header)) is not None
