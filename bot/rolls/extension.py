"""What features bring to rolls: facts, requirements, messages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, Self

from discord import ui
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.house_files import HouseFile
from bot.core.permissions import Person
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.subjects import PartCast
from bot.core.visibility import Viewer
from bot.core.voiding import Hanging
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.rolls.news import Concern
from bot.rolls.pending.answering import Answering
from bot.rolls.questions import Asking
from bot.rolls.request import OrderedTask, RollRequest
from bot.rolls.situation import FactProvider, SkyReader
from rules.book import Book
from rules.climate import Sky
from rules.ends import Moment
from rules.procedure import Part, Procedure, Resolution
from rules.ruleset import RuleSet

StateKey = tuple[str, str]
"""A subject and the name of one of its values."""


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

    changes: Mapping[StateKey, Any] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    quiet: bool = False


class Afterwards(Struct, frozen=True):
    """What follows a roll once it is committed: posts to send, and lines and buttons for whoever has rolled."""

    posts: tuple[Post, ...] = ()
    lines: tuple[str, ...] = ()
    steps: tuple[ui.Button[Any], ...] = ()


class NeededValue(Struct, frozen=True):
    """A value of the state that a roll of a `family` needs of a character in a part; None when unset. `cast` is who is in it."""

    campaign: Campaign
    family: str | None
    cast: PartCast
    name: str
    value: Any


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


class PlayedBooks(Protocol):
    """The books that a campaign plays by: the library."""

    def book(self, tx: Connection, campaign: Campaign, book_id: str) -> RuleSet:
        """Return one of them, with the campaign's house rules. Raises BadInput where it isn't played."""
        ...


class HouseRules(Protocol):
    """Who puts books together with files of house rules: the library."""

    def with_files(
        self,
        campaign: Campaign,
        book_id: str,
        files: Sequence[HouseFile],
        texts_of: Callable[[Collection[str]], Mapping[str, str]],
    ) -> RuleSet:
        """Return a book with these files applied. Raises BookError where they have faults."""
        ...


VoidRule = Callable[[Connection, HouseRules, Campaign, State], None]
"""Refuse with NotOpen to take entries back where these values, as they would be again (None: not set), do not fit the rest."""


VoidedRule = Callable[[Connection, Campaign, Entry], Mapping[str, Any]]
"""Do what else follows when an entry is taken back, beyond its changes; return what its void keeps of that, `also` as lines for the staff."""


def _no_sky(_tx: Connection, _campaign: Campaign, _book: Book, _request: RollRequest, _region: str | None) -> Sky:
    return Sky()


class ConsideredRoll(Struct, frozen=True):
    """A roll before its dice: what is asked for, its parts as far as the person may know, who is meant in them, and what the state keeps of these."""

    request: RollRequest
    procedure: Procedure
    book: RuleSet
    parts: Sequence[Part]
    cast: Sequence[PartCast]
    state: State


Bar = Callable[[Connection, Any, Viewer, ConsideredRoll], None]
"""With the resolver (it is above this module), refuse a roll with somebody who cannot take part in it, such as the dead, or of orders that are others by now, with NotOpen, as far as the person may know of that."""


AskRule = Callable[[Connection, Any, Person, Campaign, RollRequest], object]
"""With the resolver, ask others before the dice of a card fall: return the roll that waits for them, None where nobody is asked."""


Ahead = Callable[[Connection, Campaign, RuleSet, Moment, OrderedTask], Iterable[str]]
"""Return in sentences what is still to be done before a task of orders, for game masters."""


NextSteps = Callable[[Person, Campaign, Entry], Iterable[ui.Button[Any]]]
"""Return the buttons of what comes next after a roll (its entry), which the person may press; they tell nothing else."""


FollowRule = Callable[[Connection, Any, Campaign, Entry], Iterable[Post]]
"""Do what else follows a roll (its entry) in its transaction, with the resolver (it stands above this module); return the posts that tell of it."""


AfterVoid = Callable[[Connection, Any, Campaign], Iterable[Post]]
"""Do what else follows when entries were taken back, with the resolver as in a `FollowRule`; return the posts that tell of it."""


EffectKept = Callable[[Connection, Campaign, StateKey], str | None]
"""Return why an effect can't be cleared by hand; None when it can."""

