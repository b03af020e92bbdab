"""Outside randomness: what random.org is asked, what an answer has to be, and whether what a verification file has of both is true. Pure; `docs/fairness.md` has it in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from bot.core.draws import salted_hash
from bot.core.encoding import Json, encode_canonical
from bot.core.seeds import DRAWN_FROM, OUTSIDE, hash_text
from bot.rolls.fairness.document import EntryRecord, VerificationFile
from bot.rolls.fairness.forms import (
    DrawForm,
    HeaderForm,
    IntentBodyForm,
    LackingForm,
    RandomForm,
    header_of,
    read,
    read_foreign,
)

INTENT = "intent"
"""The kind of the entries that say, before random.org is asked, what for."""

METHOD = "generateSignedIntegers"
NUMBERS = {"n": 9, "min": 0, "max": 2**29 - 1}
"""What is asked for: 261 bits, in numbers within the range that random.org gives."""

TIMEOUT = 2.0
"""Seconds in which an answer has to be there, whole; what is left of a pause is waited for within them.

A roll may take longer than Discord's three seconds all the same, as its transactions wait for their turn: whatever takes
that long is acknowledged before it is answered (`bot.ui.reply.attend`, after `SLOW`), and the bot's loop is free meanwhile.
"""

_SIGNATURE = re.compile(r"[A-Za-z0-9+/]{1,4096}={0,2}")

LACKING = {
    "timeout": "random.org didn't answer within 2 s",
    "unreachable": "random.org couldn't be reached",
    "http": "random.org answered with HTTP {code}",
    "garbage": "random.org sent something that isn't an answer",
    "other": "random.org answered something other than asked",
    "error": "random.org answered with error {code}",
    "key": "random.org doesn't accept the campaign's key (error {code})",
    "quota": "the campaign's quota at random.org is used up",
    "delay": "random.org had asked for a pause",
    "locked": "the campaign's random.org key can't be decrypted",
    "several": "random.org is asked once for rolls made together",
    "changed": "what was asked had changed when random.org answered",
    "overtaken": "another entry came between when random.org was asked",
}
"""Why nothing of random.org's is mixed in, by the word that is kept."""

REPLACED = frozenset({"changed", "overtaken"})
"""Those with which a roll is not the one that random.org was asked for."""

Lacking = Mapping[str, Json]
"""Why nothing is mixed in: `why`, one of `LACKING`, and the `code` of an error, where there is one."""


class Intent(Struct, frozen=True):
    """An entry that says what random.org is asked for, as it was chained: its number, header, and body with its salt."""

    number: int
    header: str
    salt: str
    body: str

    @property
    def hash(self) -> str:
        """Its hash (hex)."""
        return hash_text(self.header)


class RandomAnswer(Struct, frozen=True):
    """What random.org answered, byte for byte: the random object (JSON) and its signature (base64)."""

    random: str
    signature: str


class Given(Struct, frozen=True):
    """What came of asking for a roll: the answer, or why there is none.

    Where an intent was chained, `description` is that of the roll which it announces, and `salt` that of what was asked.
    """

    answer: RandomAnswer | None = None
    lacking: Lacking | None = None
    intent: Intent | None = None
    description: Mapping[str, Json] | None = None
    salt: str = ""

    def record(self) -> dict[str, Json]:
        """Return what the record of a roll's dice has of it."""
        kept: dict[str, Json] = {}
        if self.intent is not None:
            intent = self.intent
            kept["intent"] = {
                "number": intent.number,
                "header": intent.header,
                "salt": intent.salt,
                "body": intent.body,
            }
        if self.answer is not None:
            return {**kept, "random": self.answer.random, "signature": self.answer.signature}
        return {**kept, "lacking": dict(self.lacking or {})}


def intent_body(description: Mapping[str, Json], *, private: bool = False) -> dict[str, Json]:
    """Return the body of the intent of a roll: its number, the hash of what is asked, and that of all that its faces hang on.

    That of a roll which is `private`, for its maker alone, has that `audience` too.
    """
    about = {"entry": description["entry"], "situation": description["situation"]}
    body = {**about, "asked": hash_text(encode_canonical(description)), "numbers": NUMBERS}
    return {**body, "audience": "person"} if private else body


def intent_audience(body: Mapping[str, Json]) -> str:
    """Return who is told of an intent by its body: the staff, but of a roll that is for its maker alone nobody else."""
    audience: str = body.get("audience", "staff")
    return audience


def user_data(campaign: str, intent: str, description: Mapping[str, object]) -> dict[str, object]:
    """Return what random.org signs along with its numbers; `campaign` is the UUID, `intent` the hash of the intent."""
    about = {"entry": description["entry"], "situation": description["situation"]}
    return {"campaign": campaign, "intent": intent, **about}


def is_asked_for(random: Mapping[str, Json]) -> bool:
    """Return whether a random object, of its form, has as many numbers as were asked for, drawn as they were asked for."""
    asked = {"method": METHOD, **NUMBERS, "replacement": True, "base": 10}
    data = random["data"]
    return (
        all(random[name] == value for name, value in asked.items())
        and len(data) == NUMBERS["n"]
        and all(NUMBERS["min"] <= item <= NUMBERS["max"] for item in data)
    )


def is_signature(text: str) -> bool:
    """Return whether a text has the form of a signature."""
    return _SIGNATURE.fullmatch(text) is not None


