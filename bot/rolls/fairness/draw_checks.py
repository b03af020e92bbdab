"""Whether the dice of the rolls in a verification file hold, part by part: what they were drawn for, faces, totals and outcomes. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from bot.core.draws import follow_proof, hash_pair, salted_hash
from bot.core.encoding import Json, encode_canonical
from bot.core.records import DRAW
from bot.core.seeds import OUTSIDE, check_faces
from bot.rolls.fairness.document import DrawRecord, EntryRecord, PartRecord, VerificationFile, situation
from bot.rolls.fairness.draw import DRAWN, brief, read_part
from bot.rolls.fairness.forms import (
    AskedForm,
    BodyForm,
    BookForm,
    DrawForm,
    HeaderForm,
    PartForm,
    ReadDiceForm,
    ReadPart,
    StepForm,
    TableForm,
    ThrowForm,
    body_steps,
    fits,
    header_of,
    quote,
    read,
    steps_of,
    term_of,
)
from bot.rolls.fairness.outside import OutsideRecord, describe_checks, outside_faults, read_outside, unreadable_intents
from bot.rolls.fairness.totals import sum_brought, total_faults
from rules.dice import KEPT

BROUGHT = {
    "modifiers": "Modifiers that aren't printed on a table: {}. Their values weren't checked.",
    "values": "Totals read against a number that isn't on a table: {}. It wasn't checked.",
    "dice": "Throws with another die than the table has: {}.",
}
"""What is told of what a roll has brought to its tables, by what it is."""

Tables = Mapping[str, TableForm]
Step = StepForm | ThrowForm


class RollPart(NamedTuple):
    """The record of a part: as it is in the file, if it is in one, and read."""

    record: PartRecord | None
    read: PartForm
    steps: Sequence[Step]


class CheckedRoll(NamedTuple):
    """A roll: its entry, what all its parts hang on, those parts that are in the file, and its seed, where that is."""

    item: EntryRecord
    of_all: DrawForm
    parts: Sequence[RollPart]
    outside: OutsideRecord | None
    seed: bytes | None

    @property
    def has_dice(self) -> bool:
        """Whether any die was drawn, as far as the file tells."""
        return any(part.read["dice"] for part in self.parts)


class _Body(NamedTuple):
    """The body of a roll: its parts as their records have them, their unused dice, what was asked, which entry it amends, and what it tells of random.org."""

    parts: Sequence[ReadPart]
    unused: Sequence[Sequence[ReadDiceForm]]
    asked: AskedForm
    amends: int | None
    outside: Mapping[str, Json] | None

    def fallen(self, index: int) -> Counter[tuple[int, int]]:
        """Count the dice of a part, read and unused, by sides and face; none where the part doesn't exist."""
        read_ = [rolled for part in self.parts[index : index + 1] for step in part["steps"] for rolled in step["dice"]]
        unused = [rolled for dice in self.unused[index : index + 1] for rolled in dice]
        return Counter((term_of(item["die"])[1], face) for item in (*read_, *unused) for face in item["faces"])


