"""An epoch's seeds: committed, revealed, proved, compared with faces. Pure; see `docs/fairness.md`.

Seeds, one per entry, are the leaves of a tree grown from one secret: each node is HMAC-SHA256 of the one above, so a node gives all seeds
below it and no other. The commitment binds the Merkle root over all seeds' hashes to campaign and epoch.
"""

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
from bot.core.records import Entry, Json, encode_canonical

SLOTS: int = 2**draws.SEED_DEPTH
SECRET_BYTES = 32
_SECRETS_KEPT = 64
"""Secrets whose seeds are cached: a proof draws the dice of a run again, then builds the roots."""

_LEAF, _PAIR = b"\x00", b"\x01"


class Node(Struct, frozen=True):
    """First slot below, number of slots, value (32 bytes)."""

    first: int
    slots: int
    value: bytes


@lru_cache(maxsize=_SECRETS_KEPT)
def _grow_seeds(secret: bytes) -> tuple[bytes, ...]:
    return tuple(seed for _, seed in _list_leaves(Node(0, SLOTS, secret)))


def choose_nodes(secret: bytes, slots: Collection[int]) -> list[Node]:
    """Return the fewest nodes that give exactly these seeds."""
    return list(_choose_nodes(Node(0, SLOTS, secret), frozenset(slots)))


def grow_from_nodes(nodes: Iterable[Node]) -> dict[int, bytes]:
    """Return the seeds below revealed nodes, by slot."""
    return {slot: seed for node in nodes for slot, seed in _list_leaves(node)}


def build_merkle_tree(secret: bytes) -> list[list[bytes]]:
    """Return the Merkle tree's levels, leaves first."""
    levels = [[sha256(_LEAF + seed).digest() for seed in _grow_seeds(secret)]]
    while len(levels[-1]) > 1:
        pairs = zip(levels[-1][::2], levels[-1][1::2], strict=True)
        levels.append([sha256(_PAIR + left + right).digest() for left, right in pairs])
    return levels


def find_merkle_root(secret: bytes) -> str:
    """Return the Merkle root (hex) over all seeds."""
    return build_merkle_tree(secret)[-1][0].hex()


def make_merkle_proof(tree: Sequence[Sequence[bytes]], slot: int) -> tuple[str, ...]:
    """Return sibling hashes (hex) up to the root."""
    return tuple(level[(slot >> height) ^ 1].hex() for height, level in enumerate(tree[:-1]))


def follow_merkle_proof(seed: bytes, slot: int, proof: Sequence[str]) -> str:
    """Return the Merkle root (hex) to which a slot's seed and its proof lead."""
    value = sha256(_LEAF + seed).digest()
    for height, beside in enumerate(proof):
        other = bytes.fromhex(beside)
        value = sha256(_PAIR + (other + value if slot >> height & 1 else value + other)).digest()
    return value.hex()


def make_commitment(campaign: str, epoch: int, root: str) -> str:
    """Return the commitment (hex) for a campaign (UUID)."""
    return hash_text(encode_canonical({"campaign": campaign, "epoch": epoch, "root": root, "slots": SLOTS}))


def hash_entries(hashes: Iterable[str]) -> str:
    """Return one hash (hex) over entries' hashes."""
    return sha256(b"".join(map(bytes.fromhex, hashes))).hexdigest()


def _list_leaves(node: Node) -> Iterator[tuple[int, bytes]]:
    values = [node.value]
    for _level in range(node.slots.bit_length() - 1):
        values = [below for value in values for below in _grow_pair(value)]
    return enumerate(values, node.first)


def _choose_nodes(node: Node, slots: frozenset[int]) -> Iterator[Node]:
    mine = slots.intersection(range(node.first, node.first + node.slots))
    if len(mine) == node.slots:
        yield node
    elif mine:
        half = node.slots // 2
        for first, value in zip((node.first, node.first + half), _grow_pair(node.value), strict=True):
            yield from _choose_nodes(Node(first, half, value), mine)


def _grow_pair(value: bytes) -> list[bytes]:
    inner, outer = draws.make_pads(value)
    return [sha256(outer + sha256(inner + branch).digest()).digest() for branch in draws.BRANCHES]


DRAWN_FROM = ("book", "campaign", "entry", "epoch", "family", "interaction", "situation")
"""Fields of a draw's record that faces depend on, besides the seed."""

_drawn_from = itemgetter(*DRAWN_FROM)

PART_HASH = "part"
"""The salted hash of a part's request, on which its faces depend too."""

OUTSIDE = "outside"
"""A roll's key for its request to random.org and the answer."""


class _RecordedPart(TypedDict):
    dice: list[tuple[int, int]]
    part: Json


_EPOCH = re.compile(r'"entry":[0-9]+,"epoch":([0-9]{1,9}),')
"""Finds the epoch in canonical JSON."""

_RECORD, _PART = Decoder(dict[str, Json]), Decoder(_RecordedPart)

Secrets = Sequence[tuple[int, str, int]]
"""Epochs in order: first entry (number), secret (hex), epoch number."""


def check_faces(seed: bytes, of_all: Mapping[str, Json], part: Mapping[str, Json]) -> Iterator[str]:
    """Yield a part's wrong faces."""
    drawn_from = dict(zip(DRAWN_FROM, _drawn_from(of_all), strict=True))
    description = {**drawn_from, **find_outside_hashes(of_all), PART_HASH: part[PART_HASH]}
    for place, (sides, fallen) in enumerate(part["dice"]):
        expected = draws.draw_face(seed, description, place, sides)
        if fallen != expected:
            yield f"die {place + 1}, a d{sides}, shows {fallen}, and its seed gives {expected}"


def read_epoch_number(entry: Entry) -> int | None:
    """Return the epoch named in an entry's dice record."""
    found = _EPOCH.search(entry.draw.partition("\n")[0]) if draws.has_parts(entry.draw) and entry.draw else None
    return None if found is None else int(found[1])


def hash_text(text: str) -> str:
    """Return a text's SHA-256 (hex)."""
    return sha256(text.encode()).hexdigest()


def find_outside_hashes(record: Mapping[str, Json]) -> dict[str, str]:
    """Return hashes (hex) of intent and random.org's answer in a record; empty without them."""
    if OUTSIDE not in record or not {"intent", "random"} <= record[OUTSIDE].keys():
        return {}
    outside = record[OUTSIDE]
    return {"intent": hash_text(outside["intent"]["header"]), OUTSIDE: hash_text(outside["random"])}


def check_dice(entry: Entry, secrets: Secrets) -> Iterator[str]:
    """Yield faults of an entry's dice, if it has any."""
    begun = bisect_right(secrets, (entry.number + 1,))
    if entry.draw is None or not begun:
        return
    first, secret, number = secrets[begun - 1]
    if entry.number >= first + SLOTS:
        yield "its dice were drawn beyond the end of its dice set"
        return
    seed = _grow_seeds(bytes.fromhex(secret))[entry.number - first]
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
