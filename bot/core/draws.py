"""The record of an entry's dice: what all its parts hang on, and a record of each part, under one hash of which each can be shown alone. Pure.

It is stored as lines of canonical JSON: the first is what all parts hang on, the others are the parts, each behind its place and who may know it.
A record of one line is of the form before there were parts: it is hashed as it is, and nobody is shown it or draws its dice again.

Whoever is shown some parts must not learn how many there are, as a private part would give itself away. So parts stand at places
drawn by lot among many, and the hash is the root of a Merkle tree over all places. A part stands in the tree as a hash of its
salted hash, so that the proofs of its neighbours do not have the salted hash itself, at which one could guess. Where there is no
part, or none in a whole branch, stands a hash of the secret, which looks alike. Salts follow from the secret too, and tell nothing
of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import count as numbers
from typing import NamedTuple

DEPTH = 6
PLACES: int = 2**DEPTH
"""How many places there are, and so how many texts at most."""

SALT_BYTES = 16
_LEAF, _PAIR, _EMPTY, _SALT, _LOT = b"\x00", b"\x01", b"\x02", b"\x03", b"\x04"
_SALTS = [_SALT + bytes((place,)) for place in range(PLACES + 1)]
_EMPTIES = [[_EMPTY + bytes((height, place)) for place in range(PLACES)] for height in range(DEPTH + 1)]
_WAYS = [[(place >> at & 1, _EMPTIES[at][(place >> at) ^ 1]) for at in range(DEPTH)] for place in range(PLACES)]
"""The way from a place to the root: on which side it comes to each node, and of what the empty other side is hashed."""


def salted_hash(salt: str, text: str) -> str:
    """Return the SHA-256 over the salt's bytes and the text, as lower-case hex."""
    return sha256(bytes.fromhex(salt) + text.encode()).hexdigest()


def draw_places(secret: str, texts: int) -> list[int]:
    """Return the places of so many texts, by lot: they follow from the secret (hex)."""
    if texts > PLACES:
        raise ValueError(f"there are {PLACES} places, and {texts} texts")
    drawn: dict[int, None] = {}
    lots = _draw_lots(bytes.fromhex(secret))
    while len(drawn) < texts:
        drawn[next(lots)] = None
    return list(drawn)


def salt_at(secret: str, place: int) -> str:
    """Return the salt (hex) of the text at a place; one place beyond all has a salt too."""
    return _derive_salt(bytes.fromhex(secret), place).hex()


class PlacedTexts:
    """Texts by their places, under a secret (hex) of 16 bytes that is used for nothing else."""

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
        """Return the salted hash (hex) of the text at a place."""
        return self._hashes[place].hex()

    def proof(self, place: int) -> tuple[str, ...]:
        """Return the hashes (hex) beside the way from a place to the root, the lowest first."""
        return tuple(self._at(height, (place >> height) ^ 1).hex() for height in range(DEPTH))

    def _at(self, height: int, place: int) -> bytes:
        return self._levels[height].get(place) or _hash_empty(self._key, height, place)


def hash_places(secret: str, texts: Mapping[int, str]) -> str:
    """Return the hash (hex) over all places, as `PlacedTexts` gives it, of one text alone in two thirds of the time."""
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
    """Return the root (hex) to which the salted hash (hex) of the text at a place and its proof lead; None where there is no such place or the proof has another length."""
    if not 0 <= place < PLACES or len(proof) != DEPTH:
        return None
    found = _hash_leaf(bytes.fromhex(value)).hex()
    for height, beside in enumerate(proof):
        found = hash_pair(beside, found) if place >> height & 1 else hash_pair(found, beside)
    return found


def hash_pair(left: str, right: str) -> str:
    """Return the hash (hex) over two hashes (hex)."""
    return sha256(_PAIR + bytes.fromhex(left) + bytes.fromhex(right)).hexdigest()


def _hash_salted(salt: bytes, text: str) -> bytes:
    return sha256(salt + text.encode()).digest()


def _derive_salt(key: bytes, place: int) -> bytes:
    return sha256(key + _SALTS[place]).digest()[:SALT_BYTES]


def _hash_empty(key: bytes, height: int, place: int) -> bytes:
    return sha256(key + _EMPTIES[height][place]).digest()


