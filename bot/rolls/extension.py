"""What features bring to rolls: facts, requirements, messages, questions; some to all rolls, some to those of a book alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Generic, TypeVar

from discord import ui
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.encoding import Json
from bot.core.permissions import Person
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.subjects import PartCast
from bot.core.visibility import Viewer
from bot.core.voiding import Hanging
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.pending.store import Answering
from bot.rolls.request import OrderedTask, RollRequest
from bot.rolls.situation import FactProvider, SkyReader
from bot.ui.text import shorten
from bot.ui.todo import FEW, Todo, count_first, few, tally
from rules.book import Book
from rules.climate import Sky
from rules.ends import Moment
from rules.procedure import Part, Procedure, Resolution
from rules.ruleset import RuleSet

MAX_LABEL = 80
"""Characters of a button, as Discord has them."""


class Question(Struct, frozen=True):
    """What the roll of an `entry` leaves to be answered about somebody (a name): one line, and the button that answers it.

    It `holds` something back where somebody's move waits for the answer.
    """

    entry: int
    about: str
    line: str
    label: str
    custom_id: str
    holds: bool = False

    @property
    def button(self) -> ui.Button[ui.LayoutView]:
        """The button that answers it."""
        return ui.Button(label=shorten(self.label, MAX_LABEL), custom_id=self.custom_id)


Asking = Callable[[Connection, Campaign, Moment], Iterable[Question]]
"""Tell what is to be answered in a campaign at a moment; only game masters read it."""


def open_questions(asking: Iterable[Asking], tx: Connection, campaign: Campaign, now: Moment) -> list[Question]:
    """Return what is to be answered in a campaign at a moment: first what holds something back, of that the oldest first."""
    return sorted((item for ask in asking for item in ask(tx, campaign, now)), key=_place)


def as_todo(title: str, what: str, found: Iterable[Question], rest: str) -> Iterator[Todo]:
    """Yield questions of one kind for the desk of a game master; `what` they are has `{s}` where several have an s, `rest` is where all are."""
    asked, count = count_first(found)
    if asked:
        lines = few((f"\N{BULLET} {item.line}" for item in asked), count, rest)
        undone = tally(count, what, (item.about for item in asked))
        yield Todo(title, lines, [[item.button for item in asked[:FEW]]], undone=undone)


def _place(item: Question) -> tuple[bool, int, str]:
    return not item.holds, item.entry, item.custom_id


StateKey = tuple[str, str]
"""A subject and the name of one of its values."""

R = TypeVar("R")
"""What makes rolls: `bot.rolls.resolver.Resolver`, which stands above this module."""


class ResolvedRoll(Struct, frozen=True):
    """A roll whose dice are rolled and whose entry is not written yet; `before` is the state before it, `at` aware UTC, `cast` who is meant in its parts."""

    campaign: Campaign
    request: RollRequest
    resolution: Resolution
    book: RuleSet
    moment: Moment
    at: datetime
    before: State
    cast: Sequence[PartCast]


class ExtraChanges(Struct, frozen=True):
    """Changes that a roll makes beyond the consequences of its parts, and additions to its entry's body.

    One that is `quiet` is for its maker and the staff alone, where it would be for everybody.
    """

    changes: Mapping[StateKey, Json] = field(default_factory=dict)
    body: Mapping[str, Json] = field(default_factory=dict)
    quiet: bool = False


class Afterwards(Struct, frozen=True):
    """What follows a roll once it is committed: posts to send, and lines and buttons for whoever has rolled."""

    posts: tuple[Post, ...] = ()
    lines: tuple[str, ...] = ()
    steps: tuple[ui.Button[ui.LayoutView], ...] = ()


class NeededValue(Struct, frozen=True):
    """A value of the state that a roll of a `family` needs of a character in a part; None when unset. `cast` is who is in it."""

    campaign: Campaign
    family: str | None
    cast: PartCast
    name: str
    value: Json


def needed_values(
    campaign: Campaign, request: RollRequest, procedure: Procedure, before: State, cast: Sequence[PartCast]
) -> Iterator[tuple[str, NeededValue]]:
    """Yield the values of the state that a procedure needs of those in a roll, each with its name."""
    for role, name in procedure.policy.needs:
        for part, meant in zip(request.parts, cast, strict=True):
            (item,) = meant[role]
            value = before.get((item.key, name)) if item else None
            yield name, NeededValue(campaign, procedure.family, meant, part.subjects[role], value)


Requirement = Callable[[Connection, NeededValue], None]
"""Refuse a roll about somebody with NotOpen."""

ExtraRule = Callable[[Connection, ResolvedRoll], ExtraChanges]
"""Return what a roll changes beyond the consequences of its parts, before its entry is written."""

MessageRule = Callable[[Campaign, Entry, Sequence[OutgoingMessage]], Sequence[OutgoingMessage]]
"""Change or add to the messages of a roll."""


AfterVoid = Callable[[Connection, R, Campaign], Iterable[Post]]
"""Do what else follows when entries were undone; return the posts about it."""


VoidRule = Callable[[Connection, R, Campaign, State], None]
"""Refuse with NotOpen to take entries back where these values, as they would be again (None: not set), do not fit the rest."""


VoidedRule = Callable[[Connection, Campaign, Entry], Mapping[str, Json]]
"""Do what else follows when an entry is taken back, beyond its changes; return what its void keeps of that, `also` as lines for the staff."""


def no_sky(_tx: Connection, _campaign: Campaign, _book: Book, _request: RollRequest, _region: str | None) -> Sky:
    """Return a place without weather."""
    return Sky()


class ConsideredRoll(Struct, frozen=True):
    """A roll before its dice: what is asked for, its parts as far as the person may know, who is meant in them, and what the state keeps of these."""

    request: RollRequest
    procedure: Procedure
    book: RuleSet
    parts: Sequence[Part]
    cast: Sequence[PartCast]
    state: State


Bar = Callable[[Connection, R, Viewer, ConsideredRoll], None]
"""Refuse with NotOpen a roll that can't be made by those in it, or any more, as far as the person may know of that."""


