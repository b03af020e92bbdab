"""What a command looks up before it rolls: its campaign, the books it plays by, and the request that it makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import knowledge, permissions, profiles
from bot.core.campaigns import Campaign, locate_campaign, require_on_server, require_open
from bot.core.database import Database
from bot.core.library import Library
from bot.core.permissions import Person, require_game_master
from bot.core.visibility import Viewer, make_viewer, require_own
from bot.errors import BadInput
from bot.outbox.delivery import Outbox
from bot.rolls.cast import identify, require_procedure
from bot.rolls.parsing import parse_modifiers
from bot.rolls.request import MAX_PARTS, TO_LABELS, PartRequest, RollCommand, RollRequest, To
from bot.rolls.resolver import Resolver
from bot.rolls.situation import find_known_homes
from bot.ui import parsing
from bot.ui.reply import AnyInteraction
from rules.procedure import Procedure
from rules.ruleset import RuleSet
from rules.stages import family_tickables
from rules.subjects import PROFILE, name_key


class RollDesk:
    """What roll commands stand on, and what they look up."""

    def __init__(self, database: Database, resolver: Resolver, outbox: Outbox) -> None:
        self.database = database
        self.resolver = resolver
        self.outbox = outbox

    async def campaign(self, interaction: AnyInteraction) -> Campaign:
        """Return the campaign of the channel that a command was used in.

        Raises:
            NoCampaign: there is none, or more than one.

        """
        return await self.database.read(locate_campaign, interaction.guild_id or 0, channels(interaction))

    async def procedure(self, campaign: Campaign, book_id: str, family: str) -> tuple[RuleSet, Procedure]:
        """Return a roll family of a book that the campaign plays by, with the book."""
        book = await self.database.read(self.resolver.library.book, campaign, book_id)
        return book, book.procedure(family)

    async def destinations(self, campaign: Campaign, *, leads: bool) -> Mapping[To, str]:
        """Return where a result may go, in words; who leads the campaign chooses among its groups too."""
        known = await self.database.read(permissions.list_groups, campaign.id) if leads else []
        return {**TO_LABELS, **{group.audience: f"to {group.name}" for group in known}}

    async def books(self, campaign: Campaign) -> list[RuleSet]:
        """Return the books that the campaign plays by."""
        return await self.database.read(self.resolver.library.played, campaign)


def desk_of(interaction: AnyInteraction) -> RollDesk:
    """Return the desk of the bot that an interaction is for."""
    client = interaction.client
    return RollDesk(client.database, client.resolver, client.outbox)


def channels(interaction: AnyInteraction) -> list[int]:
    """Return the ids under which a channel can be bound, nearest first: the thread or channel, its parent, its category."""
    channel = interaction.channel
    ids = [interaction.channel_id, getattr(channel, "parent_id", None)]
    outer = getattr(channel, "parent", None) or channel
    ids.append(getattr(outer, "category_id", None))
    return [item for item in ids if item is not None]


class TypedRoll(Struct, frozen=True):
    """A roll command that is read in the transaction that rolls it, when its campaign is locked; the rest is as a `RollCommand` has it."""

    channels: Sequence[int]
    read: Callable[[Connection, Library, Person], RollCommand]
    campaign: int | None = None
    faces: Mapping[int, Sequence[int]] | None = None


class RollPlace(Struct, frozen=True):
    """Where a command rolls: the campaign, which is open and locked, as its person sees it, and the book and family."""

    viewer: Viewer
    book: RuleSet
    procedure: Procedure

    @property
    def campaign(self) -> Campaign:
        """The campaign."""
        return self.viewer.campaign

    @property
    def person(self) -> Person:
        """Who rolls."""
        return self.viewer.person


def request_of(
    tx: Connection, resolver: Resolver, person: Person, command: RollCommand, *, lock: bool = True
) -> tuple[RollPlace, RollRequest]:
    """Return what a command asks for, and where, without rolling it; the campaign is locked, unless the transaction only reads."""
    place, command = place_of(tx, resolver, person, command, lock=lock)
    return place, request_at(tx, place, command)


def place_of(
    tx: Connection, resolver: Resolver, person: Person, typed: RollCommand | TypedRoll, *, lock: bool = True
) -> tuple[RollPlace, RollCommand]:
    """Return where a command rolls, for somebody who may roll it, and the command."""
    if typed.campaign is None:
        campaign = locate_campaign(tx, person.guild_id, typed.channels, lock=lock)
    else:
        campaign = require_on_server(tx, person.guild_id, typed.campaign, lock=lock)
    command = typed if isinstance(typed, RollCommand) else _read(tx, resolver, person, typed)
    book = resolver.library.book(tx, campaign, command.family[0])
    procedure = book.procedure(command.family[1])
    require_procedure(person, campaign, procedure)
    require_open(campaign)
    return RollPlace(make_viewer(tx, person, campaign), book, procedure), command


def _read(tx: Connection, resolver: Resolver, person: Person, typed: TypedRoll) -> RollCommand:
    return replace(typed.read(tx, resolver.library, person), faces=typed.faces)


def request_at(
    tx: Connection, place: RollPlace, command: RollCommand, identified: Sequence[PartRequest] | None = None
) -> RollRequest:
    """Return the request of a command; `identified` are its parts, where it is known already whom the names in them mean."""
    campaign, person, procedure = place.campaign, place.person, place.procedure
    if len(command.parts) > MAX_PARTS:
        count = len(command.parts)
        raise BadInput(f"That's {count} rolls, but one command takes up to {MAX_PARTS}.", "Split it into two rolls.")
    saved_roles = [role for role, name in procedure.policy.needs if name == PROFILE]
    require_own(tx, campaign, person, [part.subjects[role] for role in saved_roles for part in command.parts])
    known = family_tickables(procedure, place.book) if command.modifiers else {}
    marks, adjustments = parse_modifiers(command.modifiers, known)
    if command.faces is not None:
        require_game_master(person, campaign, "type in dice that were rolled by hand")
    if adjustments:
        require_game_master(person, campaign, "adjust a roll")
    if command.to != "auto":
        require_game_master(person, campaign, "choose where a result goes")
    parts = identify(tx, place.viewer, command.parts) if identified is None else identified
    region = region_of(place.book, command.region)
    if region is None and command.week is not None and not _has_home(tx, place, parts):
        raise BadInput("A week needs a region.", "Name the region too.")
    to, here = find_destination(tx, campaign, command.channels, command.to, command.here)
    return RollRequest(
        book=place.book.id,
        family=procedure.family,
        parts=tuple(part.model_copy(update={"marks": marks, "adjustments": adjustments}) for part in parts),
        region=region,
        at_home=region is None,
        week=command.week,
        note=parsing.text(command.note, "note"),
        to=to,
        here=here,
        scene=command.scene,
        staff=person.leads(campaign),
        by=None if person.leads(campaign) else place.viewer.mine,
    )


def find_destination(
    tx: Connection, campaign: Campaign, channels: Sequence[int], to: str, here: int | None
) -> tuple[To, int | None]:
    """Return who is to see a result that was typed in a channel (ids, nearest first), and the channel of its own that it has.

    What is typed among the staff is theirs, and in the channel of a group that group's: it has the channel then, which tells
    that nobody has chosen the group. `to` may name a group.
    """
    if here is not None and campaign.staff_channel_id in channels:
        return "staff", None
    among = None if here is None else permissions.find_audience(tx, campaign.id, channels)
    if among is not None:
        return among, here
    if to not in TO_LABELS:
        return permissions.find_group(tx, campaign.id, to).audience, None
    return to, None if here in {0, campaign.results_channel_id} else here


def _has_home(tx: Connection, place: RollPlace, parts: Sequence[PartRequest]) -> bool:
    """Return whether a region counts for a roll that names none, as far as the person may know."""
    named = [[(role, number) for role, ids in part.ids.items() for number in ids if number] for part in parts]
    saved = profiles.read_profiles(tx, place.campaign.id, {number for part in named for _, number in part})
    there = [[(role, saved[number]) for role, number in part if number in saved] for part in named]
    sight = partial(knowledge.see_saved, tx, place.viewer, fields=place.book.fields)
    return any(find_known_homes(place.procedure, there, sight))


def region_of(book: RuleSet, typed: str | None) -> str | None:
    """Return a region as the book calls it, where the book knows it."""
    region = parsing.region(typed)
    if region is None or name_key(region) not in book.places:
        return region
    return book.places[name_key(region)][1].label
