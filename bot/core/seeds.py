"""The seeds of an epoch, how they are committed to, revealed and proved, and the faces that follow from one. Pure; `docs/fairness.md` has it in words.

An epoch has `SLOTS` slots, one for each of its entries. Its seeds are the leaves of a tree that grows from one secret: each
node is HMAC-SHA256 of the node above it, so that one node gives all seeds below it and tells nothing of any other. The
commitment binds the Merkle root over the hashes of all seeds to the campaign and the epoch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

from msgspec import Struct

from bot.core.canonical import canonical

DEPTH = 8
SLOTS: int = 2**DEPTH
SECRET_BYTES = 32
_WORD = 4
_WORDS = 2 ** (8 * _WORD)
_LATELY = 64
"""Of how many secrets the seeds are kept: whoever proves a run of entries draws their dice again, and then makes the roots."""

_LEAF, _PAIR = b"\x00", b"\x01"
_BRANCH = (b"adjutant seed 0", b"adjutant seed 1")

_BLOCK = 64
"""Bytes that SHA-256 takes in at once, to which HMAC fills up its key."""
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


class Node(Struct, frozen=True):
    """A node of the tree: the first slot below it, how many there are, and its value (32 bytes)."""

    first: int
    slots: int
    value: bytes


def seed_of(secret: bytes, slot: int) -> bytes:
    """Return the seed (32 bytes) of a slot, from 0."""
    for level in reversed(range(DEPTH)):
        secret = _hmac(secret, _BRANCH[slot >> level & 1])
    return secret


@lru_cache(maxsize=_LATELY)
def all_seeds(secret: bytes) -> tuple[bytes, ...]:
    """Return the seeds of all slots, in their order."""
    return tuple(seed for _, seed in _leaves(Node(0, SLOTS, secret)))


def revealing(secret: bytes, slots: Collection[int]) -> list[Node]:
    """Return the fewest nodes from which the seeds of these slots follow, and of no others, in their order."""
    return list(_revealing(Node(0, SLOTS, secret), frozenset(slots)))


def seeds_below(nodes: Iterable[Node]) -> dict[int, bytes]:
    """Return the seeds that follow from revealed nodes, by slot."""
    return {slot: seed for node in nodes for slot, seed in _leaves(node)}


def merkle_tree(secret: bytes) -> list[list[bytes]]:
    """Return the Merkle tree over all seeds level by level: the hashes of the seeds first, the root alone last."""
    levels = [[sha256(_LEAF + seed).digest() for seed in all_seeds(secret)]]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append(
            [sha256(_PAIR + left + right).digest() for left, right in zip(below[::2], below[1::2], strict=True)]
        )
    return levels


def merkle_root(secret: bytes) -> str:
    """Return the Merkle root (hex) over all seeds."""
    return merkle_tree(secret)[-1][0].hex()


def merkle_proof(tree: Sequence[Sequence[bytes]], slot: int) -> tuple[str, ...]:
    """Return the hashes (hex) beside the way from a seed to the root, the lowest first."""
    return tuple(level[(slot >> height) ^ 1].hex() for height, level in enumerate(tree[:-1]))


def proved_root(seed: bytes, slot: int, proof: Sequence[str]) -> str:
    """Return the Merkle root (hex) to which a seed and its proof lead."""
    value = sha256(_LEAF + seed).digest()
    for height, beside in enumerate(proof):
        other = bytes.fromhex(beside)
        value = sha256(_PAIR + (other + value if slot >> height & 1 else value + other)).digest()
    return value.hex()


def commitment(campaign: str, epoch: int, root: str) -> str:
    """Return the commitment (hex) to the root of an epoch of a campaign (UUID)."""
    return sha256(canonical({"campaign": campaign, "epoch": epoch, "root": root, "slots": SLOTS}).encode()).hexdigest()


def face(seed: bytes, description: Mapping[str, Any], die: int, sides: int) -> int:
    """Return the face (from 1) of a die of a roll, numbered from 0, as it follows from seed and description.

    HMAC-SHA256 of the description with the die's number gives eight words of 32 bits; the first below the greatest
    multiple of the sides counts, so that all faces are equally likely. Where none is, the next attempt gives eight more.
    """
    if not 1 <= sides <= _WORDS:
        raise ValueError(f"a die can't have {sides} sides")
    bound = _WORDS // sides * sides
    attempt = 0
    while True:
        text = canonical({**description, "attempt": attempt, "die": die})
        block = _hmac(seed, text.encode())
        for place in range(0, len(block), _WORD):
            word = int.from_bytes(block[place : place + _WORD], "big")
            if word < bound:
                return word % sides + 1
        attempt += 1


def hash_of_all(hashes: Iterable[str]) -> str:
    """Return one hash (hex) over the hashes (hex) of entries, in their order."""
    return sha256(b"".join(map(bytes.fromhex, hashes))).hexdigest()


def _halves(node: Node) -> tuple[Node, Node]:
    half = node.slots // 2
    left, right = _below(node.value)
    return Node(node.first, half, left), Node(node.first + half, half, right)


def _leaves(node: Node) -> Iterator[tuple[int, bytes]]:
    values = [node.value]
    for _ in range(node.slots.bit_length() - 1):
        values = [below for value in values for below in _below(value)]
    return enumerate(values, node.first)


def _revealing(node: Node, slots: frozenset[int]) -> Iterator[Node]:
    mine = slots.intersection(range(node.first, node.first + node.slots))
    if len(mine) == node.slots:
        yield node
    elif mine:
        for half in _halves(node):
            yield from _revealing(half, mine)


def _below(value: bytes) -> list[bytes]:
    """Return the values of the two nodes below one."""
    inner, outer = _pads(value)
    return [sha256(outer + sha256(inner + branch).digest()).digest() for branch in _BRANCH]


def _hmac(key: bytes, data: bytes) -> bytes:
    """Return HMAC-SHA256 (RFC 2104), as `hmac.digest` does, in less than half its time."""
    inner, outer = _pads(key)
    return sha256(outer + sha256(inner + data).digest()).digest()


def _pads(key: bytes) -> tuple[bytes, bytes]:
    block = (key if len(key) <= _BLOCK else sha256(key).digest()).ljust(_BLOCK, b"\0")
    return block.translate(_INNER), block.translate(_OUTER)