AskRule = Callable[[Connection, R, Person, Campaign, RollRequest], object]
"""Ask others before the dice of a card are rolled: return the roll that waits for them, None where nobody is asked."""


Ahead = Callable[[Connection, Campaign, RuleSet, Moment, OrderedTask], Iterable[str]]
"""Return in sentences what is still to be done before a task of orders, for game masters."""


NextSteps = Callable[[Person, Campaign, Entry], Iterable[ui.Button[ui.LayoutView]]]
"""Return the buttons of what comes next after a roll (its entry), which the person may press; they tell nothing else."""


FollowRule = Callable[[Connection, R, Campaign, Entry], Iterable[Post]]
"""Do what else follows a roll (its entry), in the same transaction; return the posts about it."""


EffectKept = Callable[[Connection, Campaign, StateKey], str | None]
"""Return why an effect can't be cleared by hand; None when it can."""

EffectSet = Callable[[Connection, R, Campaign, StateKey, Moment], Iterable[tuple[Change, str]]]
"""Return what follows when an effect is set by hand at a moment: each change with a line for the game master, which may be empty."""


class RollExtension(Struct, Generic[R], frozen=True, kw_only=True):
    """What a feature brings to rolls of a `book`, or of some `families` of it; to every roll where it names no book.

    With `alongside` it's only for campaigns that play by that book too; with `kinds` for entries of these kinds, which aren't
    rolls. `facts` provide facts of a situation; of two that know the same fact, the later one counts. `bars` refuse rolls with
    those who can't take part, `ahead` says what the card of a task warns of. `extra` rules see a roll before its entry is
    written, and `messages` what is posted of it. `follows` do what else follows a roll. Once an entry is void, `voided` do what
    else follows, and `unsaid` strike through what was posted of it. `next_steps` are the buttons under its receipt. `asks` let
    a card wait for people, and `answering` says by family how rolls that wait are answered.
    """

    book: str | None = None
    families: Collection[str] = ()
    alongside: str | None = None
    kinds: Collection[str] = ()
    facts: tuple[FactProvider, ...] = ()
    bars: tuple[Bar[R], ...] = ()
    ahead: tuple[Ahead, ...] = ()
    extra: tuple[ExtraRule, ...] = ()
    messages: tuple[MessageRule, ...] = ()
    follows: tuple[FollowRule[R], ...] = ()
    voided: tuple[VoidedRule, ...] = ()
    unsaid: tuple[FollowRule[R], ...] = ()
    next_steps: tuple[NextSteps, ...] = ()
    asks: tuple[AskRule[R], ...] = ()
    answering: Mapping[str, Answering] = field(default_factory=dict)

    def applies(self, campaign: Campaign, book: str, family: str) -> bool:
        """Return whether it is for rolls of a family of a book in a campaign."""
        if self.kinds or (self.alongside is not None and self.alongside not in campaign.books):
            return False
        return self.book is None or (self.book == book and (not self.families or family in self.families))


