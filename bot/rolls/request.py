"""A request for a roll, as a card stores it, and the command that asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from msgspec import Meta, Struct, convert, field, to_builtins
from msgspec.structs import replace

from bot.core.records import Json, mark_role
from rules.modifiers import Adjustment

MAX_PARTS = 25
To = Annotated[str, Meta(pattern="^(auto|results|staff|me|group:[0-9]+)$")]

TO_LABELS: Mapping[To, str] = {
    "auto": "where the rules send it",
    "results": "to the results channel",
    "staff": "to the staff channel",
    "me": "to you alone",
}
TO_HERE: Mapping[str, str] = {"here": "here, in this channel or thread"}
TO_WORDS = frozenset({*TO_HERE, *TO_HERE.values(), *TO_LABELS, *TO_LABELS.values()})
"""Words for destinations that can't be a group's name."""


class _Value(Struct, frozen=True, kw_only=True):
    """A value that a card stores as JSON."""

    def model_copy(self, *, update: Mapping[str, object]) -> Self:
        return replace(self, **update)

    @classmethod
    def model_validate(cls, value: Mapping[str, object]) -> Self:
        return convert(value, cls)

    def model_dump(self, *, mode: Literal["json"] = "json") -> dict[str, object]:  # noqa: ARG002 - the only mode
        dumped: dict[str, object] = to_builtins(self)
        return dumped


class TypedAdjustment(_Value, frozen=True, kw_only=True):
    """A game master's plus or minus, on the first table unless it names one. Only staff read a `private` reason."""

    value: int
    reason: str
    table: str | None = None
    private: bool = False

    @property
    def text(self) -> str:
        """Return value and reason, by which a card recognises it."""
        return f"{self.value:+d} {self.reason}"

    def adjustment(self) -> Adjustment:
        """Return this adjustment as the rules take it."""
        return Adjustment(self.value, self.reason, self.table, self.private)


class PartRequest(_Value, frozen=True, kw_only=True):
    """A roll's target, scouter or pair. `ids` survive renames; `people` have no subject. Region "" is a secret home."""

    subjects: dict[str, str]
    people: dict[str, str] = field(default_factory=dict)
    ids: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, Json] = field(default_factory=dict)
    adjustments: tuple[TypedAdjustment, ...] = ()
    region: str | None = None


def label_part(role: str, label: str | None, own_name: str) -> PartRequest:
    """Return a part with a role under a label, or under the person's own name."""
    if label is not None:
        return PartRequest(subjects={role: label})
    return PartRequest(subjects={role: mark_role(role)}, people={role: own_name})


def join_parts(one: PartRequest, other: PartRequest) -> PartRequest:
    """Return a part with the roles and inputs of both."""
    shared = ("subjects", "people", "inputs")
    return one.model_copy(update={name: {**getattr(one, name), **getattr(other, name)} for name in shared})


class AmendedEntry(_Value, frozen=True, kw_only=True):
    """Which entry a roll amends and why. `upto` is the newest entry undone for it, 0 for none; `since` has its dice."""

    number: int
    since: int
    why: str
    upto: int = 0


class CarriedOrder(_Value, frozen=True, kw_only=True):
    """An order (entry) that a roll carries out: subject, value's name, task parts (keys) of it. Some come `later`."""

    entry: int
    subject: str
    name: str
    parts: tuple[str, ...]
    later: bool = False


class OrderedTask(_Value, frozen=True, kw_only=True):
    """A roll's task of orders: phase (id), parts (keys) as rolled, and the orders."""

    phase: str
    parts: tuple[str, ...]
    orders: tuple[CarriedOrder, ...]


class RollRequest(_Value, frozen=True, kw_only=True):
    """A roll of a family of a book.

    A player's names never mean someone secret, unless `ids` say so; `staff` means a game master typed them. `by` is the player's
    pseudonym, `here` a public result's channel (id).
    """

    book: str
    family: str
    parts: tuple[PartRequest, ...]
    region: str | None = None
    week: int | None = None
    note: str | None = None
    to: To = "auto"
    here: int | None = None
    reason: str | None = None
    staff: bool = False
    at_home: bool = False
    by: str | None = None
    led: bool = False
    amends: AmendedEntry | None = None
    scene: str | None = None
    task: OrderedTask | None = None

    @property
    def noun(self) -> str:
        """Return the kind of roll, such as `flee` for `turn.flee`."""
        return self.family.rpartition(".")[2].replace("-", " ")

    @property
    def people(self) -> dict[str, str]:
        """The own names of members in all parts, by role."""
        return {role: name for part in self.parts for role, name in part.people.items()}

    def where(self, part: PartRequest) -> str | None:
        """Return a part's region, else the roll's; None if unknown or secret."""
        return self.region if part.region is None else part.region or None

    def with_part(self, index: int, part: PartRequest) -> RollRequest:
        """Replace one part."""
        parts = (*self.parts[:index], part, *self.parts[index + 1 :])
        return self.model_copy(update={"parts": parts})


class RollCommand(Struct, frozen=True):
    """A typed roll command of (book, family). `channels` are ids, nearest first; `here` 0: the bot can't post there."""

    channels: Sequence[int]
    family: tuple[str, str]
    parts: Sequence[PartRequest]
    region: str | None = None
    week: int | None = None
    modifiers: str | None = None
    note: str | None = None
    to: str = "auto"
    here: int | None = None
    faces: Mapping[int, Sequence[int]] | None = None
    campaign: int | None = None
    scene: str | None = None


def part_keys(parts: tuple[PartRequest, ...], actor: str, subject: str) -> tuple[str, ...]:
    """Return a name for each part: its subject, its actor, or both if both differ between parts."""
    pairs = [(part.subjects.get(subject, ""), part.subjects.get(actor, "")) for part in parts]
    subjects, actors = map(set, zip(*pairs, strict=True))
    if len(actors) == 1 and subjects != {""}:
        return tuple(about for about, _ in pairs)
    if len(subjects) == 1:
        return tuple(who for _, who in pairs)
    return tuple(" / ".join(dict.fromkeys(filter(None, pair))) for pair in pairs)
