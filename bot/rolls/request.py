"""A request for a roll, as a value that a card stores and the resolver takes, and the command that asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self

from bot.core.people import mark
from rules.dice import Dice
from rules.modifiers import Adjustment

MAX_PARTS = 25
To = Literal["auto", "results", "staff", "me"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A value that goes into a card as JSON and comes out of it again."""

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """Return the same with other fields."""
        return replace(self, **update)

    def model_dump(self, *, mode: Literal["json"] = "json") -> dict[str, Any]:  # noqa: ARG002 - there is no other
        """Return the value as JSON has it."""
        return {item.name: _dumped(getattr(self, item.name)) for item in fields(self)}


def _dumped(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, _Value):
        return value.model_dump()
    if isinstance(value, dict):
        return {name: _dumped(item) for name, item in value.items()}
    return [_dumped(item) for item in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedAdjustment(_Value):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRequest(_Value):
    """One target, scouter or pair: role to name, answers, ticks by hand, adjustments, other inputs.

    `ids` are the numbers of those in a role, in the order of their names, where it is known who is meant: whoever is called
    otherwise later is still meant. `people` are the names of those who stand in a role themselves, under no label: no
    subject of the campaign is meant, and the role has a mark in their place.
    """

    subjects: dict[str, str]
    people: dict[str, str] = field(default_factory=dict)
    ids: dict[str, tuple[int | None, ...]] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    adjustments: tuple[TypedAdjustment, ...] = ()

    @classmethod
    def model_validate(cls, value: Mapping[str, Any]) -> Self:
        """Return the part that `value` has made JSON of."""
        ids = {role: tuple(numbers) for role, numbers in value.get("ids", {}).items()}
        adjustments = tuple(TypedAdjustment(**item) for item in value.get("adjustments", ()))
        return cls(**{**value, "ids": ids, "adjustments": adjustments})


def by_label(role: str, label: str | None, own_name: str) -> PartRequest:
    """Return a part with somebody in a role under a label, or under their own name where there is none."""
    if label is not None:
        return PartRequest(subjects={role: label})
    return PartRequest(subjects={role: mark(role)}, people={role: own_name})


def joined(one: PartRequest, other: PartRequest) -> PartRequest:
    """Return a part with those of both, each with their inputs."""
    shared = ("subjects", "people", "inputs")
    return one.model_copy(update={name: {**getattr(one, name), **getattr(other, name)} for name in shared})


@dataclass(frozen=True, slots=True, kw_only=True)
class Amends(_Value):
    """Which entry a roll amends, and why; `upto` is the newest of those on top of it that are taken back for it, 0 for none.

    `since` is the entry that its dice fell in: another one where that entry amends one itself.
    """

    number: int
    since: int
    why: str
    upto: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RollRequest(_Value):
    """A roll of a family of a book.

    `week` names another week than the current one, for its weather; `to` is where the result goes, `here` the channel or
    thread (id) of a public one in place of the results channel; `reason` is the game
    master's reason where the rules ask for one. `staff` says that a game master typed the names: those of players never
    mean anybody who is secret, unless `ids` say so. `led` says that a game master has changed it since. `amends` makes it
    a roll made before, to be made otherwise with the dice that fell then.
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
    led: bool = False
    amends: Amends | None = None

    @classmethod
    def model_validate(cls, value: Mapping[str, Any]) -> Self:
        """Return the request that `value` has made JSON of."""
        amends = Amends(**value["amends"]) if value.get("amends") else None
        parts = tuple(map(PartRequest.model_validate, value["parts"]))
        return cls(**{**value, "parts": parts, "amends": amends})

    @property
    def people(self) -> dict[str, str]:
        """The names of all who stand in it themselves, by role."""
        return {role: name for part in self.parts for role, name in part.people.items()}

    def with_part(self, index: int, part: PartRequest) -> RollRequest:
        """Return the request with another part in place of one."""
        parts = (*self.parts[:index], part, *self.parts[index + 1 :])
        return self.model_copy(update={"parts": parts})


@dataclass(frozen=True, slots=True)
class RollCommand:
    """A roll command as it was typed: in which channel (ids nearest first), book and family, parts, and shared options.

    `here` is the channel or thread (id) for a public result, in place of the results channel; 0 where it was typed in one in
    which the bot may not post. `dice` are faces that somebody
    typed in, for a roll that is made at once. `campaign` is that of a button, which counts in place of the channel's.
    """

    channels: Sequence[int]
    family: tuple[str, str]
    parts: Sequence[PartRequest]
    region: str | None = None
    week: int | None = None
    modifiers: str | None = None
    note: str | None = None
    to: To = "auto"
    here: int | None = None
    dice: Dice | None = None
    campaign: int | None = None


def part_keys(parts: tuple[PartRequest, ...], actor: str, subject: str) -> tuple[str, ...]:
    """Return the keys of the parts of one roll: by subject, by actor, or by both where both differ."""
    pairs = [(part.subjects.get(subject, ""), part.subjects.get(actor, "")) for part in parts]
    subjects, actors = map(set, zip(*pairs, strict=True))
    if len(actors) == 1 and subjects != {""}:
        return tuple(about for about, _ in pairs)
    if len(subjects) == 1:
        return tuple(who for _, who in pairs)
    return tuple(" / ".join(dict.fromkeys(filter(None, pair))) for pair in pairs)
