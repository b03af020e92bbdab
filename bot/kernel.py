"""The kernel put together, without Discord, and what each feature brings to it: `bot/app.py` lists the features."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Self

import discord
from discord import Guild, app_commands, ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.config import Settings
from bot.core import campaigns, entries
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.entry_kinds import Body, EntryKind, EntryKinds
from bot.core.ledger import Ledger
from bot.core.library import BookComposer, Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import Change, Entry
from bot.core.state import State
from bot.core.visibility import Viewer
from bot.orders.additions import Illustration, OrderAddition
from bot.orders.standing import StandingOrder
from bot.outbox.delivery import Outbox
from bot.outbox.message import Drawing, illustrate
from bot.outbox.store import SHOWS, Post
from bot.rolls import buttons as rolls
from bot.rolls.entries import ROLL
from bot.rolls.extension import (
    Afterwards,
    Hooks,
    RollExtensions,
)
from bot.rolls.fairness.entry_checks import entry_faults
from bot.rolls.fairness.random_org import Outside
from bot.rolls.resolver import Resolver, Rolled
from bot.schedules import embed as schedules
from bot.schedules.store import Job
from bot.ui.components import Component, ModalForm
from bot.ui.reply import AnyInteraction
from bot.ui.todo import NextStep, Todo
from rules.dice import Dice
from rules.ruleset import RuleSet

SlashCommand = app_commands.Command[Any, ..., Any]
Command = SlashCommand | app_commands.Group
"""A slash command, or a group of them."""


class Client(discord.AutoShardedClient):
    """What chores and features use of the running bot: `bot.client.Adjutant`, which is above this module."""

    settings: Settings
    database: Database
    ledger: Ledger
    library: Library
    outbox: Outbox
    resolver: Resolver
    kinds: EntryKinds
    features: tuple[Feature, ...]

    def has_left(self, guild_id: int) -> bool:
        """Return whether this process would know of a server and doesn't, so that the bot isn't on it; one that is unavailable is known."""
        shards = self.shard_count or 1
        return (guild_id >> 22) % shards in self.shards and self.get_guild(guild_id) is None


Chore = Callable[[Client], Awaitable[Sequence[Post]]]
"""Do what is due; return the posts to send."""


class EntryPicture(Struct, frozen=True):
    """The picture of entries of a kind: from what an entry says comes what draws it, or None where the picture is another's.

    `newest` gives what the digest of an update shows beside the results, such as the week's map.
    """

    kind: EntryKind
    plan: Callable[[Connection, Library, Campaign, Body], Drawing | None]
    newest: Callable[[Connection, Library, Campaign], Illustration | None] | None = None


class Feature(Hooks[Resolver], frozen=True, kw_only=True):
    """One feature: everything by which the rest of the bot knows it.

    - `book` is the book that it plays by, None for one that serves all of them: while that is off, help leaves it out.
    - `commands` are its slash commands and groups of them; `components` and `modals` answer what people press and send.
    - `entry_kinds` are the ledger entries that it writes.
    - `rolls` are what it brings to rolls, for which books and families.
    - `requirements` refuse (NotOpen) a roll about somebody whose value of the state, by its name, isn't what the rules need.
    - `sky` reads the weather of a place. `scenes` are the kinds of scenes that its book plays: what holds there counts in its rolls alone.
    - `voidable` refuse (NotOpen) to undo entries where what would be so again doesn't fit the rest; `hanging` say what goes along;
      `after_void` does what follows then, and gives posts.
    - `questions` are what game masters have to answer where its book is played.
    - `jobs` can be scheduled; `chores` are done every few seconds, `watches` as often as posts are sent.
    - `farewell` does what is to be done when a server (as it was) has removed the bot: for its campaigns (ids), which rest.
    - `pictures` are those of its entries.
    - `status` tells lines about somebody for that one's card, as far as the viewer may know.
    - `next_steps` gives what is to be done in a campaign that has just begun; `draw_steps` draws the card of all of these.
    - `unfinished` gives what waits in a campaign while the book that it is played by is off.
    - `renaming` refuses (BadInput) what a subject (number) is to be called from now on, where that cannot be.
    - `removed` gives further changes when what is saved of a subject (number) is removed by an entry (number); it sees the whole state.
    - `after_removal` does what else follows then, in the same transaction: it takes the resolver, who removes, and the entry (number), and gives posts.
    - `after_roll` does what follows a roll of its book, or of any where it has none, once that is committed.
    - `keeps_effect` says why an effect (subject, name) cannot be cleared by hand, None when it can.
    - `effect_set` gives what follows when an effect (subject, name) is set by hand at a moment (with its entry): each further
      change with a line for the game master, which may be empty.
    - `todo` gives what waits on the desk of the week, as far as the viewer, who takes part, may see and do it.
    - `beside_order` gives what is shown beside an order of its book that the viewer has given.
    """

    commands: tuple[Command, ...] = ()
    components: tuple[Component, ...] = ()
    modals: tuple[ModalForm, ...] = ()
    entry_kinds: tuple[EntryKind, ...] = ()
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
    todo: Callable[[Connection, Library, Viewer], Iterable[Todo]] | None = None
    beside_order: Callable[[Connection, Library, Viewer, StandingOrder], OrderAddition | None] | None = None


def picture_of(
    library: Library, features: Sequence[Feature], tx: Connection, campaign: Campaign, entry: Entry
) -> Drawing | None:
    """Return what draws the picture of an entry; None when it has none."""
    body, pictures = entry.content(), (item for feature in features for item in feature.pictures)
    mine = (item for item in pictures if item.kind.name == entry.kind and item.kind.matches(body))
    return next((draw for item in mine if (draw := item.plan(tx, library, campaign, body))), None)


class Kernel(Struct, frozen=True):
    """Everything below the features, and what they bring to it."""

    database: Database
    ledger: Ledger
    library: Library
    outbox: Outbox
    resolver: Resolver
    kinds: EntryKinds
    features: tuple[Feature, ...]
    outside: Outside | None = None

    @classmethod
    def build(  # noqa: PLR0913 - all that comes from outside is handed in by name
        cls,
        features: Sequence[Feature],
        *,
        database: Database,
        ledger: Ledger,
        books: Mapping[str, RuleSet],
        dice: Dice | None,
        composer: BookComposer,
        outside: Outside | None = None,
    ) -> Self:
        """Put the kernel together; time, chance, dice and books come in from outside, and where random.org is asked."""
        kinds = entry_kinds(features)
        library = Library(books, composer)
        outbox = Outbox(
            database,
            ledger=ledger,
            illustrate=partial(illustrate, database, partial(drawing_of, library, features)),
            buttons={"question": schedules.post_buttons, **dict.fromkeys(SHOWS, rolls.post_buttons)},
        )
        resolver = Resolver(
            library,
            ledger=ledger,
            outbox=outbox,
            dice=dice,
            kinds=kinds,
            extension=RollExtensions(features),
            outside=outside,
        )
        return cls(database, ledger, library, outbox, resolver, kinds, tuple(features), outside)


def drawing_of(library: Library, features: Sequence[Feature], tx: Connection, post: Post) -> Drawing | None:
    """Return what draws the picture of the entry that a post tells of; None when it has none."""
    campaign = campaigns.get_campaign(tx, post.campaign_id)
    entry = None if post.entry_number is None else entries.get_entry(tx, post.campaign_id, post.entry_number)
    return None if campaign is None or entry is None else picture_of(library, features, tx, campaign, entry)


def entry_kinds(features: Sequence[Feature]) -> EntryKinds:
    """Return the kinds of entries that features and rolls write."""
    return EntryKinds([*(kind for feature in features for kind in feature.entry_kinds), ROLL], entry_faults)