class Draws:
    """The dice of all rolls in a file, with their seeds where they are in it."""

    def __init__(self, document: VerificationFile) -> None:
        self._document = document
        self._rolls = [(item.number, _roll(item, item.draw)) for item in document.entries if item.draw is not None]
        self._books = {name: book_tables(text) for name, text in document.books.items()}

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the dice."""
        for number, roll in self._rolls:
            found = ["the record of its dice can't be read"] if roll is None else self._of(roll)
            yield from (f"Entry {number}: {fault}." for fault in found)
        yield from unreadable_intents(self._document)

    def told(self) -> Iterator[str]:
        """Yield what was checked of the dice, in words."""
        rolls = [roll for _, roll in self._rolls if roll is not None]
        drawn = [roll.seed is not None for roll in rolls if roll.has_dice]
        known, waiting = drawn.count(True), drawn.count(False)
        if known:
            yield f"Rolls checked: {known}. Every drawn face follows from a committed seed, and every total on a table is right."
        if waiting:
            yield f"Rolls without a revealed seed: {waiting}. Seeds are revealed when the dice set closes."
        if any(roll.item.body is None for roll in rolls):
            yield "This file can't show whether a roll had hidden parts too."
        others = sum(any(source != DRAWN for part in roll.parts for *_, source in _dice(part.steps)) for roll in rolls)
        if others:
            yield f"Rolls with faces typed by hand or kept from an earlier roll: {others}. Those faces follow from no seed."
        yield from self._brought(rolls)
        withheld = sum(withholds(item) for item in self._document.entries)
        if withheld:
            yield f"Rolls whose dice aren't in the file: {withheld}. They weren't checked."
        yield from describe_checks(self._document, [roll.outside for roll in rolls if roll.outside is not None])

    def _brought(self, rolls: Iterable[CheckedRoll]) -> Iterator[str]:
        """Yield what the rolls themselves have brought to their tables, which nothing printed shows to be right."""
        found: Counter[str] = Counter()
        for roll in rolls:
            tables = self._books[roll.of_all["book"]] or {}
            for part in roll.parts:
                found.update(sum_brought([step for step in part.steps if "table" in step], tables))
        yield from (sentence.format(found[name]) for name, sentence in BROUGHT.items() if found[name])

    def _of(self, roll: CheckedRoll) -> Iterator[str]:
        document, item, draw = self._document, roll.item, roll.of_all
        drawn: Mapping[str, object] = draw
        expected = {"campaign": document.campaign, "entry": item.number, "epoch": document.epoch.number}
        expected["slot"] = item.number - document.epoch.first
        header = header_of(item)
        if header is not None:
            expected["book"] = header["book"]
        yield from (
            f"its dice were drawn for {name} {quote(drawn[name])}, not {quote(value)}"
            for name, value in expected.items()
            if drawn[name] != value
        )
        yield from body_faults(_amended(document, roll), roll)
        yield from outside_faults(document, item, draw, roll.outside)
        yield from self._book_faults(draw["book"])
        for part in roll.parts:
            yield from (f"at place {part.read['place']}, {fault}" for fault in self._part_faults(roll, part))

    def _book_faults(self, name: str) -> Iterator[str]:
        text = self._document.books.get(name)
        if text is None:
            yield "the tables of its book aren't in the file"
        elif hashlib.sha256(text.encode()).hexdigest() != name:
            yield "the tables don't match their fingerprint"
        elif self._books[name] is None:
            yield "the tables of its book can't be read"

    def _part_faults(self, roll: CheckedRoll, part: RollPart) -> Iterator[str]:
        """Yield what is wrong with a part; where the tables of its book are not there, nothing of its totals."""
        asked = () if part.record is None else part.record.asked
        if follow_proof(part.read["part"], part.read["place"], asked) != roll.of_all["situation"]:
            yield "what was asked for isn't part of what its dice were drawn for"
        if roll.seed is not None:
            yield from check_faces(roll.seed, roll.of_all, part.read)
        yield from reading_faults(part)
        tables = self._books.get(roll.of_all["book"])
        if tables is not None:
            yield from (fault for step in part.steps if "table" in step for fault in total_faults(step, tables))


def seal_faults(kept: DrawRecord, sealed: object) -> Iterator[str]:
    """Yield a fault where a record of dice is not that of which a header has the hash, or has a part twice."""
    of_all = salted_hash(kept.salt, kept.text)
    places = [_place(part) for part in kept.parts]
    for place, part in zip(places, kept.parts, strict=True):
        root = None if place is None else follow_proof(salted_hash(part.salt, part.text), place, part.proof)
        if root is None or hash_pair(of_all, root) != sealed:
            yield "its draw doesn't match the header"
    if not places:
        yield "its draw has no part"
    if len(set(places)) != len(places):
        yield "its draw has a part twice"


def withheld_hash(header: HeaderForm) -> str | None:
    """Return what a header says of the record of its dice (hash, hex); None where it has none."""
    return header["texts"].get(DRAW)


def _place(part: PartRecord) -> int | None:
    """Return where a part says that it stands; None where it cannot be read."""
    try:
        return read(part.text, PartForm)["place"]
    except ValueError:
        return None


def _roll(item: EntryRecord, kept: DrawRecord) -> CheckedRoll | None:
    """Return a roll, read; None where anything of its record has another form."""
    seed = None if item.seed is None else bytes.fromhex(item.seed)
    try:
        of_all, parts = read(kept.text, DrawForm), [read(part.text, PartForm) for part in kept.parts]
        steps = [steps_of(part) for part in parts]
        return CheckedRoll(item, of_all, [*map(RollPart, kept.parts, parts, steps)], read_outside(of_all), seed)
    except ValueError:
        return None


def _body(item: EntryRecord) -> _Body | None:
    """Return the body of a roll, as far as it is looked at; None where it is not in the file or cannot be read."""
    try:
        body = read("" if item.body is None else item.body.text, BodyForm)
        parts = [cast("ReadPart", read_part({"key": part["key"], "steps": body_steps(part)})) for part in body["parts"]]
    except ValueError:
        return None
    unused = [part.get("unused", []) for part in body["parts"]]
    return _Body(parts, unused, body["situation"], body.get("amends"), body.get("outside"))


def book_tables(text: str) -> Tables | None:
    """Return the tables of a book by id; None where it cannot be read."""
    try:
        return read(text, BookForm)["tables"]
    except ValueError:
        return None


def amends(roll: CheckedRoll) -> int | None:
    """Return the entry (number) that a roll amends, by its body; None where it amends none, or its body can't be read."""
    body = _body(roll.item)
    return None if body is None else body.amends


