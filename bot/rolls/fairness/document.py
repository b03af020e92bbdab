"""The file by which anyone checks a roll: all that one person may know of its epoch. See `docs/fairness.md`."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

Format = Literal["adjutant verification 1"]
FORMAT: Format = "adjutant verification 1"
MOST_EPOCHS = 999_999_999
"""Nine digits, as the thread writes it."""

MOST = 2**53 - 1
"""The greatest whole number that both verifiers' languages have exactly."""

Whole = Annotated[int, Meta(ge=-MOST, le=MOST)]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]

Salt = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
"""16 bytes as hex. With a free length, bytes could move between salt and text under the same hash."""


class SaltedRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A text and the salt (hex) of its hash."""

    salt: Salt
    text: str


class PartRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The record of a part, with the hashes (hex) on its way to the roots of all records and of all that was asked."""

    salt: Salt
    text: str
    proof: tuple[Hash, ...]
    asked: tuple[Hash, ...]


class DrawRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The record of an entry's dice, with the parts that may be known in order of place."""

    salt: Salt
    text: str
    parts: tuple[PartRecord, ...]


class EntryRecord(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An entry: its hash, and what else may be known. `seed` (hex) and Merkle `proof` come once revealed."""

    number: Whole
    hash: Hash
    header: str | None = None
    body: SaltedRecord | None = None
    draw: DrawRecord | None = None
    seed: Hash | None = None
    proof: tuple[Hash, ...] = ()


class EpochRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """An epoch: commitment and Merkle root (hex), first and last entry. `last` is None while the epoch goes on."""

    number: Annotated[int, Meta(ge=0, le=MOST_EPOCHS)]
    commitment: Hash
    root: Hash
    first: Whole
    last: Whole | None


class VerificationFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A campaign's (UUID) epoch with all entries. `after` is the hash before the first; books are by fingerprint."""

    format: Format
    campaign: str
    about: Whole
    epoch: EpochRecord
    after: Hash
    entries: Annotated[tuple[EntryRecord, ...], Meta(min_length=1)]
    books: dict[str, str] = field(default_factory=dict)


def read_document(data: bytes) -> VerificationFile:
    """Read a file. ValueError if it is none."""
    try:
        return msgspec.json.decode(data, type=VerificationFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"this isn't a verification file: {error}") from error