def describe_outside(outside: Mapping[str, Json]) -> str:
    """Return what is told with a roll, without a full stop, by what its body keeps of random.org."""
    lacking = outside.get("lacking")
    if lacking is None:
        return f"random.org's answer {outside['serial']} is mixed in"
    return f"{describe_lacking(lacking)}: drawn from the campaign's seed alone"


def describe_lacking(lacking: Lacking) -> str:
    """Return why nothing is mixed in, in words."""
    words = LACKING[lacking["why"]].format(code=lacking.get("code", ""))
    return words[0].upper() + words[1:] if not words.startswith("random.org") else words


UNSIGNED = "random.org's signatures weren't checked: that takes its certificate."


class NamedIntent(NamedTuple):
    """The intent that the record of a roll names: its number, hash, header and body, and whether the body is that of the header."""

    number: int
    hash: str
    header: HeaderForm
    body: IntentBodyForm
    fits: bool


class OutsideRecord(NamedTuple):
    """What the record of a roll has of random.org, read: the intent, the answer with its signature, and why there is none."""

    intent: NamedIntent | None
    random: RandomForm | None
    signature: str
    lacking: LackingForm | None


def read_outside(draw: DrawForm) -> OutsideRecord | None:
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
        header, body = read(intent["header"], HeaderForm), read(intent["body"], IntentBodyForm)
        fits = salted_hash(intent["salt"], intent["body"]) == header["body"]
        named = NamedIntent(intent["number"], hash_text(intent["header"]), header, body, fits)
    random = read_foreign(kept["random"], RandomForm) if "random" in kept else None
    return OutsideRecord(named, random, kept.get("signature", ""), kept.get("lacking"))


def outside_faults(
    document: VerificationFile, item: EntryRecord, draw: DrawForm, outside: OutsideRecord | None
) -> Iterator[str]:
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


def unreadable_intents(document: VerificationFile) -> Iterator[str]:
    """Yield a fault for each intent in a file of which the body cannot be read."""
    for item in _readable_intents(document):
        try:
            _announced_entry(item)
        except ValueError:
            yield f"Entry {item.number}: its body can't be read."


def describe_checks(document: VerificationFile, rolls: Sequence[OutsideRecord]) -> Iterator[str]:
    """Yield what was checked of random.org, and what came of its intents, in words; `rolls` are what it was asked for."""
    answers = [outside.random for outside in rolls if outside.random is not None]
    if answers:
        yield f"Rolls with random.org's answer mixed in: {len(answers)}. It was asked for when nothing of the roll could change any more."
        yield UNSIGNED
        yield from _gaps(answers)
    lacking = Counter(describe_lacking(outside.lacking) for outside in rolls if outside.lacking is not None)
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


def _unanswered(document: VerificationFile, named: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the intents of which the roll should be in the file, and is not: their numbers, and those of the rolls."""
    hidden = {item.number for item in document.entries if item.header is None}
    last = document.entries[-1].number
    for item in _readable_intents(document):
        entry = _announced_entry(item)
        later = document.epoch.last is not None and entry > last
        if item.number not in named and entry not in hidden and not later:
            yield item.number, entry


def _readable_intents(document: VerificationFile) -> Iterator[EntryRecord]:
    for item in document.entries:
        header = header_of(item)
        if header is not None and item.body is not None and header["kind"] == INTENT:
            yield item


def _announced_entry(item: EntryRecord) -> int:
    return read("" if item.body is None else item.body.text, IntentBodyForm)["entry"]


def _intent_faults(document: VerificationFile, item: EntryRecord, named: NamedIntent) -> Iterator[str]:
    """Yield a fault where an intent does not stand in the ledger ahead of its roll, as its record has it."""
    hashes = {other.number: other.hash for other in document.entries} | {document.epoch.first - 1: document.after}
    said = {"campaign": document.campaign, "kind": INTENT, "number": named.number}
    if named.number >= item.number:
        yield f"its intent, entry {named.number}, doesn't come before it"
    elif hashes.get(named.number, named.hash) != named.hash:
        yield f"its intent isn't entry {named.number} of the ledger"
    header: Mapping[str, object] = named.header
    if any(header[name] != value for name, value in said.items()):
        yield f"what it names as its intent isn't entry {named.number} of the campaign"
    if not named.fits:
        yield "the body of its intent doesn't match the header"


def _other_roll(item: EntryRecord, draw: DrawForm, named: NamedIntent) -> Iterator[str]:
    """Yield a fault for each way in which a roll is not the one that its intent announced."""
    if named.body["entry"] != item.number:
        yield f"its intent is for entry {named.body['entry']}"
    if named.body["situation"] != draw["situation"]:
        yield "its intent is for another situation"
    drawn: Mapping[str, object] = draw
    if named.body["asked"] != hash_text(encode_canonical({name: drawn[name] for name in DRAWN_FROM})):
        yield "its intent is for another roll"


def _answer_faults(document: VerificationFile, draw: DrawForm, named: NamedIntent, random: RandomForm) -> Iterator[str]:
    """Yield a fault where an answer is not to what the intent announced; the faces show whether it is the one mixed in."""
    if not is_asked_for(random):
        yield "random.org's answer doesn't have the numbers that were asked for"
    if encode_canonical(random.get("userData")) != encode_canonical(user_data(document.campaign, named.hash, draw)):
        yield "random.org's answer is for another roll"
