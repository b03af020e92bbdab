"""How entries are sealed, and whether a seal holds: salted hashes, pseudonyms, the chain. Without a database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from msgspec.json import Encoder

from bot.core import draws
from bot.core.places import salted_hash
from bot.core.records import DRAW, Entry, Link

TEXTS = 8
"""The header of a roll counts texts in so many: it is shown to people who may not know of each of them."""

_OTHER, _HASH = b"\x05", 32
_encode = Encoder(order="sorted").encode
_Hash = TypeVar("_Hash", str, str | None)


def among_others(salt: str, hashes: Mapping[str, _Hash]) -> dict[str, _Hash]:
    """Return the hashes (hex) of an entry's texts among others, so many in all that nobody can tell how many texts there are.

    Those follow from the salt (hex) of its body.

    Raises:
        ValueError: the salt is no hex.

    """
    size = max(1, -(-len(hashes) // TEXTS)) * TEXTS
    others = hashlib.shake_256(bytes.fromhex(salt) + _OTHER).hexdigest(_HASH * size)
    return {**{name: others[place] for name, place in _named(size)}, **hashes}


@lru_cache
def _named(texts: int) -> tuple[tuple[str, slice], ...]:
    """Return under which names a header has so many texts, and where the hash of each stands among all."""
    return tuple((f"t{at}", slice(2 * _HASH * at, 2 * _HASH * (at + 1))) for at in range(texts))


def pseudonym(salt: str, user_id: int) -> str:
    """Return the pseudonym of a person in one campaign's headers."""
    return salted_hash(salt, str(user_id))


def verify(link: Link, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield every fault in entries that follow upon a link, in number order; nothing when the chain is whole."""
    for entry in entries:
        for fault in _faults(entry, link):
            yield f"Entry {entry.number}: {fault}."
        link = Link(link.campaign, entry.number, entry.hash)


def unannounced(link: Link, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield a fault for each roll among entries that follow upon a link that names another intent than the ledger has there.

    What a roll names that lies farther back is not looked at. No value makes this raise.
    """
    hashes = {link.number: link.hash}
    for entry in entries:
        hashes[entry.number] = entry.hash
        intent = _intent(entry)
        if intent is not None and hashes.get(intent[0], intent[1]) != intent[1]:
            yield f"Entry {entry.number}: the intent that it names is not entry {intent[0]}."


def _intent(entry: Entry) -> tuple[int, str] | None:
    """Return the number and the hash of the intent that the record of an entry's dice names, where it can be read."""
    if entry.draw is None or '"intent":' not in entry.draw:  # so that other records are not parsed
        return None
    try:
        intent = json.loads(draws.read(entry.draw).of_all)["outside"]["intent"]
        return int(intent["number"]), hashlib.sha256(intent["header"].encode()).hexdigest()
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return None


def _faults(entry: Entry, link: Link) -> Iterator[str]:
    """Yield what is wrong with one entry; no value of its fields makes this raise."""
    if entry.number != link.number + 1:
        yield f"number {link.number + 1} was expected"
    sealed = entry.header.encode()
    if hashlib.sha256(sealed).hexdigest() != entry.hash:
        yield "the header does not match its hash"
    stored = {
        "campaign": link.campaign,
        "number": entry.number,
        "kind": entry.kind,
        "at": entry.at.isoformat(),
        "previous": link.hash,
        "actor": entry.actor,
        "book": entry.book,
        "body": _hash_or_none(entry.salt, entry.body),
    }
    texts = _text_hashes(entry)
    # To put the header together anew and find it the same takes a third of the time of parsing it.
    if _encode({**stored, "texts": texts, "version": 1}) != sealed:
        header = _header(entry)
        yield from (f"{name} does not match the header" for name, value in stored.items() if header.get(name) != value)
        yield from _text_faults(entry, texts, header.get("texts"))
    if entry.previous != link.hash:
        yield "it is not chained to the entry before"


def _text_faults(entry: Entry, texts: Mapping[str, str | None], hashes: object) -> Iterator[str]:
    if not isinstance(hashes, dict):
        yield "the header names no texts"
        return
    if set(hashes) != set(texts):
        yield "its texts are not those that the header names"
    erased = {name for name, item in entry.texts.items() if item.salt is None and item.text is None}
    for name in texts.keys() - erased:
        if texts[name] != hashes.get(name):
            yield f"text {name!r} does not match the header"


def _text_hashes(entry: Entry) -> dict[str, str | None]:
    """Return the hashes that the header has of texts and of the record of the dice; None of what cannot be hashed."""
    texts = {name: _hash_or_none(item.salt, item.text) for name, item in entry.texts.items()}
    if entry.draw is None:
        return texts
    try:
        drawn = None if entry.draw_salt is None else draws.hash_of(entry.draw_salt, entry.draw)
        return {**(among_others(entry.salt, texts) if draws.has_parts(entry.draw) else texts), DRAW: drawn}
    except ValueError:
        return {**texts, DRAW: None}


def _header(entry: Entry) -> dict[str, Any]:
    """Return the header, parsed; empty when what is stored is no JSON object."""
    try:
        header = json.loads(entry.header)
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def _hash_or_none(salt: str | None, text: str | None) -> str | None:
    """Return the salted hash; None where salt or text is missing, or the salt is no hex."""
    try:
        return None if salt is None or text is None else salted_hash(salt, text)
    except ValueError:
        return None
