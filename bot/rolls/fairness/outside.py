"""Outside randomness: what random.org is asked, and whether an answer fits. Pure. See `docs/fairness.md`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Required, TypedDict

from msgspec import Struct
from msgspec.structs import asdict

from bot.core import draws, seeds
from bot.core.records import Json, encode_canonical
from bot.rolls.fairness import forms
from bot.rolls.fairness.forms import EntryRecord, VerificationFile

INTENT = "intent"
"""The kind of entries that announce what random.org is asked for."""

METHOD = "generateSignedIntegers"
NUMBERS = {"n": 9, "min": 0, "max": 2**29 - 1}

TIMEOUT = 2.0
"""Seconds for a whole answer. A roll may take longer than Discord's three: it's acknowledged before."""

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

REPLACED = frozenset({"changed", "overtaken"})
"""Reasons for which a roll isn't the announced one."""

Lacking = Mapping[str, Json]
"""Why nothing is mixed in: `why`, one of `LACKING`, and an error's `code`."""


class Intent(Struct, frozen=True):
    """The entry that announces a roll: number, header, body and salt."""

    number: int
    header: str
    salt: str
    body: str

    @property
    def hash(self) -> str:
        """The entry's hash (hex), which is its header's."""
        return seeds.hash_text(self.header)


class RandomAnswer(Struct, frozen=True):
    """random.org's answer byte for byte: the random object (JSON) and its signature (base64)."""

    random: str
    signature: str


class OutsideAnswer(Struct, frozen=True):
    """random.org's answer, or why there is none. `description` and `salt` are the announced roll's."""

    answer: RandomAnswer | None = None
    lacking: Lacking | None = None
    intent: Intent | None = None
    description: Mapping[str, Json] | None = None
    salt: str = ""

    def record(self) -> dict[str, Json]:
        """Return what a roll's record keeps: intent, and answer or what is lacking."""
        kept: dict[str, Json] = {}
        if self.intent is not None:
            kept["intent"] = asdict(self.intent)
        if self.answer is not None:
            return {**kept, "random": self.answer.random, "signature": self.answer.signature}
        return {**kept, "lacking": dict(self.lacking or {})}


def intent_body(description: Mapping[str, Json], *, private: bool = False) -> dict[str, Json]:
    """Return an intent's body: the roll's number, and hashes of what was asked and drawn from."""
    about = {"entry": description["entry"], "situation": description["situation"]}
    body = {**about, "asked": seeds.hash_text(encode_canonical(description)), "numbers": NUMBERS}
    return {**body, "audience": "person"} if private else body


def intent_audience(body: Mapping[str, Json], _before: Sequence[str] = ()) -> str:
    """Return who knows an intent: the staff, or the maker of a private roll."""
    audience: str = body.get("audience", "staff")
    return audience


def user_data(campaign: str, intent: str, description: Mapping[str, object]) -> dict[str, object]:
    """Return what random.org signs along. `campaign` is the UUID, `intent` its hash."""
    about = {"entry": description["entry"], "situation": description["situation"]}
    return {"campaign": campaign, "intent": intent, **about}


def is_asked_for(random: Mapping[str, Json]) -> bool:
    """Return whether a random object has the numbers that were asked for."""
    asked = {"method": METHOD, **NUMBERS, "replacement": True, "base": 10}
    data = random["data"]
    return (
        all(random[name] == value for name, value in asked.items())
        and len(data) == NUMBERS["n"]
        and all(NUMBERS["min"] <= item <= NUMBERS["max"] for item in data)
    )


def is_signature(text: str) -> bool:
    """Return whether a text looks like a signature."""
    return _SIGNATURE.fullmatch(text) is not None


def describe_outside(outside: Mapping[str, Json]) -> str:
    """Return what a roll shows about random.org, without a full stop."""
    lacking = outside.get("lacking")
    if lacking is None:
        return f"random.org's answer {outside['serial']} is mixed in"
    return f"{describe_lacking(lacking)}: drawn from the campaign's seed alone"


def describe_lacking(lacking: Lacking) -> str:
    """Return in words why nothing is mixed in."""
    words = LACKING[lacking["why"]].format(code=lacking.get("code", ""))
    return words[0].upper() + words[1:] if not words.startswith("random.org") else words


UNSIGNED = "random.org's signatures weren't checked: that takes its certificate."


class IntentBodyForm(TypedDict):
    """An intent's body."""

    entry: int
    situation: str
    asked: str


class RandomForm(TypedDict, total=False):
    """The random object in random.org's answer."""

    method: Required[str]
    n: Required[int]
    min: Required[int]
    max: Required[int]
    replacement: Required[bool]
    base: Required[int]
    data: Required[list[int]]
    serialNumber: Required[int]
    userData: Json
    hashedApiKey: str


class _NamedIntent(NamedTuple):
    """The intent that a record names, and whether its body `fits` its header."""

    number: int
    hash: str
    header: forms.HeaderForm
    body: IntentBodyForm
    fits: bool


