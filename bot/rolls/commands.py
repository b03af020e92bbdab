"""Read roll commands and open a card or roll, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core.permissions import Person, require_leader_again
from bot.errors import NeedsReason, UserError
from bot.rolls.card.service import open_card
from bot.rolls.card.view import CardView, Doubt
from bot.rolls.cast import identify
from bot.rolls.dice.by_hand import DiceByHand
from bot.rolls.doubts import Doubts, doubts
from bot.rolls.request import RollCommand, RollRequest
from bot.rolls.requests import Place, TypedRoll, place_of, request_at
from bot.rolls.resolver import Resolver, Rolled, RollOrder
from rules.errors import RollError


def open_roll(tx: Connection, resolver: Resolver, person: Person, typed: RollCommand | TypedRoll) -> CardView:
    """Open a card for a command."""
    place, command = place_of(tx, resolver, person, typed)
    parts = identify(tx, place.viewer, command.parts)
    request = request_at(tx, place, command, parts)
    rules, unticked = (place.book, place.procedure), replace(command, modifiers=None)  # those unread were refused
    doubtful = doubts(tx, place.viewer, rules, unticked, parts)
    if doubtful is None:
        return _open(tx, resolver, place, request)
    meant = doubtful.meant and replace(doubtful.meant, modifiers=command.modifiers)
    return _open(tx, resolver, place, request, _likely(tx, resolver, place, meant), doubtful.lines)


class Question(Struct, frozen=True):
    """A roll that is not made before its roller says what was meant: a card as typed, and what is doubtful about it."""

    view: CardView
    lines: Sequence[str]


def roll_now(tx: Connection, resolver: Resolver, person: Person, typed: RollCommand | TypedRoll) -> Rolled | Question:
    """Roll a command at once, or ask about what is probably a slip; where a reason is needed, the note counts as one."""
    place, command = place_of(tx, resolver, person, typed)
    parts = None
    if command.faces is None:  # faces that were typed are for the roll as it stands: beside them nothing is asked
        parts = identify(tx, place.viewer, command.parts)
        doubtful = doubts(tx, place.viewer, (place.book, place.procedure), command, parts)
        if doubtful is not None:
            return _asked(tx, resolver, place, doubtful)
    request = request_at(tx, place, command, parts)
    preview = resolver.preview(tx, place.campaign, request, book=place.book)
    resolver.require_able(tx, place.viewer, preview)
    leads = person.leads(place.campaign)
    dice = None if command.faces is None else DiceByHand(command.faces)
    known = (leads, preview, place.viewer.mine, person.interaction)
    order = RollOrder(place.campaign.id, person.user_id, request, None, dice, *known)
    try:
        return _made(tx, resolver, order, dice)
    except NeedsReason as needed:  # raised ahead of the dice, when nothing has been written
        require_leader_again(person, place.campaign)
        if request.note is None:
            raise NeedsReason(needed.what, "To roll anyway, write your reason as the note.") from needed
    again = request.model_copy(update={"reason": request.note, "note": None})
    return _made(tx, resolver, replace(order, request=again, preview=None), dice)


def _made(tx: Connection, resolver: Resolver, order: RollOrder, dice: DiceByHand | None) -> Rolled:
    """Make a roll; of typed faces tell those for which there was no use, where other dice were drawn."""
    rolled = resolver.roll(tx, order)
    if dice is None:
        return rolled
    dice.finish()
    unused = "; ".join(f"d{sides}: {', '.join(map(str, left))}" for sides, left in dice.unused.items())
    return replace(rolled, told=(*rolled.told, f"Not needed: {unused}.")) if unused else rolled


def _asked(tx: Connection, resolver: Resolver, place: Place, doubtful: Doubts) -> Question:
    meant = _likely(tx, resolver, place, doubtful.meant)
    view = _open(tx, resolver, place, request_at(tx, place, doubtful.typed), meant, doubtful.lines)
    return Question(view, doubtful.lines)


def _likely(tx: Connection, resolver: Resolver, place: Place, meant: RollCommand | None) -> RollRequest | None:
    """Return the request that was probably meant; None where there is none, or it can't be rolled."""
    with suppress(UserError, RollError):
        if meant:
            likely = request_at(tx, place, meant)
            resolver.require_able(tx, place.viewer, resolver.preview(tx, place.campaign, likely, book=place.book))
            return likely
    return None


def _open(  # noqa: PLR0913, PLR0917 - who asks for what, and how it was meant
    tx: Connection,
    resolver: Resolver,
    place: Place,
    request: RollRequest,
    meant: RollRequest | None = None,
    doubtful: Sequence[str] = (),
) -> CardView:
    """Open a card, unless the person may know that somebody on it cannot take part."""
    doubt = Doubt(tuple(doubtful), meant) if doubtful else None
    return open_card(tx, resolver, place.person, place.campaign, request, doubt, book=place.book, viewer=place.viewer)
