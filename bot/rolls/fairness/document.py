"""The file by which anybody checks a roll: all that one person may know of its epoch. `docs/fairness.md` describes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct, field

from bot.core.draws import PlacedTexts, draw_places
from bot.core.encoding import Json, encode_canonical

Format = Literal["adjutant verification 1"]
FORMAT: Format = "adjutant verification 1"
MOST_EPOCHS = 999_999_999
"""The greatest number of an epoch: nine digits, as the audit thread writes it."""


MOST = 2**53 - 1
"""The greatest whole number that both verifiers' languages have exactly."""


Whole = Annotated[int, Meta(ge=-MOST, le=MOST)]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


Salt = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
"""16 bytes, as hex: were the length free, bytes could move between the salt and the text under the same hash."""


class Salted(Struct, frozen=True, forbid_unknown_fields=True):
    """A text and the salt (hex) of its hash."""

    salt: Salt
    text: str


class PartRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The record of a part of a roll, which names its place: with the hashes (hex) beside the way from there, to that of all records and to that of all that was asked."""

    salt: Salt
    text: str
    proof: tuple[Hash, ...]
    asked: tuple[Hash, ...]


class DrawRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The record of an entry's dice as far as it may be known: what all parts hang on, and those parts in the order of their places."""

    salt: Salt
    text: str
    parts: tuple[PartRecord, ...]


class EntryRecord(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An entry: its hash alone where no more of it may be known; else its header, its body and the record of its dice as far as they may.

    `seed` (hex) and its Merkle `proof` are there once they are revealed.
    """

    number: Whole
    hash: Hash
    header: str | None = None
    body: Salted | None = None
    draw: DrawRecord | None = None
    seed: Hash | None = None
    proof: tuple[Hash, ...] = ()


class EpochRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """An epoch: its commitment and Merkle root (hex), its first entry and its last, None while it goes on."""

    number: Annotated[int, Meta(ge=0, le=MOST_EPOCHS)]
    commitment: Hash
    root: Hash
    first: Whole
    last: Whole | None


class VerificationFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A verification file: campaign (UUID), the entry that was asked for, its epoch, the hash that its first entry is chained to, all entries, and books by fingerprint."""

    format: Format
    campaign: str
    about: Whole
    epoch: EpochRecord
    after: Hash
    entries: Annotated[tuple[EntryRecord, ...], Meta(min_length=1)]
    books: dict[str, str] = field(default_factory=dict)


def read_document(data: bytes) -> VerificationFile:
    """Return the document in a file.

    Raises:
        ValueError: it is none.

    """
    try:
        return msgspec.json.decode(data, type=VerificationFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"this isn't a verification file: {error}") from error


ASKED = "situation"
"""What a body keeps of a roll before its dice: the parts as they were asked for, and the secret under which they are hashed."""

_SALT = re.compile(r"[0-9a-f]{32}")


class Situation(NamedTuple):
    """The places of the parts of a roll in their order, and what was asked for them, at these places."""

    places: list[int]
    placed: PlacedTexts

    def part(self, place: int) -> str:
        """Return the salted hash (hex) of what was asked for the part at a place."""
        return self.placed.hash_at(place)


def situation(kept: Mapping[str, Json]) -> Situation:
    """Return what was asked, by what a body keeps of it."""
    salt, parts = kept["salt"], kept["parts"]
    if not _SALT.fullmatch(salt):
        raise ValueError("a salt has 16 bytes")
    found = draw_places(salt, len(parts))
    return Situation(found, PlacedTexts(salt, dict(zip(found, map(encode_canonical, parts), strict=True))))