def _amended(document: VerificationFile, roll: CheckedRoll) -> EntryRecord | None:
    number = None if roll.item.body is None else amends(roll)
    return None if number is None else next((item for item in document.entries if item.number == number), None)


def body_faults(amended: EntryRecord | None, roll: CheckedRoll) -> Iterator[str]:
    """Yield a fault where the body of a roll, if it is in the file, has something else than the record of its dice, or other parts."""
    if roll.item.body is None:
        return
    body = _body(roll.item)
    if body is None:
        yield "its body can't be read"
        return
    asked = situation(body.asked)
    if asked.placed.root != roll.of_all["situation"]:
        yield "what was asked for isn't what its dice were drawn for"
    there = {part.read["place"]: part for part in roll.parts}
    missing = sum(place not in there for place in asked.places)
    if missing:
        yield f"the dice of {missing} of its parts aren't in the file"
    if any(place not in asked.places for place in there):
        yield "it has dice for something that isn't one of its parts"
    if [part["key"] for part in body.parts] != [part.get("key") for part in body.asked["parts"]]:
        yield "its body has other parts than were asked for"
    before = None if amended is None else _body(amended)
    for index, (place, told) in enumerate(zip(asked.places, body.parts, strict=False)):
        if place in there:
            found = _told_faults(there[place], told, body.amends, before and before.fallen(index))
            yield from (f"at place {place}, {fault}" for fault in found)
    if encode_canonical(body.outside) != encode_canonical(brief(roll.of_all).get(OUTSIDE)):
        yield "its body says something else about random.org"


def _told_faults(
    part: RollPart, told: ReadPart, amends: int | None, fallen: Counter[tuple[int, int]] | None
) -> Iterator[str]:
    """Yield a fault where a body has another part than its record, or keeps faces that haven't `fallen` in the amended part, if it is known."""
    if encode_canonical({"key": part.read["key"], "steps": part.steps}) != encode_canonical(told):
        yield "its body says something else about the dice"
    if fallen is not None:
        kept = Counter(
            (sides, face) for sides, face, source in _dice(part.steps) if {*source.split(" and ")} <= {KEPT, DRAWN}
        )
        if kept - Counter(part.read["dice"]) - fallen:
            yield f"it keeps faces that entry {amends} doesn't have"


def reading_faults(part: RollPart) -> Iterator[str]:
    """Yield a fault where the dice that were read aren't those that were drawn, or such as no die shows."""
    if any(not fits(dice) for step in part.steps for dice in step["dice"]):
        yield "a die was read in a way it can't fall"
    read_ = [*_dice(part.steps)]
    fresh = [(sides, fallen) for sides, fallen, source in read_ if source == DRAWN]
    drawn = part.read["dice"]
    if any(DRAWN in source and source != DRAWN for _, _, source in read_):  # some of the faces are kept ones
        mixed = Counter((sides, fallen) for sides, fallen, source in read_ if DRAWN in source)
        if Counter(drawn) - mixed:
            yield "dice that were drawn weren't read"
    elif fresh != drawn:
        yield "the dice that were read aren't those that were drawn"


def _dice(steps: Iterable[Step]) -> Iterator[tuple[int, int, str]]:
    """Yield the dice that were read: sides, face, and whence it came."""
    for step in steps:
        for rolled in step["dice"]:
            yield from ((term_of(rolled["die"])[1], fallen, rolled["drawn"]) for fallen in rolled["faces"])


def withholds(item: EntryRecord) -> bool:
    """Return whether an entry has dice of which the file has no record."""
    header = header_of(item)
    return item.draw is None and header is not None and withheld_hash(header) is not None
