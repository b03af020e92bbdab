"""Texts at places drawn by lot among many, hashed as one: whoever is shown some of them cannot tell whether there are more. Pure.

The hash is the root of a Merkle tree over all places. A text stands in it as a hash of its salted hash, so that proofs of its
neighbours do not have the salted hash itself; where there is none, or none in a whole branch, stands a hash of the secret, which
looks alike. Salts follow from the secret too, and tell nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import count as numbers

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


def places(secret: str, texts: int) -> list[int]:
    """Return the places of so many texts, by lot: they follow from the secret (hex)."""
    if texts > PLACES:
        raise ValueError(f"there are {PLACES} places, and {texts} texts")
    drawn: dict[int, None] = {}
    lots = _lots(bytes.fromhex(secret))
    while len(drawn) < texts:
        drawn[next(lots)] = None
    return list(drawn)


def salt_at(secret: str, place: int) -> str:
    """Return the salt (hex) of the text at a place; one place beyond all has a salt too."""
    return _salt(bytes.fromhex(secret), place).hex()


class Placed:
    """Texts by their places, under a secret (hex) of 16 bytes that is used for nothing else."""

    def __init__(self, secret: str, texts: Mapping[int, str]) -> None:
        self._key = bytes.fromhex(secret)
        self._hashes = {place: _salted(_salt(self._key, place), text) for place, text in texts.items()}
        self._levels = [{place: _leaf(value) for place, value in self._hashes.items()}]
        for height in range(DEPTH):
            self._levels.append(_above(self._key, height, self._levels[-1]))

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
        return self._levels[height].get(place) or _empty(self._key, height, place)


def root(secret: str, texts: Mapping[int, str]) -> str:
    """Return the hash (hex) over all places, as `Placed` gives it, of one text alone in two thirds of the time."""
    if len(texts) != 1:
        return Placed(secret, texts).root
    ((place, text),) = texts.items()
    key = bytes.fromhex(secret)
    value = _leaf(_salted(_salt(key, place), text))
    for right, empty in _WAYS[place]:
        beside = sha256(key + empty).digest()
        value = sha256(_PAIR + (beside + value if right else value + beside)).digest()
    return value.hex()


def proved(value: str, place: int, proof: Sequence[str]) -> str | None:
    """Return the root (hex) to which the salted hash (hex) of the text at a place and its proof lead; None where there is no such place or the proof has another length."""
    if not 0 <= place < PLACES or len(proof) != DEPTH:
        return None
    found = _leaf(bytes.fromhex(value)).hex()
    for height, beside in enumerate(proof):
        found = both(beside, found) if place >> height & 1 else both(found, beside)
    return found


def both(left: str, right: str) -> str:
    """Return the hash (hex) over two hashes (hex)."""
    return sha256(_PAIR + bytes.fromhex(left) + bytes.fromhex(right)).hexdigest()


def _salted(salt: bytes, text: str) -> bytes:
    return sha256(salt + text.encode()).digest()


def _salt(key: bytes, place: int) -> bytes:
    return sha256(key + _SALTS[place]).digest()[:SALT_BYTES]


def _empty(key: bytes, height: int, place: int) -> bytes:
    return sha256(key + _EMPTIES[height][place]).digest()


def _above(key: bytes, height: int, level: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return the nodes above those of a level, of which each is beside another or beside nothing."""
    above: dict[int, bytes] = {}
    for place, value in level.items():
        if place >> 1 not in above:
            beside = level.get(place ^ 1) or _empty(key, height, place ^ 1)
            above[place >> 1] = sha256(_PAIR + (beside + value if place & 1 else value + beside)).digest()
    return above


def _leaf(value: bytes) -> bytes:
    return sha256(_LEAF + value).digest()


def _lots(key: bytes) -> Iterator[int]:
    """Yield places for ever, each as likely as any other."""
    for block in numbers():
        yield from (byte % PLACES for byte in sha256(key + _LOT + block.to_bytes(4)).digest())
