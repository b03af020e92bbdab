"""What features bring to rolls: facts, requirements, messages, questions."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

from discord import ui
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core import permissions, subjects, visibility, voiding
from bot.core.campaigns import Campaign
from bot.core.ledger import EntryKind
from bot.core.records import Change, Entry, Json
from bot.core.scenes import Kind
from bot.core.state import State
from bot.outbox.queue import OutgoingMessage, Post
from bot.rolls.pending.store import AnswerRules
from bot.rolls.request import OrderedTask, RollRequest
from bot.rolls.situation import FactProvider, SkyReader
from bot.ui import receipt, text
from rules import climate, effects, ruleset
from rules.book import Book
from rules.procedure import Part, Procedure, Resolution

MAX_LABEL = 80


class Question(Struct, frozen=True):
    """An open question about someone after an `entry`, and the button to answer it. It `holds` if a move waits for it."""

    entry: int
    about: str
    line: str
    label: str
    custom_id: str
    holds: bool = False

    @property
    def button(self) -> ui.Button[ui.LayoutView]:
        """The button that answers the question."""
        return ui.Button(label=text.shorten(self.label, MAX_LABEL), custom_id=self.custom_id)


Asking = Callable[[Connection, Campaign, effects.Moment], Iterable[Question]]


def open_questions(asking: Iterable[Asking], tx: Connection, campaign: Campaign, now: effects.Moment) -> list[Question]:
    """Return open questions, first those that hold something back, oldest first."""
    return sorted((item for ask in asking for item in ask(tx, campaign, now)), key=_place)


def as_todo(title: str, what: str, found: Iterable[Question], rest: str) -> Iterator[receipt.Todo]:
    """Yield questions as a desk's todo. `what` has `{s}` for the plural, `rest` is the command that lists all."""
    asked, count = receipt.count_first(found)
    if asked:
        lines = receipt.few((f"\N{BULLET} {item.line}" for item in asked), count, rest)
        undone = receipt.tally(count, what, (item.about for item in asked))
        yield receipt.Todo(title, lines, [[item.button for item in asked[: receipt.FEW]]], undone=undone)


def _place(item: Question) -> tuple[bool, int, str]:
    return not item.holds, item.entry, item.custom_id


StateKey = tuple[str, str]

R = TypeVar("R")
"""The resolver, which is above this module."""


class ResolvedRoll(Struct, frozen=True):
    """A roll whose dice are rolled and whose entry isn't written yet. `before` is the state, `at` aware UTC."""

    campaign: Campaign
    request: RollRequest
    resolution: Resolution
    book: ruleset.RuleSet
    moment: effects.Moment
    at: datetime
    before: State
    cast: Sequence[subjects.PartCast]


class ExtraChanges(Struct, frozen=True):
    """Further changes of a roll and additions to its body. A `quiet` roll stays between maker and staff."""

    changes: Mapping[StateKey, Json] = field(default_factory=dict)
    body: Mapping[str, Json] = field(default_factory=dict)
    quiet: bool = False


class FollowUp(Struct, frozen=True):
    """What follows a committed roll: posts, and lines and buttons for the roller."""

    posts: tuple[Post, ...] = ()
    lines: tuple[str, ...] = ()
    steps: tuple[ui.Button[ui.LayoutView], ...] = ()


ExtraRule = Callable[[Connection, ResolvedRoll], ExtraChanges]


class NeededValue(Struct, frozen=True):
    """A value that a roll needs of someone, None when unset. `cast` is who is in the part."""

    campaign: Campaign
    family: str | None
    cast: subjects.PartCast
    name: str
    value: Json


def list_needed_values(
    campaign: Campaign, request: RollRequest, procedure: Procedure, before: State, cast: Sequence[subjects.PartCast]
) -> Iterator[tuple[str, NeededValue]]:
    """Yield (name, value) for each value that a procedure needs of people in a roll."""
    for role, name in procedure.policy.needs:
        for part, meant in zip(request.parts, cast, strict=True):
            (item,) = meant[role]
            value = before.get((item.key, name)) if item else None
            yield name, NeededValue(campaign, procedure.family, meant, part.subjects[role], value)


