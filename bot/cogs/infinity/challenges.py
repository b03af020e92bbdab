"""Challenges: one member's side waits until another adds theirs."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, locate_campaign, open_campaign
from bot.core.errors import BadInput
from bot.core.permissions import Person
from bot.rolls.desk import find_destination
from bot.rolls.pending import service
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import AnswerRules, Seat, SeatAnswer, Words
from bot.rolls.request import PartRequest, RollCommand, RollRequest, join_parts, label_part
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.reply import text_field
from bot.ui.text import plain
from rules.books.infinity.book import FACE_TO_FACE
from rules.books.infinity.skill import HIGHEST_ATTRIBUTE, MAX_BURST, RollSide


class Contestant(Struct, frozen=True):
    """One side of a roll; `own` means `name` is the person who rolls."""

    name: str
    side: RollSide
    own: bool = False

    def part(self, role: str) -> PartRequest:
        """Make this side's part in a role."""
        part = label_part(role, None if self.own else self.name, self.name)
        return part.model_copy(update={"inputs": {role: self.side.inputs()}})


class TypedSide(Struct, frozen=True):
    """The opposing side, as typed in the `their_` options."""

    attribute: int | None = None
    mods: str | None = None
    burst: int | None = None
    crits: str | None = None
    name: str | None = None

    def side(self) -> RollSide | None:
        """Return the side; None if nothing was typed."""
        if self.attribute is not None:
            return make_side(self.attribute, self.mods, self.burst or 1, self.crits or "on")
        if self != TypedSide():
            hint = "Type their_attribute, or leave out all their_ options."
            raise BadInput("The other side's attribute is missing.", hint)
        return None


def make_side(attribute: int, mods: str | None, burst: int, crits: str) -> RollSide:
    """Make a side from typed values."""
    return RollSide(attribute, parsing.parse_signed_numbers(mods), burst, crits != "off")


BOOK = "infinity"
FAMILY = (BOOK, FACE_TO_FACE.family)
HOURS, MAX_HOURS = 72, 168
"""Default and longest time that a challenge waits."""

NOUN = "challenge"
MAKE, LISTED = "/infinity versus", "/infinity challenges"


class Opponent(Struct, frozen=True):
    """The challenged member; `sees` means that they can read the channel."""

    person: Person
    name: str
    bot: bool
    sees: bool


class Challenge(Struct, frozen=True):
    """A challenge to `opponent` (None: not a member) by `name`, open for `hours`."""

    opponent: Opponent | None
    name: str
    named: bool = True
    hours: int | None = None


def make(tx: Connection, resolver: Resolver, person: Person, command: RollCommand, challenge: Challenge) -> PendingRoll:
    """Challenge a member; the caller sends the post."""
    if command.to != "auto":
        what = "Both sides have to see the result of a challenge."
        raise BadInput(what, "Send it here or to the results channel.")
    note = parsing.parse_text(command.note, "note")
    campaign = open_campaign(tx, locate_campaign(tx, person.guild_id, command.channels).id)
    to, here = find_destination(tx, campaign, command.channels, command.to, command.here)
    book, family = command.family
    request = RollRequest(book=book, family=family, parts=tuple(command.parts), note=note, to=to, here=here)
    seat = Seat(users=(_require_opponent(challenge.opponent, person, campaign),), role="b")
    under = f", with **{plain(challenge.name)}**" if challenge.named else ""
    asks = ("challenges", f"to a Face to Face Roll{under}")
    words = Words(NOUN, challenge.name, asks, MAKE, LISTED, named=challenge.named)
    asked = Ask(command.channels[0], request, (seat,), timedelta(hours=challenge.hours or HOURS), words)
    return service.ask(tx, resolver, person, campaign, asked)


def _require_opponent(opponent: Opponent | None, person: Person, campaign: Campaign) -> int:
    if opponent is None:
        raise BadInput("That user isn't on this server.", "Challenge a member, or type the other side's values.")
    if opponent.bot:
        raise BadInput(f"{opponent.name} is a bot and can't answer.", "Type the other side's values instead.")
    who = opponent.person
    if who.user_id == person.user_id:
        raise BadInput("You can't challenge yourself.", "Type the other side's values instead.")
    if not who.takes_part(campaign):
        what = f"{opponent.name} doesn't play in {campaign.name}."
        raise BadInput(what, "A server manager can give them the player role.")
    if not opponent.sees:
        raise BadInput(f"{opponent.name} can't see this channel.", "Challenge them in a channel that they can see.")
    return who.user_id


def _add_answer(request: RollRequest, _place: int, answer: SeatAnswer | None) -> RollRequest:
    typed, own = (answer.fields, answer.name) if answer else ({}, "")
    attribute = parsing.parse_whole(typed.get("attribute", ""), "attribute", 0, HIGHEST_ATTRIBUTE)
    burst = parsing.parse_whole(typed.get("burst", ""), "burst", 1, MAX_BURST, default=1)
    side = make_side(attribute, typed.get("mods"), burst, typed.get("crits") or "on")
    (name,) = parsing.names(typed.get("name") or own, "name", 1)
    (ours,) = request.parts
    parsing.refuse_both((ours.people.get("a") or ours.subjects["a"],), (name,))
    return request.with_part(0, join_parts(ours, Contestant(name, side, own=name == own).part("b")))


def _make_window(draft: Mapping[str, str], own: str) -> Iterator[ui.Label[ui.Modal]]:
    yield text_field("attribute", "Attribute, 0 to 99", placeholder="13", value=draft.get("attribute") or None, limit=3)
    mods, label = draft.get("mods") or None, "Modifiers with their signs"
    yield text_field("mods", label, placeholder="-6 -3 +3", value=mods, limit=100, needed=False)
    yield text_field("burst", "Burst: how many dice", value=draft.get("burst", "1"), limit=2, needed=False)
    crits: ui.Select[ui.Modal] = ui.Select(custom_id="crits")
    for text, word in (("Can have criticals", "on"), ("Cannot have criticals", "off")):
        crits.add_option(label=text, value=word, default=word == draft.get("crits", "on"))
    yield ui.Label(text="The skill", component=crits)
    yield text_field("name", "Who rolls", value=draft.get("name") or own, limit=parsing.MAX_NAME, needed=False)


ANSWERING = AnswerRules(_add_answer, window=_make_window)