def _build_level(key: bytes, height: int, level: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return the nodes above those of a level, of which each is beside another or beside nothing."""
    above: dict[int, bytes] = {}
    for place, value in level.items():
        if place >> 1 not in above:
            beside = level.get(place ^ 1) or _hash_empty(key, height, place ^ 1)
            above[place >> 1] = sha256(_PAIR + (beside + value if place & 1 else value + beside)).digest()
    return above


def _hash_leaf(value: bytes) -> bytes:
    return sha256(_LEAF + value).digest()


def _draw_lots(key: bytes) -> Iterator[int]:
    """Yield places for ever, each as likely as any other."""
    for block in numbers():
        yield from (byte % PLACES for byte in sha256(key + _LOT + block.to_bytes(4)).digest())


STAFF_ALONE = "secret"
"""Who may know the record of a part in which something secret counted, whoever is told its outcome."""


_RECORDS_KEPT = 512
"""How many records are kept as they were read: whoever proves a run of entries hashes all of them, and then looks at all dice."""


class PartLine(NamedTuple):
    """The record of a part (canonical JSON): at which place, and who may know it: an audience, or `STAFF_ALONE`."""

    place: int
    who: str
    text: str


class EntryDice(NamedTuple):
    """The record of an entry's dice: what all parts hang on (canonical JSON), and the parts in the order of their places."""

    of_all: str
    parts: tuple[PartLine, ...]

    def placed(self, secret: str) -> PlacedTexts:
        """Return the records of the parts at their places."""
        return PlacedTexts(secret, self._texts)

    @property
    def _texts(self) -> dict[int, str]:
        return {part.place: part.text for part in self.parts}

    def hash_of(self, secret: str) -> str:
        """Return the hash (hex) of the record as a header has it; `secret` (hex) gives the salts and what stands at empty places.

        Raises:
            ValueError: the secret is no hex.

        """
        if not self.parts:
            return salted_hash(secret, self.of_all)
        return hash_pair(salted_hash(salt_of_all(secret), self.of_all), hash_places(secret, self._texts))


def format_record(of_all: str, parts: Iterable[PartLine]) -> str:
    """Return the text under which a record is stored."""
    return "\n".join([of_all, *(f"{part.place} {part.who} {part.text}" for part in sorted(parts))])


@lru_cache(maxsize=_RECORDS_KEPT)
def read_record(text: str) -> EntryDice:
    """Return the record in a text.

    Raises:
        ValueError: it is none.

    """
    of_all, *lines = text.split("\n")
    parts = tuple([_read_part(line) for line in lines])
    if len(parts) > 1 and len({part.place for part in parts}) != len(parts):
        raise ValueError("two parts have the same place")
    return EntryDice(of_all, parts)


def hash_record(secret: str, text: str) -> str:
    """Return the hash (hex) of the record in a text, as `EntryDice.hash_of` gives it.

    Raises:
        ValueError: the text is no record, or the secret no hex.

    """
    return read_record(text).hash_of(secret)


def salt_of_all(secret: str) -> str:
    """Return the salt (hex) of what all parts hang on."""
    return salt_at(secret, PLACES)


def has_parts(text: str | None) -> bool:
    """Return whether a text, if any, is a record whose parts can be shown."""
    return text is not None and "\n" in text


def may_know_part(audience: str, who: str) -> bool:
    """Return whether those to whom an entry of this audience is open may know the record of a part."""
    return who != STAFF_ALONE and (audience != "mixed" or who == "results")


def are_known_to(text: str, salt: str, due: Sequence[str]) -> bool:
    """Return whether the parts in a record may be known to those to whom they are due, in the order in which they were asked for; `salt` (hex) gives their places.

    Raises:
        ValueError: the text is no record, there are too many parts, or the salt is no hex.

    """
    parts = read_record(text).parts
    if len(parts) != len(due):
        return False
    if len({*due}) == 1:  # most rolls: to draw the lots takes longer than all the rest
        return all(part.who == due[0] for part in parts)
    return {part.place: part.who for part in parts} == dict(zip(draw_places(salt, len(due)), due, strict=True))


def has_open_part(audience: str, text: str | None) -> bool:
    """Return whether everybody may know the record of some part of an entry, and so its seed; of one without dice there is no more to know."""
    if text is None:
        return audience == "results"
    return audience in {"results", "mixed"} and any(
        may_know_part(audience, part.who) for part in read_record(text).parts
    )


def _read_part(line: str) -> PartLine:
    named, who, text = line.split(" ", 2)
    place = int(named)
    if not 0 <= place < PLACES:
        raise ValueError(f"the place {named} doesn't exist")
    return PartLine(place, who, text)
