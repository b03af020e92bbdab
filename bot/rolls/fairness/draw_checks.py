"""Check the dice of rolls part by part: what they were drawn for, faces, totals, outcomes. Pure."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from bot.core import draws, seeds
from bot.core.records import DRAW, Entry, Json, encode_canonical
from bot.rolls.fairness import forms
from bot.rolls.fairness.draw import ASKED, DRAWN, brief, read_part, sum_brought, total_faults
from bot.rolls.fairness.forms import DrawRecord, EntryRecord, PartRecord, SaltedRecord, VerificationFile
from bot.rolls.fairness.outside import OutsideRecord, describe_checks, outside_faults, read_outside, unreadable_intents
from rules.dice import KEPT

BROUGHT = {
    "modifiers": "Modifiers that aren't printed on a table: {}. Their values weren't checked.",
    "values": "Totals read against a number that isn't on a table: {}. It wasn't checked.",
    "dice": "Throws with another die than the table has: {}.",
}

Tables = Mapping[str, forms.TableForm]
Step = forms.StepForm | forms.ThrowForm


class _RollPart(NamedTuple):
    record: PartRecord | None
    read: forms.PartForm
    steps: Sequence[Step]


class _CheckedRoll(NamedTuple):
    item: EntryRecord
    of_all: forms.DrawForm
    parts: Sequence[_RollPart]
    outside: OutsideRecord | None
    seed: bytes | None


class _Body(NamedTuple):
    parts: Sequence[forms.ReadPart]
    unused: Sequence[Sequence[forms.ReadDiceForm]]
    asked: forms.AskedForm
    amends: int | None
    outside: Mapping[str, Json] | None

    def count_faces(self, index: int) -> Counter[tuple[int, int]]:
        read_ = [rolled for part in self.parts[index : index + 1] for step in part["steps"] for rolled in step["dice"]]
        unused = [rolled for dice in self.unused[index : index + 1] for rolled in dice]
        return Counter((forms.term_of(item["die"])[1], face) for item in (*read_, *unused) for face in item["faces"])


class Draws:
    """The dice of all rolls in a file."""

    def __init__(self, document: VerificationFile) -> None:
        self._document = document
        self._rolls = [
            (item.number, _roll(item, item.draw.text, [(part, part.text) for part in item.draw.parts]))
            for item in document.entries
            if item.draw is not None
        ]
        self._entries = {item.number: item for item in reversed(document.entries)}
        self._books = {name: _read_tables(text) for name, text in document.books.items()}

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the dice."""
        for number, roll in self._rolls:
            found = ["the record of its dice can't be read"] if roll is None else self._roll_faults_of(roll)
            yield from (f"Entry {number}: {fault}." for fault in found)
        yield from unreadable_intents(self._document)

    def describe(self) -> Iterator[str]:
        """Yield what was checked of the dice."""
        rolls = [roll for _, roll in self._rolls if roll is not None]
        drawn = [roll.seed is not None for roll in rolls if any(part.read["dice"] for part in roll.parts)]
        known, waiting = drawn.count(True), drawn.count(False)
        if known:
            yield f"Rolls checked: {known}. Every drawn face follows from a committed seed, and every total on a table is right."
        if waiting:
            yield f"Rolls without a revealed seed: {waiting}. Seeds are revealed when the dice set closes."
        if any(roll.item.body is None for roll in rolls):
            yield "This file can't show whether a roll had hidden parts too."
        others = sum(
            any(source != DRAWN for part in roll.parts for *_, source in _list_dice(part.steps)) for roll in rolls
        )
        if others:
            yield f"Rolls with faces typed by hand or kept from an earlier roll: {others}. Those faces follow from no seed."
        yield from self._describe_brought(rolls)
        withheld = sum(withholds(item) for item in self._document.entries)
        if withheld:
            yield f"Rolls whose dice aren't in the file: {withheld}. They weren't checked."
        yield from describe_checks(self._document, [roll.outside for roll in rolls if roll.outside is not None])

    def _describe_brought(self, rolls: Iterable[_CheckedRoll]) -> Iterator[str]:
        found: Counter[str] = Counter()
        for roll in rolls:
            tables = self._books[roll.of_all["book"]] or {}
            for part in roll.parts:
                found.update(sum_brought([step for step in part.steps if "table" in step], tables))
        yield from (sentence.format(found[name]) for name, sentence in BROUGHT.items() if found[name])

    def _roll_faults_of(self, roll: _CheckedRoll) -> Iterator[str]:
        document, item, draw = self._document, roll.item, roll.of_all
        drawn: Mapping[str, object] = draw
        expected = {"campaign": document.campaign, "entry": item.number, "epoch": document.epoch.number}
        expected["slot"] = item.number - document.epoch.first
        header = forms.header_of(item)
        if header is not None:
            expected["book"] = header["book"]
        yield from (
            f"its dice were drawn for {name} {forms.quote(drawn[name])}, not {forms.quote(value)}"
            for name, value in expected.items()
            if drawn[name] != value
        )
        yield from _body_faults(roll, self._entries.get)
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

    def _part_faults(self, roll: _CheckedRoll, part: _RollPart) -> Iterator[str]:
        asked = () if part.record is None else part.record.asked
        if draws.follow_proof(part.read["part"], part.read["place"], asked) != roll.of_all["situation"]:
            yield "what was asked for isn't part of what its dice were drawn for"
        if roll.seed is not None:
            yield from seeds.check_faces(roll.seed, roll.of_all, part.read)
        yield from _find_reading_faults(part, self._books.get(roll.of_all["book"]))


