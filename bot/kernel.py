"""The kernel, and what features bring to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Self

import discord
from discord import Guild, app_commands
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, config, entries, permissions, profiles, records, state, visibility
from bot.core.database import Database
from bot.core.ledger import Body, EntryKind, EntryKinds, Ledger
from bot.core.library import BookComposer, Library
from bot.orders.kinds import Illustration, OrderAddition
from bot.orders.standing import StandingOrder
from bot.outbox import delivery, queue, sending
from bot.rolls import entries as rolls
from bot.rolls.extension import FollowUp, Hooks, RollExtensions
from bot.rolls.fairness import draw_checks, random_org
from bot.rolls.resolver import Resolver, RollResult
from bot.schedules.store import Job, post_buttons
from bot.ui.receipt import NextStep, Todo
from bot.ui.reply import AnyInteraction, Component, ModalForm
from rules.dice import Dice
from rules.ruleset import RuleSet

SlashCommand = app_commands.Command[Any, ..., Any]
Command = SlashCommand | app_commands.Group | app_commands.ContextMenu


class Client(discord.AutoShardedClient):
    """What chores and features use of the running bot."""

    settings: config.Settings
    database: Database
    ledger: Ledger
    library: Library
    outbox: delivery.Outbox
    resolver: Resolver
    kinds: EntryKinds
    features: tuple[Feature, ...]

    def has_left(self, guild_id: int) -> bool:
        """Return whether the bot is certainly not on this server."""
        shards = self.shard_count or 1
        return (guild_id >> 22) % shards in self.shards and self.get_guild(guild_id) is None


class Chore(Struct, frozen=True):
    """Work done every few seconds. It gives posts."""

    do: Callable[[Client], Awaitable[Sequence[queue.Post]]]
    every: float = 20.0


class EntryPicture(Struct, frozen=True):
    """Draws entries of a kind; `newest` is for digests."""

    kind: EntryKind
    plan: Callable[[Connection, Library, campaigns.Campaign, Body], sending.Drawing | None]
    newest: Callable[[Connection, Library, campaigns.Campaign], Illustration | None] | None = None


class Feature(Hooks[Resolver], frozen=True, kw_only=True):
    """One feature: everything by which the rest of the bot knows it. `Hooks` has what it brings to rolls.

    - `commands` are its commands and groups, which `also` brings; `components` answer what people press and send.
    - `pictures` draw entries.
    - `jobs` can be scheduled; `chores` are done every few seconds.
    - `farewell` runs once a server has removed the bot, for its campaigns (ids).
    - `status` adds lines to a card, of what the viewer may know.
    - `next_steps` are what to do in a new campaign.
    - `renaming` refuses (BadInput) a subject's (number) new name.
    - `removed` adds changes when an entry (number) removes a subject (number); it sees the whole state.
    - `after_roll` runs once a roll of its book is committed, or any roll where it has no book.
    - `todo` is what waits on the desk of a viewer who takes part: what they may see and do.
    - `beside_order` is shown next to an order of its book that the viewer has given.
    """

    commands: tuple[Command, ...] = ()
    also: str | None = None
    components: tuple[Component | ModalForm, ...] = ()
    jobs: tuple[Job, ...] = ()
    chores: tuple[Chore, ...] = ()
    farewell: Callable[[Client, Guild, Sequence[int]], Awaitable[None]] | None = None
    pictures: tuple[EntryPicture, ...] = ()
    status: Callable[[Connection, Library, visibility.Viewer, profiles.Profile], Iterable[str]] | None = None
    next_steps: Callable[[Connection, Library, campaigns.Campaign], Iterable[NextStep]] | None = None
    renaming: Callable[[Connection, campaigns.Campaign, int, str], None] | None = None
    removed: Callable[[state.State, int, int], Iterable[records.Change]] | None = None
    after_roll: Callable[[AnyInteraction, RollResult], Awaitable[FollowUp]] | None = None
    todo: Callable[[Connection, Library, visibility.Viewer], Iterable[Todo]] | None = None
    beside_order: Callable[[Connection, Library, visibility.Viewer, StandingOrder], OrderAddition | None] | None = None


def list_todos(
    tx: Connection,
    library: Library,
    features: Iterable[Feature],
    person: permissions.Person,
    campaign: campaigns.Campaign,
) -> tuple[Todo, ...]:
    """Return what waits for a person; nothing for people who don't take part, or once the campaign is archived."""
    if campaign.archived_at is not None or not person.takes_part(campaign):
        return ()
    viewer = visibility.make_viewer(tx, person, campaign)
    return tuple(item for feature in features if feature.todo for item in feature.todo(tx, library, viewer))


def picture_of(
    library: Library, features: Sequence[Feature], tx: Connection, campaign: campaigns.Campaign, entry: records.Entry
) -> sending.Drawing | None:
    """Return the function that draws an entry's picture; None if its kind has none."""
    body, pictures = entry.content(), (item for feature in features for item in feature.pictures)
    mine = (item for item in pictures if item.kind.name == entry.kind and item.kind.matches(body))
    return next((draw for item in mine if (draw := item.plan(tx, library, campaign, body))), None)


class Kernel(Struct, frozen=True):
    """What all features share: database, ledger, books and more, and what each feature brings."""

    database: Database
    ledger: Ledger
    library: Library
    outbox: delivery.Outbox
    resolver: Resolver
    kinds: EntryKinds
    features: tuple[Feature, ...]
    outside: random_org.Outside | None = None

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
        outside: random_org.Outside | None = None,
        write: Callable[..., Awaitable[Sequence[discord.Embed]]] | None = None,
        public_url: str = "",
    ) -> Self:
        """Build the kernel; `write` makes what writes a reader's DM."""
        kinds = entry_kinds(features)
        library = Library(books, composer)
        outbox = delivery.Outbox(
            database,
            ledger=ledger,
            illustrate=partial(sending.illustrate, database, partial(find_drawing, library, features)),
            buttons={"question": post_buttons, **dict.fromkeys(queue.SHOWS, rolls.post_buttons)},
            write=None if write is None else partial(write, database, library, kinds, ledger.now),
            public_url=public_url,
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


def find_drawing(
    library: Library, features: Sequence[Feature], tx: Connection, post: queue.Post
) -> sending.Drawing | None:
    """Return the drawing for a post's entry, if any."""
    campaign = campaigns.get_campaign(tx, post.campaign_id)
    entry = None if post.entry_number is None else entries.get_entry(tx, post.campaign_id, post.entry_number)
    return None if campaign is None or entry is None else picture_of(library, features, tx, campaign, entry)


def entry_kinds(features: Sequence[Feature]) -> EntryKinds:
    """Return all entry kinds of features and rolls."""
    return EntryKinds(
        [*(kind for feature in features for kind in feature.entry_kinds), rolls.ROLL], draw_checks.entry_faults
    )
