"""The seeds of an epoch, how they are committed to, revealed and proved, and the faces that follow from one. Pure; `docs/fairness.md` has it in words.

An epoch has `SLOTS` slots, one for each of its entries. Its seeds are the leaves of a tree that grows from one secret: each
node is HMAC-SHA256 of the node above it, so that one node gives all seeds below it and tells nothing of any other. The
commitment binds the Merkle root over the hashes of all seeds to the campaign and the epoch.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import TypedDict

from msgspec import DecodeError, Struct
from msgspec.json import Decoder

from bot.core import draws
from bot.core.encoding import Json, encode_canonical
from bot.core.records import Entry

DEPTH = 8
SLOTS: int = 2**DEPTH
SECRET_BYTES = 32
_WORD = 4
_WORDS = 2 ** (8 * _WORD)
_SECRETS_KEPT = 64
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


def derive_seed(secret: bytes, slot: int) -> bytes:
    """Return the seed (32 bytes) of a slot, from 0."""
    for level in reversed(range(DEPTH)):
        secret = _hmac(secret, _BRANCH[slot >> level & 1])
    return secret


@lru_cache(maxsize=_SECRETS_KEPT)
def grow_seeds(secret: bytes) -> tuple[bytes, ...]:
    """Return the seeds of all slots, in their order."""
    return tuple(seed for _, seed in _list_leaves(Node(0, SLOTS, secret)))


def choose_nodes(secret: bytes, slots: Collection[int]) -> list[Node]:
    """Return the fewest nodes from which the seeds of these slots follow, and of no others, in their order."""
    return list(_choose_nodes(Node(0, SLOTS, secret), frozenset(slots)))


def grow_from_nodes(nodes: Iterable[Node]) -> dict[int, bytes]:
    """Return the seeds that follow from revealed nodes, by slot."""
    return {slot: seed for node in nodes for slot, seed in _list_leaves(node)}


def build_merkle_tree(secret: bytes) -> list[list[bytes]]:
    """Return the Merkle tree over all seeds level by level: the hashes of the seeds first, the root alone last."""
    levels = [[sha256(_LEAF + seed).digest() for seed in grow_seeds(secret)]]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append(
            [sha256(_PAIR + left + right).digest() for left, right in zip(below[::2], below[1::2], strict=True)]
        )
    return levels


def find_merkle_root(secret: bytes) -> str:
    """Return the Merkle root (hex) over all seeds."""
    return build_merkle_tree(secret)[-1][0].hex()


def make_merkle_proof(tree: Sequence[Sequence[bytes]], slot: int) -> tuple[str, ...]:
    """Return the hashes (hex) beside the way from a seed to the root, the lowest first."""
    return tuple(level[(slot >> height) ^ 1].hex() for height, level in enumerate(tree[:-1]))


def follow_merkle_proof(seed: bytes, slot: int, proof: Sequence[str]) -> str:
    """Return the Merkle root (hex) to which a seed and its proof lead."""
    value = sha256(_LEAF + seed).digest()
    for height, beside in enumerate(proof):
        other = bytes.fromhex(beside)
        value = sha256(_PAIR + (other + value if slot >> height & 1 else value + other)).digest()
    return value.hex()


def make_commitment(campaign: str, epoch: int, root: str) -> str:
    """Return the commitment (hex) to the root of an epoch of a campaign (UUID)."""
    return sha256(
        encode_canonical({"campaign": campaign, "epoch": epoch, "root": root, "slots": SLOTS}).encode()
    ).hexdigest()


def draw_face(seed: bytes, description: Mapping[str, Json], die: int, sides: int) -> int:
    """Return the face (from 1) of a die of a roll, numbered from 0, as it follows from seed and description.

    HMAC-SHA256 of the description with the die's number gives eight words of 32 bits; the first below the greatest
    multiple of the sides counts, so that all faces are equally likely. Where none is, the next attempt gives eight more.
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


def hash_entries(hashes: Iterable[str]) -> str:
    """Return one hash (hex) over the hashes (hex) of entries, in their order."""
    return sha256(b"".join(map(bytes.fromhex, hashes))).hexdigest()


def _split_node(node: Node) -> tuple[Node, Node]:
    half = node.slots // 2
    left, right = _grow_pair(node.value)
    return Node(node.first, half, left), Node(node.first + half, half, right)


def _list_leaves(node: Node) -> Iterator[tuple[int, bytes]]:
    values = [node.value]
    for _ in range(node.slots.bit_length() - 1):
        values = [below for value in values for below in _grow_pair(value)]
    return enumerate(values, node.first)


