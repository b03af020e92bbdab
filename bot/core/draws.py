"""Dice drawn from an entry's seed, and their record, of which each part can be shown separately. Pure.

A record is lines of canonical JSON: what all parts depend on, then each part with its place and who may know it. A record of one line
is older than parts: it's hashed as it is, and its dice are never shown.

Readers of some parts must not learn how many there are. So parts get places by lot among many, and the record's hash is the Merkle root
over all places. Leaves are hashed again, so that proofs reveal no hash to guess from. Empty places look the same.
"""

import base64
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import count as numbers
from typing import NamedTuple

from msgspec import Struct

from bot.core.records import Json, encode_canonical
from rules.dice import DiceTerm, Roll

SEED_DEPTH = 8
"""Levels of the tree from an epoch's secret to its seeds."""

BRANCHES = (b"adjutant seed 0", b"adjutant seed 1")
_WORD = 4
_WORDS = 2 ** (8 * _WORD)
_BLOCK = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


def derive_seed(secret: bytes, slot: int) -> bytes:
    """Return a slot's seed (32 bytes), from 0."""
    for level in reversed(range(SEED_DEPTH)):
        secret = _hmac(secret, BRANCHES[slot >> level & 1])
    return secret


def draw_face(seed: bytes, description: Mapping[str, Json], die: int, sides: int) -> int:
    """Return a die's face, from 1.

    HMAC-SHA256 of description and die gives eight 32-bit words. The first below the greatest multiple of `sides` counts, so all faces
    are equally likely; if none is, the next attempt gives eight more.
    """
    if not 1 <= sides <= _WORDS:
        raise ValueError(f"a die can't have {sides} sides")
    bound = _WORDS // sides * sides
    attempt = 0
    while True:
        text = encode_canonical({**description, "attempt": attempt, "die": die})
        block = _hmac(seed, text.encode())
        for place in range(0, len(block), _WORD):
            word = int.from_bytes(block[place : place + _WORD], "big")
            if word < bound:
                return word % sides + 1
        attempt += 1


def _hmac(key: bytes, data: bytes) -> bytes:
    # HMAC-SHA256 (RFC 2104), twice as fast as `hmac.digest`.
    inner, outer = make_pads(key)
    return sha256(outer + sha256(inner + data).digest()).digest()


def make_pads(key: bytes) -> tuple[bytes, bytes]:
    """Return what HMAC hashes before the data, and before the inner hash."""
    block = (key if len(key) <= _BLOCK else sha256(key).digest()).ljust(_BLOCK, b"\0")
    return block.translate(_INNER), block.translate(_OUTER)


DEPTH = 6
PLACES: int = 2**DEPTH
SALT_BYTES = 16
_LEAF, _PAIR, _EMPTY, _SALT, _LOT = b"\x00", b"\x01", b"\x02", b"\x03", b"\x04"
_SALTS = [_SALT + bytes((place,)) for place in range(PLACES + 1)]
_EMPTIES = [[_EMPTY + bytes((height, place)) for place in range(PLACES)] for height in range(DEPTH + 1)]
_WAYS = [[(place >> at & 1, _EMPTIES[at][(place >> at) ^ 1]) for at in range(DEPTH)] for place in range(PLACES)]
"""From each place to the root: the side at each node, and what an empty other side hashes."""


def hash_salted(salt: str, text: str) -> str:
    """Return SHA-256 (hex) of salt and text."""
    return sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def draw_places(secret: str, texts: int) -> list[int]:
    """Return places by lot for this many texts."""
    if texts > PLACES:
        raise ValueError(f"there are {PLACES} places, and {texts} texts")
    drawn: dict[int, None] = {}
    lots = _draw_lots(bytes.fromhex(secret))
    while len(drawn) < texts:
        drawn[next(lots)] = None
    return list(drawn)


def salt_at(secret: str, place: int) -> str:
    """Return the salt (hex) of a place; place `PLACES` is the salt of the shared line."""
    return _derive_salt(bytes.fromhex(secret), place).hex()


