"""Whether a verification file holds: numbering, chain, commitment, faces, totals, and what the audit thread says. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from bot.core.drawn import DRAWN_FROM, OUTSIDE, face_faults
from bot.core.records import DRAW
from bot.core.seals import salted_hash
from bot.core.seeds import DEPTH, SLOTS, commitment, hash_of_all, proved_root, seeds_below
from bot.rolls.fairness.anchors import Anchors, Closing
from bot.rolls.fairness.document import Document, EntryRecord, EpochRecord
from bot.rolls.fairness.draw import ASKED, DRAWN, brief, situation
from bot.rolls.fairness.outside_checks import outside_faults, outside_told
from bot.rolls.fairness.totals import not_printed, total_faults


class Verdict(Struct, frozen=True):
    """What came of a check: faults in words, the first the heaviest; else what was checked, and whether the audit thread says so too."""

    faults: tuple[str, ...]
    checked: tuple[str, ...]
    anchored: bool

    @property
    def words(self) -> str:
        """The verdict in one sentence."""
        if self.faults:
            return "This does not hold."
        if self.anchored:
            return "This holds, and the audit thread says so too."
        return "This is consistent with itself, and no more: check it against the audit thread."


def check(document: Document, anchors: Anchors | None = None) -> Verdict:
    """Check a file by itself, and against what was pasted of the audit thread, if anything."""
    drawn = _Draws(document)
    faults = [*_numbering(document), *_chain(document), *_epoch(document), *drawn.faults()]
    anchored = False
    if anchors is not None:
        faults += _against(document, anchors)
        anchored = document.epoch.number in anchors.closed.keys() & anchors.commitments.keys()
    told = () if faults else (*_told(document), *drawn.told(), *_not_pasted(document, anchors))
    return Verdict(tuple(faults), told, anchored)


def _numbering(document: Document) -> Iterator[str]:
    first = document.epoch.first
    for place, item in enumerate(document.entries):
        if item.number != first + place:
            yield f"Entry {first + place} is missing: {item.number} stands in its place."
            return
    last = first + len(document.entries) - 1
    if document.epoch.last not in {None, last}:
        yield f"The epoch ends with entry {document.epoch.last}, and the file with {last}."
    if not any(item.number == document.about for item in document.entries):
        yield f"Entry {document.about}, which it is about, is not in it."


def _chain(document: Document) -> Iterator[str]:
    before = document.after
    for item in document.entries:
        if item.header is not None:
            yield from (
                f"Entry {item.number}: {fault}." for fault in _header_faults(document, item, item.header, before)
            )
        elif item.body is not None or item.draw is not None:
            yield f"Entry {item.number}: what is in it cannot be checked without its header."
        before = item.hash


def _header_faults(document: Document, item: EntryRecord, header: str, before: str) -> Iterator[str]:
    if hashlib.sha256(header.encode()).hexdigest() != item.hash:
        yield "the header does not match its hash"
    said = _json(header)
    for name, value in {"campaign": document.campaign, "number": item.number, "previous": before}.items():
        if said.get(name) != value:
            yield f"its {name} is {said.get(name)!r}, and {value!r} was expected"
    hashes = {"body": said.get("body"), "draw": _draw_hash(said)}
    for name, kept in (("body", item.body), ("draw", item.draw)):
        if kept is not None and salted_hash(kept.salt, kept.text) != hashes[name]:
            yield f"its {name} does not match the header"


def _epoch(document: Document) -> Iterator[str]:
    epoch = document.epoch
    if commitment(document.campaign, epoch.number, epoch.root) != epoch.commitment:
        yield f"Epoch {epoch.number}: its root does not match the commitment."
    for item in document.entries:
        if item.seed is not None and _root(item, item.number - epoch.first) != epoch.root:
            yield f"Entry {item.number}: its seed is not one that was committed to."
        if item.seed is None and item.draw is not None and epoch.last is not None:
            yield f"Entry {item.number}: its epoch is closed, and its seed is missing."


class _Draws:
    """The dice of all rolls in a file, with their seeds where they are in it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._rolls = [(item, _json(item.draw.text), _seed(item)) for item in document.entries if item.draw is not None]
        self._books = {name: _json(text) for name, text in document.books.items()}

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the dice."""
        for item, draw, seed in self._rolls:
            try:
                found = [*self._of(item, draw, seed)]
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
                found = [f"the record of its dice cannot be read: {error!r}"]
            yield from (f"Entry {item.number}: {fault}." for fault in found)

    def told(self) -> Iterator[str]:
        """Yield what was checked of the dice, in words."""
        drawn = [seed is not None for _, draw, seed in self._rolls if draw["dice"]]
        known, waiting = drawn.count(True), drawn.count(False)
        if known:
            yield f"Of {known} rolls every face that was drawn follows from a seed that was committed to before, and every total on a table is right."
        if waiting:
            yield f"The seeds of {waiting} rolls are not revealed yet: that comes when the epoch is closed."
        others = sum(any(source != DRAWN for *_, source in _read(draw)) for _, draw, _ in self._rolls)
        if others:
            yield f"In {others} rolls faces were typed by hand or kept from before: those follow from no seed."
        beside = sum(not_printed(step, self._tables(draw)) for _, draw, _ in self._rolls for step in _steps(draw))
        if beside:
            yield f"Of {beside} modifiers the value was not checked: they are not of the tables."
        withheld = sum(_withholds(item) for item in self._document.entries)
        if withheld:
            yield f"The dice of {withheld} rolls are not in the file, and were not checked."
        yield from outside_told(self._document, [(item, draw) for item, draw, _ in self._rolls])

    def _of(self, item: EntryRecord, draw: Mapping[str, Any], seed: bytes | None) -> Iterator[str]:
        document = self._document
        expected = {"campaign": document.campaign, "entry": item.number, "epoch": document.epoch.number}
        expected["slot"] = item.number - document.epoch.first
        if item.header is not None:
            expected["book"] = _json(item.header).get("book")
        yield from (
            f"its dice were drawn for {name} {draw.get(name)!r}, not {value!r}"
            for name, value in expected.items()
            if draw.get(name) != value
        )
        if item.body is not None and situation(_json(item.body.text)[ASKED]) != draw["situation"]:
            yield "what was asked for is not what its dice were drawn for"
        if item.body is not None and _json(item.body.text).get(OUTSIDE) != brief(draw).get(OUTSIDE):
            yield "its body tells otherwise of random.org"
        yield from outside_faults(document, item, draw, DRAWN_FROM)
        if seed is not None:
            yield from face_faults(seed, draw)
        yield from _reading_faults(draw)
        book = document.books.get(draw["book"])
        if book is None:
            yield "the tables of its book are not in the file"
            return
        if hashlib.sha256(book.encode()).hexdigest() != draw["book"]:
            yield "the tables do not match their fingerprint"
        tables = self._tables(draw)
        yield from (fault for step in _steps(draw) for fault in total_faults(step, tables))

    def _tables(self, draw: Mapping[str, Any]) -> Mapping[str, Any]:
        tables: Mapping[str, Any] = self._books[draw["book"]]["tables"]
        return tables


def _reading_faults(draw: Mapping[str, Any]) -> Iterator[str]:
    """Yield a fault where the dice that were read are not those that were drawn."""
    read = _read(draw)
    fresh = [(sides, fallen) for sides, fallen, source in read if source == DRAWN]
    drawn = [tuple(die) for die in draw["dice"]]
    if any(DRAWN in source and source != DRAWN for _, _, source in read):  # some of the faces are kept ones
        mixed = sorted((sides, fallen) for sides, fallen, source in read if DRAWN in source)
        if any(drawn.count(die) > mixed.count(die) for die in drawn):
            yield "dice that were drawn were not read"
    elif fresh != drawn:
        yield "the dice that were read are not those that were drawn"


def _read(draw: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    """Return the dice that were read: sides, face, and whence it came."""
    return [
        (int(roll["die"].partition("d")[2]), fallen, roll["drawn"])
        for step in _steps(draw)
        for roll in step["dice"]
        for fallen in roll["faces"]
    ]


def _steps(draw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (step for part in draw["parts"] for step in part)


def _against(document: Document, anchors: Anchors) -> Iterator[str]:
    """Yield what the audit thread says otherwise."""
    epoch, hashes = document.epoch, {item.number: item.hash for item in document.entries}
    if document.campaign not in anchors.campaigns:
        yield "The audit thread is another campaign's."
        return
    before = anchors.known.get(epoch.first - 1)
    if before not in {None, document.after}:
        yield f"The audit thread has another hash of entry {epoch.first - 1}."
    if anchors.commitments.get(epoch.number, epoch.commitment) != epoch.commitment:
        yield f"The audit thread has another commitment to epoch {epoch.number}."
    yield from _gaps(epoch, anchors)
    closed = anchors.closed.get(epoch.number)
    if closed is None:
        return
    yield from _other_seeds(document, closed)
    if closed.commitment != epoch.commitment:
        yield f"The audit thread has another commitment to epoch {epoch.number}."
    if epoch.last is None:
        yield f"The file is from before epoch {epoch.number} was closed: ask for it anew."
        return
    if (closed.first, closed.last) != (epoch.first, epoch.last):
        yield f"The audit thread has entries {closed.first} to {closed.last} in epoch {epoch.number}."
    if hashes.get(closed.last) != closed.head or hash_of_all(hashes.values()) != closed.hashes:
        yield f"The audit thread has other entries in epoch {epoch.number}."
    yield from (
        f"The audit thread has another hash of entry {number}."
        for number, value in closed.secret.items()
        if hashes.get(number) != value
    )


def _gaps(epoch: EpochRecord, anchors: Anchors) -> Iterator[str]:
    """Yield a fault where an epoch does not begin right behind what the audit thread has before it, or end right before what comes next."""
    before, behind = (anchors.closed.get(epoch.number + step) for step in (-1, 1))
    if before is not None and before.last and before.last + 1 != epoch.first:
        yield f"The audit thread ends epoch {epoch.number - 1} with entry {before.last}, and epoch {epoch.number} begins with {epoch.first}."
    if epoch.number == 1 and anchors.after is not None and anchors.after + 1 != epoch.first:
        yield f"The audit thread commits to epoch 1 after entry {anchors.after}, and the file begins it with {epoch.first}."
    if epoch.last is None and epoch.number not in anchors.closed and epoch.number < max(anchors.closed, default=0):
        yield f"The file is from before epoch {epoch.number} was closed: ask for it anew."
    if behind is not None and behind.first and epoch.last is not None and behind.first != epoch.last + 1:
        yield f"The audit thread begins epoch {epoch.number + 1} with entry {behind.first}, and epoch {epoch.number} ends with {epoch.last}."


def _other_seeds(document: Document, closed: Closing) -> Iterator[str]:
    """Yield a fault for each entry of which the audit thread reveals another seed."""
    revealed = [seeds_below([node]) for node in closed.revealed]
    for item in document.entries:
        slot, seed = item.number - document.epoch.first, _seed(item)
        if seed is not None and any(seeds.get(slot, seed) != seed for seeds in revealed):
            yield f"Entry {item.number}: the audit thread reveals another seed."


def _told(document: Document) -> Iterator[str]:
    first, last = document.entries[0].number, document.entries[-1].number
    hidden = sum(item.header is None for item in document.entries)
    yield f"Entries {first} to {last} are all there, and each is chained to the one before."
    if hidden:
        yield f"Of {hidden} of them only the hash may be known to you."
    if any(item.seed is not None for item in document.entries):
        yield f"The seeds of epoch {document.epoch.number} are those of its commitment."


def _not_pasted(document: Document, anchors: Anchors | None) -> Iterator[str]:
    """Yield what is missing of the audit thread, where it tells of the epoch's end and not of what was said before its first roll."""
    number = document.epoch.number
    if anchors is not None and number in anchors.closed and number not in anchors.commitments:
        yield f"The earlier message with the line “next {number}” is missing: only it shows that the seeds were chosen before."


def _withholds(item: EntryRecord) -> bool:
    """Return whether an entry has dice of which the file has no record."""
    return item.draw is None and item.header is not None and _draw_hash(_json(item.header)) is not None


def _draw_hash(header: Mapping[str, Any]) -> object:
    """Return what a header says of the record of its dice (salted hash, hex); None where it has none."""
    texts = header.get("texts")
    return texts.get(DRAW) if isinstance(texts, dict) else None


def _root(item: EntryRecord, slot: int) -> str | None:
    """Return the root to which an entry's seed and proof lead; None where there is no such slot, or the proof is not as deep as the tree."""
    if not 0 <= slot < SLOTS or len(item.proof) != DEPTH:
        return None
    return proved_root(bytes.fromhex(item.seed or ""), slot, item.proof)


def _seed(item: EntryRecord) -> bytes | None:
    return None if item.seed is None else bytes.fromhex(item.seed)


def _json(text: str) -> dict[str, Any]:
    """Return a JSON object; an empty one where the text is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
