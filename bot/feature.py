"""What a feature brings to the bot, as one value; `bot/app.py` lists them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from discord import Guild, app_commands, ui
from msgspec import Struct, field
from sqlalchemy import Connection

from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Body, EntryKind
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.visibility import Viewer
from bot.core.voiding import Hanging
from bot.orders.asides import OrderAside
from bot.orders.illustration import Illustration
from bot.orders.standing import StandingOrder
from bot.outbox.pictures import Drawing
from bot.outbox.store import Post
from bot.rolls.extension import AfterVoid, Afterwards, EffectKept, EffectSet, Requirement, RollExtension, VoidRule
from bot.rolls.news import Concern
from bot.rolls.questions import Asking
from bot.rolls.resolver import Resolver, Rolled
from bot.rolls.situation import SkyReader
from bot.schedules.jobs import Job
from bot.ui.components import Component, ModalForm
from bot.ui.next_steps import NextStep
from bot.ui.reply import AnyInteraction
from bot.ui.todo import Todo

Command = app_commands.Command[Any, ..., Any] | app_commands.Group
"""A slash command, or a group of them."""

Client = Any
"""The running bot: `bot.client.Adjutant`, which stands above this module."""

Chore = Callable[[Client], Awaitable[Sequence[Post]]]
"""Do what is due; return the posts to send."""


class EntryPicture(Struct, frozen=True):
    """The picture of entries of a kind: from what an entry says comes what draws it, or None where the picture is another's.

    `newest` gives what the digest of an update shows beside the results, such as the week's map.
    """

    kind: EntryKind
    plan: Callable[[Connection, Library, Campaign, Body], Drawing | None]
    newest: Callable[[Connection, Library, Campaign], Illustration | None] | None = None


class Feature(Struct, frozen=True, kw_only=True):
    """One feature: everything by which the rest of the bot knows it.

    - `book` is the book that it plays by, None for one that serves all of them: while that is off, help leaves it out.
    - `commands` are its slash commands and groups of them; `components` and `modals` answer what people press and send.
    - `entry_kinds` are the ledger entries that it writes.
    - `rolls` are what it brings to rolls, for which books and families.
    - `requirements` refuse (NotOpen) a roll about somebody whose value of the state, by its name, isn't what the rules need.
    - `sky` reads the weather of a place. `scenes` are the kinds of scenes that its book plays: what holds there counts in its rolls alone.
    - `voidable` refuse (NotOpen) to undo entries where what would be so again doesn't fit the rest; `hanging` say what goes along;
      `after_void` does what follows then, and gives posts.
    - `concerns` say whose owners an entry pings. `questions` are what game masters have to answer where its book is played.
    - `jobs` can be scheduled; `chores` are done every few seconds, `watches` as often as posts are sent.
    - `farewell` does what is to be done when a server (as it was) has removed the bot: for its campaigns (ids), which rest.
    - `pictures` are those of its entries.
    - `status` tells lines about somebody for that one's card, as far as the viewer may know.
    - `next_steps` gives what is to be done in a campaign that has just begun; `draw_steps` draws the card of all of these.
    - `unfinished` gives what waits in a campaign while the book that it is played by is off.
    - `renaming` refuses (BadInput) what a subject (number) is to be called from now on, where that cannot be.
    - `removed` gives further changes when what is saved of a subject (number) is removed by an entry (number); it sees the whole state.
    - `after_removal` does what else follows then, in the same transaction: it takes the resolver, who removes, and the entry (number), and gives posts.
    - `after_roll` does what follows a roll once it is committed, and tells it to whoever has rolled.
    - `keeps_effect` says why an effect (subject, name) cannot be cleared by hand, None when it can.
    - `effect_set` gives what follows when an effect (subject, name) is set by hand at a moment (with its entry): each further
      change with a line for the game master, which may be empty.
    - `todo` gives what waits on the desk of the week, as far as the viewer, who takes part, may see and do it.
    - `counts` tells where its own count of time stands, such as `week 13`: it is told beside the update.
    - `beside_order` gives what is told beside an order that the viewer has given, None of others' kinds.
    """

    book: str | None = None
    commands: tuple[Command, ...] = ()
    components: tuple[Component, ...] = ()
    modals: tuple[ModalForm, ...] = ()
    entry_kinds: tuple[EntryKind, ...] = ()
    rolls: tuple[RollExtension[Resolver], ...] = ()
    requirements: Mapping[str, Requirement] = field(default_factory=dict)
    sky: SkyReader | None = None
    scenes: tuple[str, ...] = ()
    voidable: tuple[VoidRule, ...] = ()
    hanging: tuple[Hanging, ...] = ()
    after_void: AfterVoid[Resolver] | None = None
    concerns: tuple[Concern, ...] = ()
    questions: tuple[Asking, ...] = ()
    jobs: tuple[Job, ...] = ()
    chores: tuple[Chore, ...] = ()
    watches: tuple[Chore, ...] = ()
    farewell: Callable[[Client, Guild, Sequence[int]], Awaitable[None]] | None = None
    pictures: tuple[EntryPicture, ...] = ()
    status: Callable[[Connection, Library, Viewer, Profile], Iterable[str]] | None = None
    next_steps: Callable[[Connection, Library, Campaign], Iterable[NextStep]] | None = None
    draw_steps: Callable[[AnyInteraction, int], Awaitable[ui.LayoutView]] | None = None
    unfinished: Callable[[Connection, Campaign], Iterable[str]] | None = None
    renaming: Callable[[Connection, Campaign, int, str], None] | None = None
    removed: Callable[[State, int, int], Iterable[Change]] | None = None
    after_removal: Callable[[Connection, Resolver, Person, Campaign, int], Iterable[Post]] | None = None
    after_roll: Callable[[AnyInteraction, Rolled], Awaitable[Afterwards]] | None = None
    keeps_effect: EffectKept | None = None
    effect_set: EffectSet | None = None
    todo: Callable[[Connection, Library, Viewer], Iterable[Todo]] | None = None
    counts: Callable[[Connection, Campaign], str | None] | None = None
    beside_order: Callable[[Connection, Library, Viewer, StandingOrder], OrderAside | None] | None = None


def picture_of(
    library: Library, features: Sequence[Feature], tx: Connection, campaign: Campaign, entry: Entry
) -> Drawing | None:
    """Return what draws the picture of an entry; None when it has none."""
    body, pictures = entry.content(), (item for feature in features for item in feature.pictures)
    mine = (item for item in pictures if item.kind.name == entry.kind and item.kind.matches(body))
    return next((draw for item in mine if (draw := item.plan(tx, library, campaign, body))), None)