def seal_faults(kept: DrawRecord, sealed: object) -> Iterator[str]:
    """Yield a fault where a record doesn't match its header's hash, or has a part twice."""
    of_all = draws.hash_salted(kept.salt, kept.text)
    places = [_place(part) for part in kept.parts]
    for place, part in zip(places, kept.parts, strict=True):
        root = None if place is None else draws.follow_proof(draws.hash_salted(part.salt, part.text), place, part.proof)
        if root is None or draws.hash_pair(of_all, root) != sealed:
            yield "its draw doesn't match the header"
    if not places:
        yield "its draw has no part"
    if len(set(places)) != len(places):
        yield "its draw has a part twice"


def find_draw_hash(header: forms.HeaderForm) -> str | None:
    """Return a header's hash of the dice record; None if it has none."""
    return header["texts"].get(DRAW)


def _place(part: PartRecord) -> int | None:
    try:
        return forms.read(part.text, forms.PartForm)["place"]
    except ValueError:
        return None


def _roll(item: EntryRecord, text: str, parts: Iterable[tuple[PartRecord | None, str]]) -> _CheckedRoll | None:
    seed = None if item.seed is None else bytes.fromhex(item.seed)
    try:
        of_all = forms.read(text, forms.DrawForm)
        read_ = [(record, forms.read(part, forms.PartForm)) for record, part in parts]
        steps = [_RollPart(record, part, forms.steps_of(part)) for record, part in read_]
        return _CheckedRoll(item, of_all, steps, read_outside(of_all), seed)
    except ValueError:
        return None


def _body(item: EntryRecord | Entry) -> _Body | None:
    text = item.body.text if isinstance(item.body, SaltedRecord) else item.body
    try:
        body = forms.read(text or "", forms.BodyForm)
        parts = [
            cast("forms.ReadPart", read_part({"key": part["key"], "steps": forms.body_steps(part)}))
            for part in body["parts"]
        ]
    except ValueError:
        return None
    unused = [part.get("unused", []) for part in body["parts"]]
    return _Body(parts, unused, body["situation"], body.get("amends"), body.get("outside"))


def _read_tables(text: str) -> Tables | None:
    try:
        return forms.read(text, forms.BookForm)["tables"]
    except ValueError:
        return None


def _body_faults(roll: _CheckedRoll, find: Callable[[int], EntryRecord | Entry | None]) -> Iterator[str]:
    if roll.item.body is None:
        return
    body = _body(roll.item)
    if body is None:
        yield "its body can't be read"
        return
    places = draws.draw_places(body.asked["salt"], len(body.asked["parts"]))
    asked = dict(zip(places, map(encode_canonical, body.asked["parts"]), strict=True))
    yield from _find_asked_faults(roll, body.asked["salt"], asked)
    there = {part.read["place"]: part for part in roll.parts}
    missing = sum(place not in there for place in places)
    if missing:
        yield f"the dice of {missing} of its parts aren't in the file"
    if any(place not in places for place in there):
        yield "it has dice for something that isn't one of its parts"
    if [part["key"] for part in body.parts] != [part.get("key") for part in body.asked["parts"]]:
        yield "its body has other parts than were asked for"
    amended = None if body.amends is None else find(body.amends)
    before = None if amended is None else _body(amended)
    for index, (place, said) in enumerate(zip(places, body.parts, strict=False)):
        if place in there:
            found = _part_body_faults(there[place], said, body.amends, before and before.count_faces(index))
            yield from (f"at place {place}, {fault}" for fault in found)
    if encode_canonical(body.outside) != encode_canonical(brief(roll.of_all).get(seeds.OUTSIDE)):
        yield "its body says something else about random.org"


