"""Whether what a verification file has of random.org holds: the intent ahead of its roll, and the answer that is mixed in. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bot.core.canonical import canonical
from bot.core.drawn import OUTSIDE, digest
from bot.core.places import salted_hash
from bot.rolls.fairness.document import Document, EntryRecord
from bot.rolls.fairness.outside import INTENT, LACKING, REPLACED, is_asked_for, is_signature, sentence, user_data

UNSIGNED = "Whether random.org has signed its answers was not checked: that takes its certificate."
Read = Mapping[str, Any]
Rolls = Sequence[tuple[EntryRecord, Read]]
"""Entries with the records of their dice."""


class _Named(NamedTuple):
    """The intent that the record of a roll names: its number, hash, header and body, and whether the body is that of the header."""

    number: int
    hash: str
    header: Read
    body: Read
    fits: bool


def outside_faults(document: Document, item: EntryRecord, draw: Read, hangs_on: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with what a roll's record has of random.org; `hangs_on` names what its faces hang on besides."""
    if OUTSIDE not in draw:
        return
    outside = draw[OUTSIDE]
    lacking = outside.get("lacking")
    if lacking is None and "random" not in outside:
        yield "it has neither an answer of random.org's nor why there is none"
    if lacking is not None and ("random" in outside or lacking["why"] not in LACKING):
        yield "why nothing of random.org's is mixed in does not fit"
    if "intent" not in outside:
        if "random" in outside:
            yield "it names no intent for what random.org answered"
        return
    named = _named(outside["intent"])
    yield from _intent_faults(document, item, named)
    differs = [*_other_roll(item, draw, named, hangs_on)]
    if lacking is None or lacking["why"] not in REPLACED:
        yield from differs
    elif not differs:
        yield "it says that its roll is another than its intent announced, and it is that one"
    if "random" in outside:
        yield from _answer_faults(document, draw, outside, named)


def intent_of(draw: Read) -> int | None:
    """Return the number of the intent that the record of a roll names; None where it names none."""
    intent = draw.get(OUTSIDE, {}).get("intent")
    return None if intent is None else int(intent["number"])


def outside_told(document: Document, rolls: Rolls) -> Iterator[str]:
    """Yield what was checked of random.org, and what came of its intents, in words."""
    kept = [draw[OUTSIDE] for _, draw in rolls if OUTSIDE in draw]
    answered = sum("random" in outside for outside in kept)
    if answered:
        yield f"Into {answered} rolls an answer of random.org's is mixed that was asked for once nothing of them could change."
        yield UNSIGNED
        yield from _gaps(outside["random"] for outside in kept if "random" in outside)
    lacking = Counter(sentence(outside["lacking"]) for outside in kept if "lacking" in outside)
    for why, count in sorted(lacking.items()):
        yield f"{why}: {count} rolls are drawn from the campaign's own seed alone."
    earlier = sum(number < document.epoch.first - 1 for _, draw in rolls if (number := intent_of(draw)) is not None)
    if earlier:
        yield f"The intents of {earlier} rolls are of an earlier epoch: its file shows that they stand there."
    for number, entry in _unanswered(document, rolls):
        yield f"Entry {number} says that random.org is asked for entry {entry}, and no such roll followed: the roll was refused or the bot stopped, or somebody did not like the answer."


def _gaps(answers: Iterable[str]) -> Iterator[str]:
    """Yield how many answers random.org has given to a key that are in no roll of the file, between the first and the last that are."""
    serials: dict[str, set[int]] = {}
    for random in map(json.loads, answers):
        serials.setdefault(str(random.get("hashedApiKey")), set()).add(random["serialNumber"])
    missing = sum(max(found) - min(found) + 1 - len(found) for found in serials.values())
    if missing:
        yield f"By their serial numbers random.org gave {missing} more answers meanwhile, which are in no roll of this file: to rolls that you may not know or that were refused, or to somebody who asked again."


def _unanswered(document: Document, rolls: Rolls) -> Iterator[tuple[int, int]]:
    """Yield the intents of which the roll should be in the file, and is not: their numbers, and those of the rolls."""
    named = {intent_of(draw) for _, draw in rolls}
    hidden = {item.number for item in document.entries if item.header is None}
    last = document.entries[-1].number
    for item in document.entries:
        if item.header is None or item.body is None or json.loads(item.header).get("kind") != INTENT:
            continue
        entry = json.loads(item.body.text)["entry"]
        later = document.epoch.last is not None and entry > last
        if item.number not in named and entry not in hidden and not later:
            yield item.number, entry


def _named(intent: Read) -> _Named:
    header, body = json.loads(intent["header"]), json.loads(intent["body"])
    fits = salted_hash(intent["salt"], intent["body"]) == header["body"]
    return _Named(intent["number"], digest(intent["header"]), header, body, fits)


def _intent_faults(document: Document, item: EntryRecord, named: _Named) -> Iterator[str]:
    """Yield a fault where an intent does not stand in the ledger ahead of its roll, as its record has it."""
    hashes = {other.number: other.hash for other in document.entries} | {document.epoch.first - 1: document.after}
    said = {"campaign": document.campaign, "kind": INTENT, "number": named.number}
    if named.number >= item.number:
        yield f"its intent, entry {named.number}, does not come before it"
    elif hashes.get(named.number, named.hash) != named.hash:
        yield f"its intent is not entry {named.number} of the ledger"
    if any(named.header.get(name) != value for name, value in said.items()):
        yield f"what it names as its intent is not entry {named.number} of the campaign"
    if not named.fits:
        yield "the body of its intent does not match the header"


def _other_roll(item: EntryRecord, draw: Read, named: _Named, hangs_on: Iterable[str]) -> Iterator[str]:
    """Yield a fault for each way in which a roll is not the one that its intent announced."""
    if named.body["entry"] != item.number:
        yield f"its intent is for entry {named.body['entry']}"
    if named.body["situation"] != draw["situation"]:
        yield "its intent is for another situation"
    if named.body["asked"] != digest(canonical({name: draw[name] for name in hangs_on})):
        yield "its intent is for another roll"


def _answer_faults(document: Document, draw: Read, outside: Read, named: _Named) -> Iterator[str]:
    """Yield a fault where an answer is not to what the intent announced; the faces show whether it is the one mixed in."""
    random = json.loads(outside["random"])
    if not is_asked_for(random):
        yield "random.org's answer has not the numbers that were asked for"
    if random["userData"] != user_data(document.campaign, named.hash, draw):
        yield "random.org's answer is for another roll"
    if not is_signature(outside["signature"]):
        yield "random.org's signature has not the form of one"