class OutsideRecord(NamedTuple):
    """A record's intent, answer, signature, and why the answer is missing."""

    intent: _NamedIntent | None
    random: RandomForm | None
    signature: str
    lacking: forms.LackingForm | None


def read_outside(draw: forms.DrawForm) -> OutsideRecord | None:
    """Return a record's part about random.org; None if it wasn't asked. ValueError if unreadable."""
    if seeds.OUTSIDE not in draw:
        return None
    kept = draw["outside"]
    intent = kept.get("intent")
    named = None
    if intent is not None:
        header, body = forms.read(intent["header"], forms.HeaderForm), forms.read(intent["body"], IntentBodyForm)
        fits = draws.hash_salted(intent["salt"], intent["body"]) == header["body"]
        named = _NamedIntent(intent["number"], seeds.hash_text(intent["header"]), header, body, fits)
    random = forms.read_foreign(kept["random"], RandomForm) if "random" in kept else None
    return OutsideRecord(named, random, kept.get("signature", ""), kept.get("lacking"))


def outside_faults(
    document: VerificationFile, item: EntryRecord, draw: forms.DrawForm, outside: OutsideRecord | None
) -> Iterator[str]:
    """Yield what is wrong about random.org in a roll's record."""
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
    """Yield a fault for each intent with an unreadable body."""
    for item in _readable_intents(document):
        try:
            _find_announced_entry(item)
        except ValueError:
            yield f"Entry {item.number}: its body can't be read."


def describe_checks(document: VerificationFile, rolls: Sequence[OutsideRecord]) -> Iterator[str]:
    """Yield what was checked of random.org. `rolls` are those it was asked for."""
    answers = [outside.random for outside in rolls if outside.random is not None]
    if answers:
        yield f"Rolls with random.org's answer mixed in: {len(answers)}. It was asked for when nothing of the roll could change any more."
        yield UNSIGNED
        yield from _describe_gaps(answers)
    lacking = Counter(describe_lacking(outside.lacking) for outside in rolls if outside.lacking is not None)
    for why, count in sorted(lacking.items()):
        yield f"{why}. Rolls drawn from the campaign's seed alone: {count}."
    named = {outside.intent.number for outside in rolls if outside.intent is not None}
    earlier = sum(outside.intent is not None and outside.intent.number < document.epoch.first - 1 for outside in rolls)
    if earlier:
        yield f"Rolls with their intent in an earlier dice set: {earlier}. Its file shows the intents."
    for number, entry in _list_unanswered(document, named):
        yield f"Entry {number} says that random.org is asked for entry {entry}, but no such roll followed. The roll was refused, the bot stopped, or someone didn't like the answer."


def _describe_gaps(answers: Iterable[RandomForm]) -> Iterator[str]:
    serials: dict[str, set[int]] = {}
    for random in answers:
        serials.setdefault(random.get("hashedApiKey", ""), set()).add(random["serialNumber"])
    missing = sum(max(found) - min(found) + 1 - len(found) for found in serials.values())
    if missing:
        yield f"Answers by random.org that this file lacks, by their serial numbers: {missing}. They were for hidden or refused rolls, or for someone who asked again."


def _list_unanswered(document: VerificationFile, named: set[int]) -> Iterator[tuple[int, int]]:
    hidden = {item.number for item in document.entries if item.header is None}
    last = document.entries[-1].number
    for item in _readable_intents(document):
        entry = _find_announced_entry(item)
        later = document.epoch.last is not None and entry > last
        if item.number not in named and entry not in hidden and not later:
            yield item.number, entry


def _readable_intents(document: VerificationFile) -> Iterator[EntryRecord]:
    for item in document.entries:
        header = forms.header_of(item)
        if header is not None and item.body is not None and header["kind"] == INTENT:
            yield item


def _find_announced_entry(item: EntryRecord) -> int:
    return forms.read("" if item.body is None else item.body.text, IntentBodyForm)["entry"]


def _intent_faults(document: VerificationFile, item: EntryRecord, named: _NamedIntent) -> Iterator[str]:
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


def _other_roll(item: EntryRecord, draw: forms.DrawForm, named: _NamedIntent) -> Iterator[str]:
    if named.body["entry"] != item.number:
        yield f"its intent is for entry {named.body['entry']}"
    if named.body["situation"] != draw["situation"]:
        yield "its intent is for another situation"
    drawn: Mapping[str, object] = draw
    if named.body["asked"] != seeds.hash_text(encode_canonical({name: drawn[name] for name in seeds.DRAWN_FROM})):
        yield "its intent is for another roll"


def _answer_faults(
    document: VerificationFile, draw: forms.DrawForm, named: _NamedIntent, random: RandomForm
) -> Iterator[str]:
    if not is_asked_for(random):
        yield "random.org's answer doesn't have the numbers that were asked for"
    if encode_canonical(random.get("userData")) != encode_canonical(user_data(document.campaign, named.hash, draw)):
        yield "random.org's answer is for another roll"