def _find_asked_faults(roll: _CheckedRoll, salt: str, asked: Mapping[int, str]) -> Iterator[str]:
    if draws.hash_places(salt, asked) != roll.of_all["situation"]:
        yield "what was asked for isn't what its dice were drawn for"
        return
    named = {part.read["place"]: part.read["part"] for part in roll.parts if part.record is None}
    for place in named.keys() & asked.keys():  # of a file's parts, their own proofs show it
        if draws.hash_salted(draws.salt_at(salt, place), asked[place]) != named[place]:
            yield f"at place {place}, what was asked for isn't part of what its dice were drawn for"


def _part_body_faults(
    part: _RollPart, said: forms.ReadPart, amends: int | None, fallen: Counter[tuple[int, int]] | None
) -> Iterator[str]:
    if said != {"key": part.read["key"], "steps": part.steps}:  # both have exact types: no 1 is equal to true
        yield "its body says something else about the dice"
    if fallen is not None:
        kept = Counter(
            (sides, face) for sides, face, source in _list_dice(part.steps) if {*source.split(" and ")} <= {KEPT, DRAWN}
        )
        if kept - Counter(part.read["dice"]) - fallen:
            yield f"it keeps faces that entry {amends} doesn't have"


def _find_reading_faults(part: _RollPart, tables: Tables | None) -> Iterator[str]:
    if any(not forms.fits(dice) for step in part.steps for dice in step["dice"]):
        yield "a die was read in a way it can't fall"
    read_ = [*_list_dice(part.steps)]
    fresh = [(sides, fallen) for sides, fallen, source in read_ if source == DRAWN]
    drawn = part.read["dice"]
    if any(DRAWN in source and source != DRAWN for _, _, source in read_):  # some of the faces are kept ones
        mixed = Counter((sides, fallen) for sides, fallen, source in read_ if DRAWN in source)
        if Counter(drawn) - mixed:
            yield "dice that were drawn weren't read"
    elif fresh != drawn:
        yield "the dice that were read aren't those that were drawn"
    if tables is not None:
        yield from (fault for step in part.steps if "table" in step for fault in total_faults(step, tables))


def _list_dice(steps: Iterable[Step]) -> Iterator[tuple[int, int, str]]:
    for step in steps:
        for rolled in step["dice"]:
            yield from ((forms.term_of(rolled["die"])[1], fallen, rolled["drawn"]) for fallen in rolled["faces"])


def withholds(item: EntryRecord) -> bool:
    """Return whether an entry has dice that the file doesn't show."""
    header = forms.header_of(item)
    return item.draw is None and header is not None and find_draw_hash(header) is not None


Books = Mapping[str, str]


def entry_faults(entry: Entry, books: Books, before: Mapping[int, Entry]) -> Iterator[str]:
    """Yield what is wrong with an entry's dice. `before` has entries that it may amend, by number."""
    if entry.draw is None:
        yield from _record_faults(entry)
    elif draws.has_parts(entry.draw):
        roll = _roll_of_entry(entry)
        yield from (
            ["the record of its dice can't be read"] if roll is None else _roll_faults(entry, roll, books, before)
        )


def _record_faults(entry: Entry) -> Iterator[str]:
    if f'"{DRAWN}' not in entry.body or f'"{ASKED}"' not in entry.body:  # so that other bodies are not parsed
        return
    try:
        steps = [step for part in entry.content()["parts"] for step in part["steps"]]
        sources = [rolled["drawn"] for step in steps for rolled in step.get("dice", [step])]
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return  # the check of the state names it
    if any(DRAWN in str(source) for source in sources):
        yield "the record of its dice is missing"


def _roll_faults(entry: Entry, roll: _CheckedRoll, books: Books, before: Mapping[int, Entry]) -> Iterator[str]:
    if roll.of_all["book"] != entry.book:
        yield "its dice were drawn for another book"
    yield from _body_faults(roll, before.get)
    content = books.get(roll.of_all["book"])
    tables = None if content is None else _tables(content)
    for part in roll.parts:
        yield from (f"at place {part.read['place']}, {fault}" for fault in _find_reading_faults(part, tables))


def _roll_of_entry(entry: Entry) -> _CheckedRoll | None:
    try:
        drawn = draws.read_record(entry.draw or "")
    except ValueError:
        return None
    item = EntryRecord(entry.number, entry.hash, body=SaltedRecord(entry.salt, entry.body))
    return _roll(item, drawn.of_all, [(None, part.text) for part in drawn.parts])


_tables = lru_cache(maxsize=64)(_read_tables)
