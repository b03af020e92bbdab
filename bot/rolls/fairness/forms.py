"""The file by which anyone checks a roll, and the forms of its texts, which are canonical JSON. Pure.

Both verifiers check a text's form before they look into it, so that they judge a malformed one alike.
"""

import json
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeVar, final

from msgspec import Meta, Struct, convert, field
from msgspec.json import Decoder

from bot.core import draws, records
from rules.dice import MAX_SIDES, MIN_SIDES, TablePool

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


DEPTH = 64
"""How deep values may be nested: more than ours are, less than either language reads."""

T = TypeVar("T")
Dice = Annotated[str, Meta(pattern=r"^(?:[0-9]{1,2}d[0-9]{1,4}|d6{2,3})\Z")]
Sides = Annotated[int, Meta(ge=MIN_SIDES, le=MAX_SIDES)]


class HeaderForm(TypedDict):
    """An entry's header."""

    campaign: str
    number: int
    kind: str
    previous: str
    body: str
    book: str | None
    texts: dict[str, str]


class ReadDiceForm(TypedDict):
    """Dice that were read: `2d6`, faces, source."""

    die: Dice
    faces: list[int]
    drawn: str


class _Totals(TypedDict):
    table: str
    natural: bool
    sum: int
    total: int
    reads: NotRequired[str]
    value: NotRequired[int]
    uncapped: NotRequired[int]


@final
class StepForm(_Totals):
    """How a table's dice were read."""

    dice: Annotated[list[ReadDiceForm], Meta(min_length=1, max_length=1)]
    modifiers: list[tuple[str, int, int]]
    adjustments: list[int]
    outcome: str


@final
class ThrowForm(TypedDict):
    """Dice that no table read."""

    dice: list[ReadDiceForm]
    text: str


class ReadPart(TypedDict):
    """What a record and a body both say of a part."""

    key: str
    steps: list[StepForm | ThrowForm]


class PartForm(TypedDict):
    """The record of a part."""

    place: Annotated[int, Meta(ge=0, lt=draws.PLACES)]
    part: Hash
    key: str
    dice: list[tuple[Sides, int]]
    steps: list[dict[str, records.Json]]


class _IntentForm(TypedDict):
    number: int
    header: str
    salt: Salt
    body: str


class LackingForm(TypedDict):
    """Why random.org's answer is missing."""

    why: str
    code: NotRequired[int]


class _OutsideForm(TypedDict, total=False):
    intent: _IntentForm
    random: str
    signature: str
    lacking: LackingForm


class DrawForm(TypedDict):
    """The dice record of a whole roll: what all its parts depend on."""

    book: str
    campaign: str
    entry: int
    epoch: int
    family: str
    interaction: str | None
    situation: Hash
    slot: int
    outside: NotRequired[_OutsideForm]


class _Row(TypedDict):
    outcome: str
    min: int | None
    max: int | None


class _Natural(TypedDict):
    face: int
    outcome: str


class LineForm(TypedDict):
    """A printed modifier."""

    id: str
    value: int
    group: str
    per: NotRequired[str | None]
    times: NotRequired[str]


class _Reading(TypedDict):
    rows: dict[str, str]
    plain: NotRequired[bool]


class _Against(TypedDict):
    reads: str
    value: int | None


class CapForm(TypedDict):
    """The limits of a group of modifiers, or of all without a group."""

    group: str | None
    low: int | None
    high: int | None


class TableForm(TypedDict):
    """A table, reduced to what totals need."""

    die: Dice
    rows: list[_Row]
    naturals: list[_Natural]
    modifiers: list[LineForm]
    readings: dict[str, _Reading]
    against: NotRequired[_Against]
    caps: NotRequired[list[CapForm]]
    pool: NotRequired[TablePool]
    doubles: NotRequired[dict[str, str]]


class BookForm(TypedDict):
    """A book, reduced to what totals need."""

    tables: dict[str, TableForm]


