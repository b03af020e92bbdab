"""What the texts in a verification file have to be: canonical JSON, each of its form. Pure.

Both verifiers hold a text against its form before they look at anything in it: so they say the same of one that is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, NotRequired, Required, TypedDict, TypeVar, final

from msgspec import Meta, convert

from bot.core.draws import PLACES
from bot.core.encoding import Json, encode_canonical
from bot.rolls.fairness.document import MOST, EntryRecord, Hash, Salt
from rules.dice import MAX_SIDES, MIN_SIDES

DEPTH = 64
"""How deep values may be nested: far deeper than any of ours, and less than what either language reads."""

T = TypeVar("T")
Dice = Annotated[str, Meta(pattern=r"^(?:[0-9]{1,2}d[0-9]{1,4}|d6{2,3})\Z")]
Sides = Annotated[int, Meta(ge=MIN_SIDES, le=MAX_SIDES)]


class HeaderForm(TypedDict):
    """The header of an entry, as far as it is looked at."""

    campaign: str
    number: int
    kind: str
    previous: str
    body: str
    book: str | None
    texts: dict[str, str]


class ReadDiceForm(TypedDict):
    """Dice that were read: `2d6`, their faces, and whence these came."""

    die: Dice
    faces: list[int]
    drawn: str


@final
class StepForm(TypedDict):
    """How dice were read on a table."""

    table: str
    dice: Annotated[list[ReadDiceForm], Meta(min_length=1, max_length=1)]
    natural: bool
    modifiers: list[tuple[str, int, int]]
    adjustments: list[int]
    sum: int
    total: int
    outcome: str
    reads: NotRequired[str]
    value: NotRequired[int]
    uncapped: NotRequired[int]


@final
class ThrowForm(TypedDict):
    """Dice that were read otherwise than on a table."""

    dice: list[ReadDiceForm]
    text: str


class ReadPart(TypedDict):
    """What the record of a part and a body tell alike: its key, and how its dice were read, step by step."""

    key: str
    steps: list[StepForm | ThrowForm]


class PartForm(TypedDict):
    """The record of a part of a roll."""

    place: Annotated[int, Meta(ge=0, lt=PLACES)]
    part: Hash
    key: str
    dice: list[tuple[Sides, int]]
    steps: list[dict[str, Json]]


class IntentForm(TypedDict):
    """The intent that a record names."""

    number: int
    header: str
    salt: Salt
    body: str


class LackingForm(TypedDict):
    """Why nothing of random.org's is mixed in."""

    why: str
    code: NotRequired[int]


class OutsideForm(TypedDict, total=False):
    """What came of asking random.org."""

    intent: IntentForm
    random: str
    signature: str
    lacking: LackingForm


class DrawForm(TypedDict):
    """What all parts of a roll hang on."""

    book: str
    campaign: str
    entry: int
    epoch: int
    family: str
    interaction: str | None
    situation: Hash
    slot: int
    outside: NotRequired[OutsideForm]


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
    """The least and the most that the modifiers of a group come to, or all that is added up where no group is named."""

    group: str | None
    low: int | None
    high: int | None


class TableForm(TypedDict):
    """A table of a book, as far as totals hang on it."""

    die: Dice
    rows: list[_Row]
    naturals: list[_Natural]
    modifiers: list[LineForm]
    readings: dict[str, _Reading]
    against: NotRequired[_Against]
    caps: NotRequired[list[CapForm]]


class BookForm(TypedDict):
    """A book, as far as totals hang on it."""

    tables: dict[str, TableForm]


class AskedForm(TypedDict):
    """What a body keeps of what was asked."""

    salt: Salt
    parts: Annotated[list[dict[str, Json]], Meta(max_length=PLACES)]


class _Modifier(TypedDict):
    id: str
    value: int
    count: int


class _Adjustment(TypedDict):
    value: int


class _Outcome(TypedDict):
    outcome: str


class BodyStepForm(TypedDict):
    """A step on a table, as far as the record of the dice tells of it too."""

    table: str
    die: Dice
    faces: list[int]
    drawn: str
    natural: bool
    modifiers: list[_Modifier]
    adjustments: list[_Adjustment]
    sum: int
    total: int
    row: _Outcome
    reads: NotRequired[str]
    value: NotRequired[int]
    uncapped: NotRequired[int]