class ConsideredRoll(Struct, frozen=True):
    """A roll before its dice: the request, its parts as the person may know them, who is meant, and their state."""

    request: RollRequest
    procedure: Procedure
    book: ruleset.RuleSet
    parts: Sequence[Part]
    cast: Sequence[subjects.PartCast]
    state: State


Following = Callable[[Connection, R, Campaign, Entry], Iterable[Post]]


class RollExtension(Struct, Generic[R], frozen=True, kw_only=True):
    """What a feature brings to rolls of its `book` or some `families`; without a book, to every roll.

    With `alongside`, only in campaigns that play that book too. With `kinds`, for these entries instead of rolls.
    With `tasks`, only for rolls that carry out orders.

    - Of two `facts` about the same thing, the later counts.
    - `bars` refuse (NotOpen) a roll with those who can't take part, within what the person may know.
    - `ahead` says what to do before a task, for game masters.
    - `extra` adds changes before the entry is written, `messages` changes the posts, `calls` adds mentions to them.
    - `follows` does more in the same transaction; `next_steps` are buttons, which reveal nothing else.
    - `voided` runs before the entry is void: its void keeps what that returns (`also` are lines for the staff).
    - `unsaid` strikes further posts through, after.
    - `answering` says by family how others answer a roll before its dice.
    """

    book: str | None = None
    families: Collection[str] = ()
    alongside: str | None = None
    kinds: Collection[str] = ()
    tasks: bool = False
    facts: tuple[FactProvider, ...] = ()
    bars: tuple[Callable[[Connection, R, visibility.Viewer, ConsideredRoll], None], ...] = ()
    ahead: tuple[
        Callable[[Connection, Campaign, ruleset.RuleSet, effects.Moment, OrderedTask], Iterable[str]], ...
    ] = ()
    extra: tuple[ExtraRule, ...] = ()
    messages: tuple[Callable[[Campaign, Entry, Sequence[OutgoingMessage]], Sequence[OutgoingMessage]], ...] = ()
    calls: tuple[
        Callable[[Connection, R, Campaign, Entry, Sequence[OutgoingMessage]], Sequence[OutgoingMessage]], ...
    ] = ()
    follows: tuple[Following[R], ...] = ()
    voided: tuple[Callable[[Connection, Campaign, Entry], Mapping[str, Json]], ...] = ()
    unsaid: tuple[Following[R], ...] = ()
    next_steps: tuple[Callable[[permissions.Person, Campaign, Entry], Iterable[ui.Button[ui.LayoutView]]], ...] = ()
    answering: Mapping[str, AnswerRules] = field(default_factory=dict)


_JOINED = ("facts", "bars", "ahead", "extra", "messages", "calls", "follows", "voided", "unsaid", "next_steps")


class Hooks(Struct, Generic[R], frozen=True, kw_only=True):
    """What a feature brings to rolls and to what follows from entries.

    - `book` is the one it plays by, None if it serves all: while that is off, help leaves the feature out.
    - `rolls` are what it brings to rolls, for which books and families. `sky` reads the weather of a place.
    - `requirements` refuse (NotOpen) a roll whose subject lacks a value, by the value's name.
    - `entry_kinds` are the ledger entries that it writes; scenes of these kinds count in its book's rolls only.
    - `kind` is its kind of scene.
    - `voidable` refuse (NotOpen) an undo that leaves values (None: unset) that don't fit. `hanging` say what is undone too.
    - `questions` are for game masters, where its book is played.
    - `keeps_effect` says why an effect can't be cleared by hand, if it can't.
    - `effect_set` adds changes to setting one, each with a line or "".
    """

    book: str | None = None
    rolls: tuple[RollExtension[R], ...] = ()
    requirements: Mapping[str, Callable[[Connection, NeededValue], None]] = field(default_factory=dict)
    sky: SkyReader | None = None
    entry_kinds: tuple[EntryKind, ...] = ()
    kind: Kind[Any] | None = None
    voidable: tuple[Callable[[Connection, R, Campaign, State], None], ...] = ()
    hanging: tuple[voiding.Hanging, ...] = ()
    questions: tuple[Asking, ...] = ()
    keeps_effect: Callable[[Connection, Campaign, StateKey], str | None] | None = None
    effect_set: Callable[[Connection, R, Campaign, StateKey, effects.Moment], Iterable[tuple[Change, str]]] | None = (
        None
    )