class PlacedTexts:
    """Texts by place, under a separate secret (16 bytes, hex)."""

    def __init__(self, secret: str, texts: Mapping[int, str]) -> None:
        self._key = bytes.fromhex(secret)
        self._hashes = {place: _hash_salted(_derive_salt(self._key, place), text) for place, text in texts.items()}
        self._levels = [{place: _hash_leaf(value) for place, value in self._hashes.items()}]
        for height in range(DEPTH):
            self._levels.append(_build_level(self._key, height, self._levels[-1]))

    @property
    def root(self) -> str:
        """The hash (hex) over all places."""
        return self._at(DEPTH, 0).hex()

    def hash_at(self, place: int) -> str:
        """Return the salted hash (hex) at a place."""
        return self._hashes[place].hex()

    def proof(self, place: int) -> tuple[str, ...]:
        """Return sibling hashes (hex) up to the root."""
        return tuple(self._at(height, (place >> height) ^ 1).hex() for height in range(DEPTH))

    def _at(self, height: int, place: int) -> bytes:
        return self._levels[height].get(place) or _hash_empty(self._key, height, place)


def hash_places(secret: str, texts: Mapping[int, str]) -> str:
    """Return the root (hex), faster for a single text."""
    if len(texts) != 1:
        return PlacedTexts(secret, texts).root
    ((place, text),) = texts.items()
    key = bytes.fromhex(secret)
    value = _hash_leaf(_hash_salted(_derive_salt(key, place), text))
    for right, empty in _WAYS[place]:
        beside = sha256(key + empty).digest()
        value = sha256(_PAIR + (beside + value if right else value + beside)).digest()
    return value.hex()


def follow_proof(value: str, place: int, proof: Sequence[str]) -> str | None:
    """Return the root (hex) of a salted hash; None if the proof can't fit."""
    if not 0 <= place < PLACES or len(proof) != DEPTH:
        return None
    found = _hash_leaf(bytes.fromhex(value)).hex()
    for height, beside in enumerate(proof):
        found = hash_pair(beside, found) if place >> height & 1 else hash_pair(found, beside)
    return found


def hash_pair(left: str, right: str) -> str:
    """Return the hash (hex) of two hashes (hex)."""
    return sha256(_PAIR + bytes.fromhex(left) + bytes.fromhex(right)).hexdigest()


def _hash_salted(salt: bytes, text: str) -> bytes:
    return sha256(salt + text.encode()).digest()


def _derive_salt(key: bytes, place: int) -> bytes:
    return sha256(key + _SALTS[place]).digest()[:SALT_BYTES]


def _hash_empty(key: bytes, height: int, place: int) -> bytes:
    return sha256(key + _EMPTIES[height][place]).digest()


def _build_level(key: bytes, height: int, level: Mapping[int, bytes]) -> dict[int, bytes]:
    above: dict[int, bytes] = {}
    for place, value in level.items():
        if place >> 1 not in above:
            beside = level.get(place ^ 1) or _hash_empty(key, height, place ^ 1)
            above[place >> 1] = sha256(_PAIR + (beside + value if place & 1 else value + beside)).digest()
    return above


def _hash_leaf(value: bytes) -> bytes:
    return sha256(_LEAF + value).digest()


def _draw_lots(key: bytes) -> Iterator[int]:
    for block in numbers():
        yield from (byte % PLACES for byte in sha256(key + _LOT + block.to_bytes(4)).digest())


STAFF_ALONE = "secret"
"""The audience of a part in which something secret counted; others may see its result."""

_RECORDS_KEPT = 512
"""Parsed records in the cache: a proof of a run hashes all, then checks all dice."""


class PartLine(NamedTuple):
    """A part's place, audience or `STAFF_ALONE`, and record."""

    place: int
    who: str
    text: str