class AskedForm(TypedDict):
    """What a body keeps of what was asked."""

    salt: Salt
    parts: Annotated[list[dict[str, records.Json]], Meta(max_length=draws.PLACES)]


class _Modifier(TypedDict):
    id: str
    value: int
    count: int


class _Adjustment(TypedDict):
    value: int


class _Outcome(TypedDict):
    outcome: str


class _BodyStepForm(_Totals, ReadDiceForm):
    modifiers: list[_Modifier]
    adjustments: list[_Adjustment]
    row: _Outcome


class _BodyPartForm(TypedDict):
    key: str
    steps: list[dict[str, records.Json]]
    unused: NotRequired[list[ReadDiceForm]]


class BodyForm(TypedDict):
    """A roll's body."""

    situation: AskedForm
    parts: list[_BodyPartForm]
    amends: NotRequired[int]
    outside: NotRequired[dict[str, records.Json]]


def read(text: str, form: type[T]) -> T:
    """Read canonical JSON of a form, or raise ValueError."""
    value, same = _parse(text)
    if same != text:
        raise ValueError("this is not canonical")
    return convert(value, form)


def read_foreign(text: str, form: type[T]) -> T:
    """Read JSON that others wrote, or raise ValueError. 1.0 is a whole number."""
    value, _ = _parse(text)
    return convert(value, form)


def header_of(item: EntryRecord) -> HeaderForm | None:
    """Return an entry's header; None if missing or unreadable."""
    try:
        return None if item.header is None else read(item.header, HeaderForm)
    except ValueError:
        return None


def steps_of(part: PartForm) -> list[StepForm | ThrowForm]:
    """Return a record's steps, or raise ValueError."""
    return [convert(step, StepForm) if "table" in step else convert(step, ThrowForm) for step in part["steps"]]


def body_steps(part: _BodyPartForm) -> list[dict[str, object]]:
    """Return a body part's steps, or raise ValueError."""
    return [{**convert(step, _BodyStepForm if "table" in step else ThrowForm)} for step in part["steps"]]


def term_of(die: Dice) -> tuple[int, int]:
    """Return how many dice of how many sides: `d66` is two d6."""
    count, _, sides = die.partition("d")
    return (int(count), int(sides)) if count else (len(sides), int(sides[0]))


def highest_of(die: Dice) -> int:
    """Return a term's highest total."""
    count, sides = term_of(die)
    return total_of(die, [sides] * count)


def total_of(die: Dice, faces: Sequence[int]) -> int:
    """Return the sum of faces; for `d66` the number they spell."""
    return int("".join(map(str, faces)) or 0) if die.startswith("d") else sum(faces)


def fits(rolled: ReadDiceForm) -> bool:
    """Return whether dice can fall like this."""
    count, sides = term_of(rolled["die"])
    return len(rolled["faces"]) == count and all(1 <= face <= sides for face in rolled["faces"])


def quote(value: object) -> str:
    """Return a value as JSON, as both verifiers show it."""
    return json.dumps(value, ensure_ascii=False)


@cache
def _make_decoder() -> Decoder[object]:
    level: Any = bool | Whole | str | None
    for _ in range(9):  # as deep as our records are, since each level doubles the decoder's size
        level = bool | Whole | str | list[level] | dict[str, level] | None
    return Decoder(level)


def _parse(text: str) -> tuple[object, str]:
    try:  # what this reads is within the bounds; what it refuses may be, too
        value = _make_decoder().decode(text)
        if records.is_canonical(text, value):
            return value, text
    except ValueError:
        pass
    try:
        value = json.loads(text, parse_float=_number, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("this is nested too deep") from error
    _check_bounds(value)
    return value, records.encode_canonical(value)


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} isn't a number")


def _check_bounds(value: object) -> None:
    level = [value]
    for _ in range(DEPTH):
        if any(isinstance(item, int | float) and abs(item) > MOST for item in level):
            raise ValueError("a number is too large")
        values = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list)]
        level = [inner for some in values for inner in some]
        if not level:
            return
    raise ValueError("this is nested too deep")
