"""Whether what a verification file has of random.org holds: the intent ahead of its roll, and the answer that is mixed in. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bot.core.canonical import canonical
from bot.core.drawn import DRAWN_FROM, OUTSIDE, digest
from bot.core.places import salted_hash
from bot.rolls.fairness.document import Document, EntryRecord
from bot.rolls.fairness.forms import (
    DrawForm,
    Header,
    IntentBodyForm,
    LackingForm,
    RandomForm,
    header_of,
    read,
    read_foreign,
)
from bot.rolls.fairness.outside import INTENT, LACKING, REPLACED, is_asked_for, is_signature, sentence, user_data

UNSIGNED = "random.org's signatures weren't checked: that takes its certificate."


class Named(NamedTuple):
    """The intent that the record of a roll names: its number, hash, header and body, and whether the body is that of the header."""

    number: int
    hash: str
    header: Header
    body: IntentBodyForm
    fits: bool


class Outside(NamedTuple):
    """What the record of a roll has of random.org, read: the intent, the answer with its signature, and why there is none."""

    intent: Named | None
    random: RandomForm | None
    signature: str
    lacking: LackingForm | None


def read_outside(draw: DrawForm) -> Outside | None:
    """Return what a record has of random.org; None where it was not asked.

    Raises:
        ValueError: something of it cannot be read.

    """
    if OUTSIDE not in draw:
        return None
    kept = draw["outside"]
    intent = kept.get("intent")
    named = None
    if intent is not None:
        header, body = read(intent["header"], Header), read(intent["body"], IntentBodyForm)
        fits = salted_hash(intent["salt"], intent["body"]) == header["body"]
        named = Named(intent["number"], digest(intent["header"]), header, body, fits)
    random = read_foreign(kept["random"], RandomForm) if "random" in kept else None
    return Outside(named, random, kept.get("signature", ""), kept.get("lacking"))


def outside_faults(document: Document, item: EntryRecord, draw: DrawForm, outside: Outside | None) -> Iterator[str]:
    """Yield what is wrong with what a roll's record has of random.org."""
    if outside is None:
        return
    lacking, random, named = outside.lacking, outside.random, outside.intent
    if lacking is None and random is None:
        yield "it has neither random.org's answer nor the reason why there is none"
    if lacking is not None and (random is not None or lacking["why"] not in LACKING):
        yield "the reason why random.org's answer is missing doesn't fit"
    if named is None:
        if random is not None:
            yield "it names no intent for random.org's answer"
        return
    yield from _intent_faults(document, item, named)
    differs = [*_other_roll(item, draw, named)]
    if lacking is None or lacking["why"] not in REPLACED:
        yield from differs
    elif not differs:
        yield "it says that its intent announced another roll, but it's this one"
    if random is not None:
        yield from _answer_faults(document, draw, named, random)
        if not is_signature(outside.signature):
            yield "random.org's signature doesn't look like one"


def unreadable_intents(document: Document) -> Iterator[str]:
    """Yield a fault for each intent in a file of which the body cannot be read."""
    for item in _intents(document):
        try:
            _announced(item)
        except ValueError:
            yield f"Entry {item.number}: its body can't be read."


def outside_told(document: Document, rolls: Sequence[Outside]) -> Iterator[str]:
    """Yield what was checked of random.org, and what came of its intents, in words; `rolls` are what it was asked for."""
    answers = [outside.random for outside in rolls if outside.random is not None]
    if answers:
        yield f"Rolls with random.org's answer mixed in: {len(answers)}. It was asked for when nothing of the roll could change any more."
        yield UNSIGNED
        yield from _gaps(answers)
    lacking = Counter(sentence(outside.lacking) for outside in rolls if outside.lacking is not None)
    for why, count in sorted(lacking.items()):
        yield f"{why}. Rolls drawn from the campaign's seed alone: {count}."
    named = {outside.intent.number for outside in rolls if outside.intent is not None}
    earlier = sum(outside.intent is not None and outside.intent.number < document.epoch.first - 1 for outside in rolls)
    if earlier:
        yield f"Rolls with their intent in an earlier dice set: {earlier}. Its file shows the intents."
    for number, entry in _unanswered(document, named):
        yield f"Entry {number} says that random.org is asked for entry {entry}, but no such roll followed. The roll was refused, the bot stopped, or someone didn't like the answer."


def _gaps(answers: Iterable[RandomForm]) -> Iterator[str]:
    """Yield how many answers random.org has given to a key that are in no roll of the file, between the first and the last that are."""
    serials: dict[str, set[int]] = {}
    for random in answers:
        serials.setdefault(random.get("hashedApiKey", ""), set()).add(random["serialNumber"])
    missing = sum(max(found) - min(found) + 1 - len(found) for found in serials.values())
    if missing:
        yield f"Answers by random.org that this file lacks, by their serial numbers: {missing}. They were for hidden or refused rolls, or for someone who asked again."


def _unanswered(document: Document, named: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the intents of which the roll should be in the file, and is not: their numbers, and those of the rolls."""
    hidden = {item.number for item in document.entries if item.header is None}
    last = document.entries[-1].number
    for item in _intents(document):
        entry = _announced(item)
        later = document.epoch.last is not None and entry > last
        if item.number not in named and entry not in hidden and not later:
            yield item.number, entry


def _intents(document: Document) -> Iterator[EntryRecord]:
    """Yield the intents of a file of which the body is in it."""
    for item in document.entries:
        header = header_of(item)
        if header is not None and item.body is not None and header["kind"] == INTENT:
            yield item


def _announced(item: EntryRecord) -> int:
    """Return the entry (number) that an intent announces."""
    return read("" if item.body is None else item.body.text, IntentBodyForm)["entry"]


def _intent_faults(document: Document, item: EntryRecord, named: Named) -> Iterator[str]:
    """Yield a fault where an intent does not stand in the ledger ahead of its roll, as its record has it."""
    hashes = {other.number: other.hash for other in document.entries} | {document.epoch.first - 1: document.after}
    said = {"campaign": document.campaign, "kind": INTENT, "number": named.number}
    if named.number >= item.number:
        yield f"its intent, entry {named.number}, doesn't come before it"
    elif hashes.get(named.number, named.hash) != named.hash:
        yield f"its intent isn't entry {named.number} of the ledger"
    if any(named.header[name] != value for name, value in said.items()):  # type: ignore[literal-required]
        yield f"what it names as its intent isn't entry {named.number} of the campaign"
    if not named.fits:
        yield "the body of its intent doesn't match the header"


def _other_roll(item: EntryRecord, draw: DrawForm, named: Named) -> Iterator[str]:
    """Yield a fault for each way in which a roll is not the one that its intent announced."""
    if named.body["entry"] != item.number:
        yield f"its intent is for entry {named.body['entry']}"
    if named.body["situation"] != draw["situation"]:
        yield "its intent is for another situation"
    if named.body["asked"] != digest(canonical({name: draw[name] for name in DRAWN_FROM})):  # type: ignore[literal-required]
        yield "its intent is for another roll"


def _answer_faults(document: Document, draw: DrawForm, named: Named, random: RandomForm) -> Iterator[str]:
    """Yield a fault where an answer is not to what the intent announced; the faces show whether it is the one mixed in."""
    if not is_asked_for(random):
        yield "random.org's answer doesn't have the numbers that were asked for"
    if canonical(random.get("userData")) != canonical(user_data(document.campaign, named.hash, draw)):
        yield "random.org's answer is for another roll"