EffectSet = Callable[[Connection, PlayedBooks, Campaign, StateKey, Moment], Iterable[tuple[Change, str]]]
"""Return what follows when an effect is set by hand at a moment: each change with a line for the game master, which may be empty."""


class RollExtension(Struct, frozen=True):
    """What a feature brings to rolls.

    `facts` provide facts of a situation; of two that know the same fact, the later one counts. `requirements` check values
    of the state that a procedure needs of somebody, by name. `bars` refuse rolls with those who cannot take part, `ahead` tells what the card of a task warns of.
    `extra` rules see every roll. `sky` reads the weather of a place. `played` says by which book scenes of a kind are played:
    what holds there counts in rolls of that book alone. `voidable` rules look at what would be so again when
    entries are taken back, `voided` rules do what else follows then; `hanging` tell what else goes with what an entry began; `concerns` tell whose owners are pinged.
    `next_steps` are the buttons under the receipts of rolls. `answering` says of families (book and family) how rolls of
    theirs that wait for somebody are answered. `follows` do what else follows one,
    `unsaid` strike through what these have told of an entry that is void by now, `after_void` do what follows when entries were taken back. `questions` tell what rolls leave for game masters to answer, `asks` what a card waits for. `keeps_effect` and `effect_set` are rules about effects that game masters clear and set.
    """

    facts: tuple[FactProvider, ...] = ()
    requirements: Mapping[str, Requirement] = field(default_factory=dict)
    bars: tuple[Bar, ...] = ()
    ahead: tuple[Ahead, ...] = ()
    extra: tuple[ExtraRule, ...] = ()
    messages: tuple[MessageRule, ...] = ()
    sky: SkyReader = _no_sky
    voidable: tuple[VoidRule, ...] = ()
    voided: tuple[VoidedRule, ...] = ()
    hanging: tuple[Hanging, ...] = ()
    concerns: tuple[Concern, ...] = ()
    next_steps: tuple[NextSteps, ...] = ()
    answering: Mapping[tuple[str, str], Answering] = field(default_factory=dict)
    follows: tuple[FollowRule, ...] = ()
    unsaid: tuple[FollowRule, ...] = ()
    after_void: tuple[AfterVoid, ...] = ()
    questions: tuple[Asking, ...] = ()
    played: Mapping[str, str] = field(default_factory=dict)
    asks: tuple[AskRule, ...] = ()
    keeps_effect: tuple[EffectKept, ...] = ()
    effect_set: tuple[EffectSet, ...] = ()

    @classmethod
    def join(cls, parts: Iterable[Self]) -> Self:
        """Return one extension with the parts of all of these."""
        every = list(parts)
        return cls(
            facts=tuple(item for part in every for item in part.facts),
            requirements={name: rule for part in every for name, rule in part.requirements.items()},
            bars=tuple(item for part in every for item in part.bars),
            ahead=tuple(item for part in every for item in part.ahead),
            extra=tuple(item for part in every for item in part.extra),
            messages=tuple(item for part in every for item in part.messages),
            sky=next((part.sky for part in every if part.sky is not _no_sky), _no_sky),
            hanging=tuple(item for part in every for item in part.hanging),
            next_steps=tuple(item for part in every for item in part.next_steps),
            follows=tuple(item for part in every for item in part.follows),
            unsaid=tuple(item for part in every for item in part.unsaid),
            after_void=tuple(item for part in every for item in part.after_void),
            questions=tuple(item for part in every for item in part.questions),
            asks=tuple(item for part in every for item in part.asks),
            keeps_effect=tuple(item for part in every for item in part.keeps_effect),
            effect_set=tuple(item for part in every for item in part.effect_set),
            voidable=tuple(item for part in every for item in part.voidable),
            voided=tuple(item for part in every for item in part.voided),
            concerns=tuple(item for part in every for item in part.concerns),
            played={kind: book for part in every for kind, book in part.played.items()},
            answering={family: how for part in every for family, how in part.answering.items()},
        )

    def foreign(self, book: str) -> frozenset[str]:
        """Return the kinds of scenes that other books play."""
        return frozenset(kind for kind, by in self.played.items() if by != book)

    def hangs_on(self, change: Change) -> tuple[str, ...]:
        """Return how the names begin of those values of the same subject that are nothing without what a change has begun."""
        return tuple(name for rule in self.hanging for name in rule(change))
