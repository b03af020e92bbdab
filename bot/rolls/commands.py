"""Read roll commands and open a card or roll, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import profiles
from bot.core.campaigns import Campaign, locate, on_server
from bot.core.permissions import Person, require_game_master, require_leader_again, require_roller
from bot.core.profiles import Profile
from bot.core.visibility import require_own, viewer_of
from bot.errors import BadInput, NeedsReason, UserError
from bot.rolls.card.service import open_card
from bot.rolls.card.view import CardView
from bot.rolls.cast import identify, resolve_names
from bot.rolls.doubts import doubts
from bot.rolls.homes import home
from bot.rolls.parsing import parse_modifiers
from bot.rolls.request import MAX_PARTS, PartRequest, RollCommand, RollRequest, To
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from bot.ui import parsing
from rules.errors import RollError
from rules.procedure import Procedure
from rules.ruleset import RuleSet
from rules.stages import family_tickables
from rules.subjects import PROFILE, name_key


def open_roll(tx: Connection, resolver: Resolver, person: Person, command: RollCommand) -> CardView:
    """Open a card for a command.

    Raises:
        UserError, RollError: it cannot be rolled as asked, here, or by this person.

    """
    campaign, request = _request(tx, resolver, person, command)
    return open_card(tx, resolver, person, campaign.id, request)


class Question(Struct, frozen=True):
    """A roll that is not made before its roller says what was meant: a card as typed, and what is doubtful about it."""

    view: CardView
    lines: Sequence[str]


def roll_now(tx: Connection, resolver: Resolver, person: Person, command: RollCommand) -> Rolled | Question:
    """Roll a command at once, or ask about what is probably a slip; where a reason is needed, the note counts as one.

    Raises:
        UserError, RollError: it cannot be rolled as asked, here, or by this person; nothing has been rolled.

    """
    campaign, book, procedure = _place(tx, resolver, person, command)
    doubtful = doubts(tx, viewer_of(tx, person, campaign), book, procedure, command)
    if doubtful is not None:
        _, typed = _request(tx, resolver, person, doubtful.typed)
        meant = None
        with suppress(UserError, RollError):  # what was meant cannot be rolled, so it is not offered
            meant = _request(tx, resolver, person, doubtful.meant)[1] if doubtful.meant else None
        return Question(open_card(tx, resolver, person, campaign.id, typed, meant), doubtful.lines)
    campaign, request = _request(tx, resolver, person, command)
    order = RollOrder(campaign.id, person.user_id, request, dice=command.dice, secrets=person.leads(campaign))
    try:
        return resolver.roll(tx, order)
    except NeedsReason as needed:  # raised ahead of the dice, when nothing has been written
        require_leader_again(person, campaign)
        if request.note is None:
            raise NeedsReason(needed.what, "Write your reason as the note to roll all the same.") from needed
    again = request.model_copy(update={"reason": request.note, "note": None})
    return resolver.roll(tx, replace(order, request=again))


def _place(
    tx: Connection, resolver: Resolver, person: Person, command: RollCommand
) -> tuple[Campaign, RuleSet, Procedure]:
    """Return the campaign, book and family of a command, for somebody who may roll it."""
    if command.campaign is None:
        campaign = locate(tx, person.guild_id, command.channels)
    else:
        campaign = on_server(tx, person.guild_id, command.campaign)
    book = resolver.library.book(tx, campaign, command.family[0])
    procedure = book.procedure(command.family[1])
    require_roller(person, campaign, procedure.family, opened=procedure.policy.open_to_players)
    return campaign, book, procedure


def _request(tx: Connection, resolver: Resolver, person: Person, command: RollCommand) -> tuple[Campaign, RollRequest]:
    campaign, book, procedure = _place(tx, resolver, person, command)
    if len(command.parts) > MAX_PARTS:
        count = len(command.parts)
        raise BadInput(f"Those are {count} rolls; one command takes at most {MAX_PARTS}.", "Split it in two.")
    saved_roles = [role for role, name in procedure.policy.needs if name == PROFILE]
    require_own(tx, campaign, person, [part.subjects[role] for role in saved_roles for part in command.parts])
    marks, adjustments = parse_modifiers(command.modifiers, family_tickables(procedure, book))
    if command.dice is not None:
        require_game_master(person, campaign, "type in dice that were rolled by hand")
    if command.to != "auto" or adjustments:
        require_game_master(person, campaign, "adjust a roll or choose where its result goes")
    viewer = viewer_of(tx, person, campaign)
    parts = identify(tx, viewer, command.parts)
    at = _home(tx, campaign, procedure, parts)
    region = region_of(book, command.region) or (at.region if at and not at.secret else None)
    if region is None and command.week is not None and not (at and viewer.knows(at)):
        raise BadInput("A week alone says nothing about the weather.", "Name the region too.")
    to, here = whither(campaign, command.channels, command.to, command.here)
    request = RollRequest(
        book=book.id,
        family=procedure.family,
        parts=tuple(part.model_copy(update={"marks": marks, "adjustments": adjustments}) for part in parts),
        region=region,
        week=command.week,
        note=parsing.text(command.note, "note"),
        to=to,
        here=here,
        staff=person.leads(campaign),
    )
    resolver.require_able(tx, viewer, resolve_names(tx, campaign.id, request)[1])
    return campaign, request


def whither(campaign: Campaign, channels: Sequence[int], to: To, here: int | None) -> tuple[To, int | None]:
    """Return who is to see a result that was typed in a channel (ids, nearest first), and the channel of its own that it has: what is typed among the staff is theirs."""
    if here is not None and campaign.staff_channel_id in channels:
        return "staff", None
    return to, None if here in {0, campaign.results_channel_id} else here


def _home(tx: Connection, campaign: Campaign, procedure: Procedure, parts: Sequence[PartRequest]) -> Profile | None:
    """Return whose region counts for a roll that names none.

    A secret one's is never the roll's own, not even for game masters: it would appear in public results.
    """
    named = [(role, number) for part in parts for role, ids in part.ids.items() for number in ids if number is not None]
    saved = profiles.read(tx, campaign.id, {number for _, number in named})
    return home(procedure, [(role, saved[number]) for role, number in named if number in saved])


def region_of(book: RuleSet, typed: str | None) -> str | None:
    """Return a region as the book calls it, where the book knows it.

    Raises:
        BadInput: the name is too long.

    """
    region = parsing.region(typed)
    if region is None or name_key(region) not in book.places:
        return region
    return book.places[name_key(region)][1].label