_JOINED = ("facts", "bars", "ahead", "extra", "messages", "follows", "voided", "unsaid", "asks", "next_steps")


class Hooks(Struct, Generic[R], frozen=True, kw_only=True):
    """What a feature brings to rolls, and to what follows from entries; `bot.kernel.Feature` says what each is for."""

    book: str | None = None
    rolls: tuple[RollExtension[R], ...] = ()
    requirements: Mapping[str, Requirement] = field(default_factory=dict)
    sky: SkyReader | None = None
    scenes: tuple[str, ...] = ()
    voidable: tuple[VoidRule[R], ...] = ()
    hanging: tuple[Hanging, ...] = ()
    after_void: AfterVoid[R] | None = None
    questions: tuple[Asking, ...] = ()
    keeps_effect: EffectKept | None = None
    effect_set: EffectSet[R] | None = None


class RollExtensions(Generic[R]):
    """What all features bring to rolls, together."""

    def __init__(self, features: Sequence[Hooks[R]]) -> None:
        self.features = features
        self.rolls = [item for feature in features for item in feature.rolls]
        self.requirements = {name: rule for feature in features for name, rule in feature.requirements.items()}
        self.sky = next((feature.sky for feature in features if feature.sky is not None), no_sky)
        self.voidable = [rule for feature in features for rule in feature.voidable]
        self.after_void = [item.after_void for item in features if item.after_void is not None]
        self.keeps_effect = [item.keeps_effect for item in features if item.keeps_effect is not None]
        self.effect_set = [item.effect_set for item in features if item.effect_set is not None]

    def of(self, campaign: Campaign, book: str, family: str) -> RollExtension[R]:
        """Return what is for rolls of a family of a book in a campaign, as one."""
        return self._join([part for part in self.rolls if part.applies(campaign, book, family)])

    def of_entry(self, campaign: Campaign, entry: Entry) -> RollExtension[R]:
        """Return what is for an entry, as one."""
        if entry.kind != "roll":
            return self._join([part for part in self.rolls if entry.kind in part.kinds])
        body = entry.content()
        return self.of(campaign, body["book"], body["family"])

    def answering(self, request: RollRequest) -> Answering | None:
        """Return how a roll that waits is answered; None where no feature knows any more."""
        mine = (part.answering.get(request.family) for part in self.rolls if part.book == request.book)
        return next(filter(None, mine), None)

    @staticmethod
    def _join(parts: Sequence[RollExtension[R]]) -> RollExtension[R]:
        joined: dict[str, Json] = {
            name: tuple(item for part in parts for item in getattr(part, name)) for name in _JOINED
        }
        return RollExtension(**joined)

    def open_questions(self, tx: Connection, campaign: Campaign, now: Moment) -> list[Question]:
        """Return what is to be answered in a campaign at a moment."""
        mine = (item for item in self.features if item.book is None or item.book in campaign.books)
        asking = [ask for item in mine for ask in item.questions]
        return open_questions(asking, tx, campaign, now)

    def foreign(self, book: str) -> frozenset[str]:
        """Return the kinds of scenes that other books play."""
        return frozenset(kind for item in self.features if item.book and item.book != book for kind in item.scenes)

    def hangs_on(self, change: Change) -> tuple[str, ...]:
        """Return how the names begin of those values of the same subject that are nothing without what a change has begun."""
        return tuple(name for item in self.features for rule in item.hanging for name in rule(change))