def _no_sky(
    _tx: Connection, _campaign: Campaign, _book: Book, _request: RollRequest, _region: str | None
) -> climate.RegionWeather:
    return climate.RegionWeather()


class RollExtensions(Generic[R]):
    """What all features bring to rolls, together."""

    def __init__(self, features: Sequence[Hooks[R]]) -> None:
        self.features = features
        self.rolls = [item for feature in features for item in feature.rolls]
        self.requirements = {name: rule for feature in features for name, rule in feature.requirements.items()}
        self.sky = next((feature.sky for feature in features if feature.sky is not None), _no_sky)
        self.voidable = [rule for feature in features for rule in feature.voidable]
        self.keeps_effect = [item.keeps_effect for item in features if item.keeps_effect is not None]
        self.effect_set = [item.effect_set for item in features if item.effect_set is not None]
        self._joined: dict[tuple[int, ...], RollExtension[R]] = {}

    def of(self, campaign: Campaign, book: str, family: str, *, task: bool = False) -> RollExtension[R]:
        """Return what features bring to rolls of a book's family, also as a `task` of orders, as one extension."""
        there = [part for part in self.rolls if not part.kinds and part.alongside in {None, *campaign.books}]
        mine = (part for part in there if part.book in {None, book} and (task or not part.tasks))
        return self._join([part for part in mine if part.book is None or family in (part.families or [family])])

    def of_entry(self, campaign: Campaign, entry: Entry) -> RollExtension[R]:
        """Return what features bring to an entry, joined into one extension."""
        if entry.kind != "roll":
            return self._join([part for part in self.rolls if entry.kind in part.kinds])
        body = entry.content()
        return self.of(campaign, body["book"], body["family"])

    def follow(self, tx: Connection, resolver: R, campaign: Campaign, entry: Entry) -> Iterator[Post]:
        """Do what follows an entry, and yield posts."""
        for rule in self.of_entry(campaign, entry).follows:
            yield from rule(tx, resolver, campaign, entry)

    def find_answering(self, request: RollRequest) -> AnswerRules | None:
        """Return how a waiting roll is answered; None if no feature knows any more."""
        mine = (part.answering.get(request.family) for part in self.rolls if part.book == request.book)
        return next(filter(None, mine), None)

    def _join(self, parts: Sequence[RollExtension[R]]) -> RollExtension[R]:
        key = tuple(map(id, parts))
        if key not in self._joined:
            joined: dict[str, Json] = {
                name: tuple(item for part in parts for item in getattr(part, name)) for name in _JOINED
            }
            self._joined[key] = RollExtension(**joined)
        return self._joined[key]

    def open_questions(self, tx: Connection, campaign: Campaign, now: effects.Moment) -> list[Question]:
        """Return a campaign's open questions."""
        mine = (item for item in self.features if item.book is None or item.book in campaign.books)
        asking = [ask for item in mine for ask in item.questions]
        return open_questions(asking, tx, campaign, now)

    def foreign(self, book: str) -> frozenset[str]:
        """Return the entry kinds of other books, which are those of their scenes too, such as fights."""
        others = (item for item in self.features if item.book and item.book != book)
        return frozenset(kind.name for item in others for kind in item.entry_kinds)

    def hangs_on(self, change: Change) -> tuple[str, ...]:
        """Return the beginnings of names, on the same subject, that depend on what a change began."""
        kinds = [item.kind.hangs for item in self.features if item.kind is not None]
        rules = [*kinds, *(rule for item in self.features for rule in item.hanging)]
        return tuple(name for rule in rules for name in rule(change))
