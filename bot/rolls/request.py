"""A request for a roll, as a value that a card stores and the resolver takes, and the command that asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, Self

from msgspec import Meta, Struct, convert, field, to_builtins
from msgspec.structs import replace

from bot.core.encoding import Json
from bot.core.records import mark_role
from rules.modifiers import Adjustment

MAX_PARTS = 25
To = Annotated[str, Meta(pattern="^(auto|results|staff|me|group:[0-9]+)$")]
"""Where a result goes: where the rules send it, or to whom a game master has chosen."""

TO_LABELS: Mapping[To, str] = {
    "auto": "where the rules send it",
    "results": "to the results channel",
    "staff": "to the staff channel",
    "me": "to you alone",
}
"""What a result may go to in every campaign, in words."""
TO_HERE: Mapping[str, str] = {"here": "here, in this channel or thread"}
"""The same of where it was typed, which some rolls offer besides."""
TO_WORDS = frozenset({*TO_HERE, *TO_HERE.values(), *TO_LABELS, *TO_LABELS.values()})
"""What may be written out for a place where a result goes, and means no group."""


class _Value(Struct, frozen=True, kw_only=True):
    """A value that goes into a card as JSON and comes out of it again."""

    def model_copy(self, *, update: Mapping[str, object]) -> Self:
        """Return the same with other fields."""
        return replace(self, **update)

    @classmethod
    def model_validate(cls, value: Mapping[str, object]) -> Self:
        """Return the value that `value` has made JSON of."""
        return convert(value, cls)

    def model_dump(self, *, mode: Literal["json"] = "json") -> dict[str, object]:  # noqa: ARG002 - there is no other
        """Return the value as JSON has it."""
        dumped: dict[str, object] = to_builtins(self)
        return dumped


class TypedAdjustment(_Value, frozen=True, kw_only=True):
    """A game master's own plus or minus; on the first table of the roll unless `table` names another.

    `private` keeps the reason for the staff.
    """

    value: int
    reason: str
    table: str | None = None
    private: bool = False

    @property
    def told(self) -> str:
        """Value and reason, by which a card tells whether it was there before."""
        return f"{self.value:+d} {self.reason}"

    def adjustment(self) -> Adjustment:
        """Return the adjustment as the rules take it."""
        return Adjustment(self.value, self.reason, self.table, self.private)


class PartRequest(_Value, frozen=True, kw_only=True):
    """One target, scouter or pair: role to name, answers, ticks by hand, adjustments, other inputs.

    `ids` are the numbers of those in a role, in the order of their names, where it is known who is meant: whoever is called
    otherwise later is still meant. `people` are the names of those who stand in a role themselves, under no label: no
    subject of the campaign is meant, and the role has a mark in their place. `region` is where this part happens, if not where
    the rest of the roll does: "" is the home of somebody secret.
    """

    subjects: dict[str, str]
    people: dict[str, str] = field(default_factory=dict)
    ids: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, Json] = field(default_factory=dict)
    adjustments: tuple[TypedAdjustment, ...] = ()
    region: str | None = None


def by_label(role: str, label: str | None, own_name: str) -> PartRequest:
    """Return a part with somebody in a role under a label, or under their own name where there is none."""
    if label is not None:
        return PartRequest(subjects={role: label})
    return PartRequest(subjects={role: mark_role(role)}, people={role: own_name})


def joined(one: PartRequest, other: PartRequest) -> PartRequest:
    """Return a part with those of both, each with their inputs."""
    shared = ("subjects", "people", "inputs")
    return one.model_copy(update={name: {**getattr(one, name), **getattr(other, name)} for name in shared})


class Amends(_Value, frozen=True, kw_only=True):
    """Which entry a roll amends, and why; `upto` is the newest of those on top of it that are taken back for it, 0 for none.

    `since` is the entry that its dice fell in: another one where that entry amends one itself.
    """

    number: int
    since: int
    why: str
    upto: int = 0


class CarriedOrder(_Value, frozen=True, kw_only=True):
    """An order (its entry) that a roll carries out: whose it is (key), the name of its value, and the parts (keys) of the task that it has; of some there are more `later`."""

    entry: int
    subject: str
    name: str
    parts: tuple[str, ...]
    later: bool = False


class OrderedTask(_Value, frozen=True, kw_only=True):
    """The task of orders that a roll is: in which phase (id) of its book, its parts (keys) as they are rolled, and the orders that it carries out."""

    phase: str
    parts: tuple[str, ...]
    orders: tuple[CarriedOrder, ...]


class RollRequest(_Value, frozen=True, kw_only=True):
    """A roll of a family of a book.

    `region` is where it happens; `at_home` says that nobody has named one, so that it is where somebody in it is saved to be,
    looked up each time, and for a player as far as they may know. `week` names another week than the current one, for its weather; `to` is where the result goes, `here` the channel or
    thread (id) of a public one in place of the results channel; `reason` is the game
    master's reason where the rules ask for one. `scene` is the subject of the one where it happens, where it names one. `staff` says that a game master typed the names: those of players never
    mean anybody who is secret, unless `ids` say so; `by` is the pseudonym of that player. `led` says that a game master has changed it since. `amends` makes it
    a roll made before, to be made otherwise with the dice that fell then. `task` says which orders it carries out, where it was made of orders.
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
    amends: Amends | None = None
    scene: str | None = None
    task: OrderedTask | None = None

    @property
    def noun(self) -> str:
        """The kind of roll in words, such as `flee` for `turn.flee`."""
        return self.family.rpartition(".")[2].replace("-", " ")

    @property
    def people(self) -> dict[str, str]:
        """The names of all who stand in it themselves, by role."""
        return {role: name for part in self.parts for role, name in part.people.items()}

    def where(self, part: PartRequest) -> str | None:
        """Return the region in which a part of it happens."""
        return self.region if part.region is None else part.region or None

    def with_part(self, index: int, part: PartRequest) -> RollRequest:
        """Return the request with another part in place of one."""
        parts = (*self.parts[:index], part, *self.parts[index + 1 :])
        return self.model_copy(update={"parts": parts})


class RollCommand(Struct, frozen=True):
    """A roll command as it was typed: in which channel (ids nearest first), book and family, parts, and shared options.

    `to` may name a group. `here` is the channel or thread (id) for a public result, in place of the results channel; 0 where
    it was typed in one in which the bot may not post. `faces` were typed in, by how many sides their die has, for a roll
    that is made at once. `campaign` is that of a button, which counts in place of the channel's. `scene` is the subject of the one where it
    happens.
    """

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
    """Return the keys of the parts of one roll: by subject, by actor, or by both where both differ."""
    pairs = [(part.subjects.get(subject, ""), part.subjects.get(actor, "")) for part in parts]
    subjects, actors = map(set, zip(*pairs, strict=True))
    if len(actors) == 1 and subjects != {""}:
        return tuple(about for about, _ in pairs)
    if len(subjects) == 1:
        return tuple(who for _, who in pairs)
    return tuple(" / ".join(dict.fromkeys(filter(None, pair))) for pair in pairs)