class BodyPartForm(TypedDict):
    """A part of a roll, as its body tells of it."""

    key: str
    steps: list[dict[str, Json]]
    unused: NotRequired[list[ReadDiceForm]]


class BodyForm(TypedDict):
    """The body of a roll, as far as it is looked at."""

    situation: AskedForm
    parts: list[BodyPartForm]
    amends: NotRequired[int]
    outside: NotRequired[dict[str, Json]]


class IntentBodyForm(TypedDict):
    """The body of an intent."""

    entry: int
    situation: str
    asked: str


class RandomForm(TypedDict, total=False):
    """The random object in an answer of random.org's: its members as far as they are looked at."""

    method: Required[str]
    n: Required[int]
    min: Required[int]
    max: Required[int]
    replacement: Required[bool]
    base: Required[int]
    data: Required[list[int]]
    serialNumber: Required[int]
    userData: Json
    hashedApiKey: str


def read(text: str, form: type[T]) -> T:
    """Return what a text says.

    Raises:
        ValueError: it is no canonical JSON, or not of that form.

    """
    value, same = _parsed(text)
    if same != text:
        raise ValueError("this is not canonical")
    return convert(value, form)


def read_foreign(text: str, form: type[T]) -> T:
    """Return what a text says that somebody else has written, canonical or not; a number with an empty fraction is a whole one.

    Raises:
        ValueError: it is no JSON that both languages read alike, or not of that form.

    """
    value, _ = _parsed(text)
    return convert(value, form)


def header_of(item: EntryRecord) -> HeaderForm | None:
    """Return the header of an entry; None where there is none, or it can't be read."""
    try:
        return None if item.header is None else read(item.header, HeaderForm)
    except ValueError:
        return None


def steps_of(part: PartForm) -> list[StepForm | ThrowForm]:
    """Return the steps of a record.

    Raises:
        ValueError: one is of another form.

    """
    return [convert(step, StepForm) if "table" in step else convert(step, ThrowForm) for step in part["steps"]]


def body_steps(part: BodyPartForm) -> list[dict[str, object]]:
    """Return the steps of a part of a body, as far as they are looked at.

    Raises:
        ValueError: one is of another form.

    """
    return [{**convert(step, BodyStepForm if "table" in step else ThrowForm)} for step in part["steps"]]


def term_of(die: Dice) -> tuple[int, int]:
    """Return how many dice of how many sides a term such as `2d6` is of; those of `d66` are two d6."""
    count, _, sides = die.partition("d")
    return (int(count), int(sides)) if count else (len(sides), int(sides[0]))


def highest_of(die: Dice) -> int:
    """Return the highest total that the dice of a term come to."""
    count, sides = term_of(die)
    return total_of(die, [sides] * count)


def total_of(die: Dice, faces: Sequence[int]) -> int:
    """Return what faces of a term come to: their sum, or for `d66` the number that they are the digits of."""
    return int("".join(map(str, faces)) or 0) if die.startswith("d") else sum(faces)


def fits(rolled: ReadDiceForm) -> bool:
    """Return whether dice of a term can fall like this: one face for each, of those that it has."""
    count, sides = term_of(rolled["die"])
    return len(rolled["faces"]) == count and all(1 <= face <= sides for face in rolled["faces"])


def quote(value: object) -> str:
    """Return a value as both verifiers show it: as JSON."""
    return json.dumps(value, ensure_ascii=False)


def _parsed(text: str) -> tuple[object, str]:
    """Return the value that a text is as JSON, and its canonical text."""
    try:
        value = json.loads(text, parse_float=_number, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("this is nested too deep") from error
    _within(value)
    return value, encode_canonical(value)


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} isn't a number")


def _within(value: object) -> None:
    """Check that a value is not nested too deep, and that its whole numbers are not too great, without descending into it."""
    level = [value]
    for _ in range(DEPTH):
        if any(isinstance(item, int | float) and abs(item) > MOST for item in level):
            raise ValueError("a number is too large")
        level = [inner for item in level for inner in _inner(item)]
        if not level:
            return
    raise ValueError("this is nested too deep")


def _inner(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