class EntryDice(NamedTuple):
    """What all parts depend on (canonical JSON), and the parts."""

    of_all: str
    parts: tuple[PartLine, ...]

    def place_texts(self, secret: str) -> PlacedTexts:
        """Return the parts' records at their places."""
        return PlacedTexts(secret, self.texts())

    def texts(self) -> dict[int, str]:
        """Return the parts' records by place."""
        return {part.place: part.text for part in self.parts}


def format_record(of_all: str, parts: Iterable[PartLine]) -> str:
    """Return a record as stored text."""
    return "\n".join([of_all, *(f"{part.place} {part.who} {part.text}" for part in sorted(parts))])


@lru_cache(maxsize=_RECORDS_KEPT)
def read_record(text: str) -> EntryDice:
    """Return the record in a text, or raise ValueError."""
    of_all, *lines = text.split("\n")
    parts = tuple([_read_part(line) for line in lines])
    if len(parts) > 1 and len({part.place for part in parts}) != len(parts):
        raise ValueError("two parts have the same place")
    return EntryDice(of_all, parts)


def hash_record(secret: str, text: str) -> str:
    """Return a record's hash (hex), or raise ValueError."""
    record = read_record(text)
    if not record.parts:
        return hash_salted(secret, record.of_all)
    return hash_pair(hash_salted(salt_of_all(secret), record.of_all), hash_places(secret, record.texts()))


def salt_of_all(secret: str) -> str:
    """Return the salt (hex) of the shared line."""
    return salt_at(secret, PLACES)


def has_parts(text: str | None) -> bool:
    """Return whether a record has parts that can be shown; older records and None have none."""
    return text is not None and "\n" in text


def may_know_part(audience: str, who: str) -> bool:
    """Return whether an audience may know a part's record."""
    return who != STAFF_ALONE and (audience != "mixed" or who == "results")


def are_known_to(text: str, salt: str, due: Sequence[str]) -> bool:
    """Return whether parts have their due readers, or raise ValueError; `salt` (hex) gives the places."""
    parts = read_record(text).parts
    if len(parts) != len(due):
        return False
    if len({*due}) == 1:  # most rolls: to draw the lots takes longer than all the rest
        return all(part.who == due[0] for part in parts)
    return {part.place: part.who for part in parts} == dict(zip(draw_places(salt, len(due)), due, strict=True))


def has_open_part(audience: str, text: str | None) -> bool:
    """Return whether the seed is public: by some part, or, without dice, by the audience."""
    if text is None or audience not in {"results", "mixed"}:
        return audience == "results"
    return any(may_know_part(audience, part.who) for part in read_record(text).parts)


def _read_part(line: str) -> PartLine:
    named, who, text = line.split(" ", 2)
    place = int(named)
    if not 0 <= place < PLACES:
        raise ValueError(f"the place {named} doesn't exist")
    return PartLine(place, who, text)


_NONCE_BYTES = 12
_FORM = "1:"


class Vault(Struct, frozen=True):
    """Encrypts and decrypts with the host's key, never shown."""

    key: bytes

    def __repr__(self) -> str:
        """Return the class name, without the key."""
        return "Vault()"

    def seal(self, text: str, owner: str) -> str:
        """Return a text encrypted for its owner (campaign UUID)."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - only campaigns with secrets need it

        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + AESGCM(self.key).encrypt(nonce, text.encode(), owner.encode())
        return _FORM + base64.b64encode(sealed).decode()

    def open(self, sealed: str, owner: str) -> str | None:
        """Return a text decrypted for its owner; None if it was sealed for another or damaged."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - as above
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - as above

        try:
            data = base64.b64decode(sealed.removeprefix(_FORM), validate=True)
            return AESGCM(self.key).decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], owner.encode()).decode()
        except (InvalidTag, ValueError):
            return None


class SystemDice:
    """Dice from `secrets.randbelow`, without modulo bias."""

    def roll(self, term: DiceTerm) -> Roll:
        """Draw one face per die."""
        faces = tuple([secrets.randbelow(term.sides) + 1 for _ in range(term.count)])
        return Roll(term, faces, "system")