def _choose_nodes(node: Node, slots: frozenset[int]) -> Iterator[Node]:
    mine = slots.intersection(range(node.first, node.first + node.slots))
    if len(mine) == node.slots:
        yield node
    elif mine:
        for half in _split_node(node):
            yield from _choose_nodes(half, mine)


def _grow_pair(value: bytes) -> list[bytes]:
    inner, outer = _make_pads(value)
    return [sha256(outer + sha256(inner + branch).digest()).digest() for branch in _BRANCH]


def _hmac(key: bytes, data: bytes) -> bytes:
    """Return HMAC-SHA256 (RFC 2104), as `hmac.digest` does, in less than half its time."""
    inner, outer = _make_pads(key)
    return sha256(outer + sha256(inner + data).digest()).digest()


def _make_pads(key: bytes) -> tuple[bytes, bytes]:
    block = (key if len(key) <= _BLOCK else sha256(key).digest()).ljust(_BLOCK, b"\0")
    return block.translate(_INNER), block.translate(_OUTER)


DRAWN_FROM = ("book", "campaign", "entry", "epoch", "family", "interaction", "situation")
"""What faces hang on beside the seed, as the record of a draw has it."""

_drawn_from = itemgetter(*DRAWN_FROM)

PART_HASH = "part"
"""What the faces of one part hang on besides: the salted hash of what was asked for it."""

OUTSIDE = "outside"
"""Under which body and record of a roll have what came of asking for randomness from outside."""


class _RecordedPart(TypedDict):
    """What is read of a part to draw its dice again: their sides and faces, and what these hang on."""

    dice: list[tuple[int, int]]
    part: Json


_EPOCH = re.compile(r'"entry":[0-9]+,"epoch":([0-9]{1,9}),')
"""Where canonical JSON has the epoch."""

_RECORD, _PART = Decoder(dict[str, Json]), Decoder(_RecordedPart)

Secrets = Sequence[tuple[int, str, int]]
"""The secrets of epochs (hex), each between the number of the epoch's first entry and its own number, in their order."""


def check_faces(seed: bytes, of_all: Mapping[str, Json], part: Mapping[str, Json]) -> Iterator[str]:
    """Yield what is wrong with the faces of a part, by its record and that of what all parts hang on; both have all their fields."""
    description = {
        **dict(zip(DRAWN_FROM, _drawn_from(of_all), strict=True)),
        **find_outside_hashes(of_all),
        PART_HASH: part[PART_HASH],
    }
    for place, (sides, fallen) in enumerate(part["dice"]):
        expected = draw_face(seed, description, place, sides)
        if fallen != expected:
            yield f"die {place + 1}, a d{sides}, shows {fallen}, and its seed gives {expected}"


def read_epoch_number(entry: Entry) -> int | None:
    """Return the number of the epoch that the record of an entry's dice names; None where it names none."""
    found = _EPOCH.search(entry.draw.partition("\n")[0]) if draws.has_parts(entry.draw) and entry.draw else None
    return None if found is None else int(found[1])


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text (hex)."""
    return sha256(text.encode()).hexdigest()


def find_outside_hashes(record: Mapping[str, Json]) -> dict[str, str]:
    """Return what the faces of a roll hang on besides: the hashes of the intent and of the answer, where one was mixed in."""
    if OUTSIDE not in record or not {"intent", "random"} <= record[OUTSIDE].keys():
        return {}
    outside = record[OUTSIDE]
    return {"intent": hash_text(outside["intent"]["header"]), OUTSIDE: hash_text(outside["random"])}


def check_dice(entry: Entry, secrets: Secrets) -> Iterator[str]:
    """Yield what is wrong with the dice of an entry, by the secret of its epoch; nothing of one without a record of dice, or from before all epochs."""
    begun = bisect_right(secrets, (entry.number + 1,))
    if entry.draw is None or not begun:
        return
    first, secret, number = secrets[begun - 1]
    if entry.number >= first + SLOTS:
        yield "its dice were drawn beyond the end of its dice set"
        return
    seed = grow_seeds(bytes.fromhex(secret))[entry.number - first]
    try:
        drawn = draws.read_record(entry.draw)
        of_all = _RECORD.decode(drawn.of_all)
        if of_all["entry"] != entry.number:
            yield f"its dice were drawn for entry {of_all['entry']!r}"
        if drawn.parts and (of_all["epoch"] != number or of_all["slot"] != entry.number - first):
            yield f"its dice were drawn in slot {of_all['slot']!r} of dice set {of_all['epoch']!r}, which isn't the one that is kept for it"
        for part in drawn.parts:
            found = check_faces(seed, of_all, _PART.decode(part.text))
            yield from (f"at place {part.place}, {fault}" for fault in found)
    except (AttributeError, DecodeError, KeyError, RecursionError, TypeError, ValueError):
        yield "the record of its dice can't be read"
