"""`/infinity`: Infinity's rolls, and challenges: one member's side waits until another adds theirs."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from fractions import Fraction

import discord
from discord import app_commands, ui
from discord.app_commands import Range
from msgspec import Struct, structs
from sqlalchemy import Connection

from bot.client import Interaction
from bot.core.campaigns import Campaign, locate_campaign, open_campaign, read_preferences
from bot.core.errors import BadInput, UserError
from bot.core.permissions import Person
from bot.kernel import Feature
from bot.rolls import answers, desk, extension, request
from bot.rolls.options import CARD_OR_NOW, HERE, ToOrHere, route
from bot.rolls.pending import panel, service, store
from bot.rolls.request import PartRequest, RollCommand, RollRequest, join_parts, label_part
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.parsing import Form, fill_form, option
from bot.ui.reply import own_name, person, say, text_field
from bot.ui.text import COLOURS, chance_line, plain
from rules.books.infinity.book import FACE_TO_FACE
from rules.books.infinity.skill import DIE, HIGHEST_ATTRIBUTE, MAX_BURST, RollSide, check_odds, contest_odds
from rules.phrases import percent


class Contestant(Struct, frozen=True):
    """One side of a roll; `own` means `name` is the person who rolls."""

    name: str
    side: RollSide
    own: bool = False

    def part(self, role: str) -> PartRequest:
        """Make this side's part in a role."""
        part = label_part(role, None if self.own else self.name, self.name)
        return structs.replace(part, inputs={role: self.side.inputs()})


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


def challenge_member(
    tx: Connection, resolver: Resolver, person: Person, command: RollCommand, challenge: Challenge
) -> service.PendingRoll:
    """Challenge a member; the caller sends the post."""
    if command.to != "auto":
        what = "Both sides have to see the result of a challenge."
        raise BadInput(what, "Send it here or to the results channel.")
    note = parsing.parse_text(command.note, "note")
    campaign = open_campaign(tx, locate_campaign(tx, person.guild_id, command.channels).id)
    to, here = desk.find_destination(tx, campaign, command.channels, command.to, command.here)
    book, family = command.family
    request = RollRequest(book=book, family=family, parts=tuple(command.parts), note=note, to=to, here=here)
    seat = store.Seat(users=(_require_opponent(challenge.opponent, person, campaign),), role="b")
    under = f", with **{plain(challenge.name)}**" if challenge.named else ""
    asks = ("challenges", f"to a Face to Face Roll{under}")
    words = store.Words(NOUN, challenge.name, asks, MAKE, LISTED, named=challenge.named)
    asked = service.Ask(command.channels[0], request, (seat,), timedelta(hours=challenge.hours or HOURS), words)
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


def _add_answer(request: RollRequest, _place: int, answer: store.SeatAnswer | None) -> RollRequest:
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


ANSWERING = store.AnswerRules(_add_answer, window=_make_window)


def _describe_normal_odds(side: RollSide, *, bars: bool) -> list[str]:
    odds = check_odds(side.check, side.burst)
    ends = {
        "Critical success": odds.critical,
        "Success without a critical": odds.plain_success,
        "Automatic failure" if side.check.auto_fail else "Failure": odds.failure,
    }
    success = _show_share(odds.critical + odds.plain_success, odds.of)
    return [*map(plain, side.lines()), "", *_list_chances(ends, odds.of, bars=bars), "", f"Any success: {success}"]


def _describe_contest_odds(mine: RollSide, theirs: RollSide, *, bars: bool) -> list[str]:
    odds = contest_odds(mine.check, mine.burst, theirs.check, theirs.burst)
    ends = {"Your side wins": odds.a_wins, "The other side wins": odds.b_wins, "No winner": odds.none}
    sides = ["**Your side**", *map(plain, mine.lines()), "**The other side**", *map(plain, theirs.lines())]
    return [*sides, "", *_list_chances(ends, odds.of, bars=bars)]


def _list_chances(ends: Mapping[str, int], of: int, *, bars: bool) -> Iterator[str]:
    yield from (chance_line(Fraction(count, of), label, bars=bars) for label, count in ends.items())


def _has_bars(tx: Connection, person: Person, channels: Sequence[int]) -> bool:
    try:
        campaign = locate_campaign(tx, person.guild_id, channels)
    except UserError:
        return True
    return read_preferences(tx, campaign.id, person.user_id).bars


def _show_share(count: int, of: int) -> str:
    return f"**{percent(Fraction(count, of))}**"


NORMAL = (BOOK, "normal-roll")
Attribute = Range[int, 0, HIGHEST_ATTRIBUTE]
Burst = Range[int, 1, MAX_BURST]
CRITS = {"on": "can have criticals", "off": "cannot have criticals"}
OPPONENT = "Opponent"
FACES = "Type only faces of d20s, such as 12, or 9 12 3 for a burst."

ATTRIBUTE = option("The skill's attribute, 0 to 99")
MODS = option("All modifiers, such as -6 -3 +3. Their sum is capped at 12", default=None)
BURST = option("How many dice, 1 to 10. Default: 1", default=1)
CAN_CRIT = option("Whether the skill can have criticals. Default: it can", default="on", choices=CRITS)
THEIR_ATTRIBUTE = option("The other side's attribute, 0 to 99", default=None)
THEIR_MODS = option("The other side's modifiers, such as -3 +6", default=None)
THEIR_BURST = option("How many dice the other side rolls", default=None)
THEIR_CRITS = option("Whether the other side's skill can have criticals", default=None, choices=CRITS)


class NormalRollForm(Form):
    """Options of `/infinity roll`."""

    attribute: Attribute = ATTRIBUTE
    mods: str | None = MODS
    burst: Burst = BURST
    die: str | None = option("Game masters only: dice rolled by hand, such as 12, or 9 12 3 for a burst", default=None)
    crits: str = CAN_CRIT
    label: str | None = option("Who rolls. Default: you", default=None)
    note: str | None = option("A note on the result", default=None)
    to: ToOrHere = option(HERE, default="here")
    roll: str = option("Roll now, or open a card with the odds. Default: now", default="now", choices=CARD_OR_NOW)


class VersusForm(Form):
    """Options of `/infinity versus`."""

    mine: Attribute = option("Your attribute, 0 to 99")
    my_mods: str | None = MODS
    burst: Burst = BURST
    crits: str = CAN_CRIT
    opponent: discord.Member | discord.User | None = option(
        "The member you challenge. Or type their_attribute instead", default=None
    )
    their_attribute: Attribute | None = THEIR_ATTRIBUTE
    their_mods: str | None = THEIR_MODS
    their_burst: Burst | None = THEIR_BURST
    their_crits: str | None = THEIR_CRITS
    my_name: str | None = option("Who rolls on your side. Default: you", default=None)
    their_name: str | None = option("Who rolls on the other side", default=None)
    note: str | None = option("A note on the challenge and the result", default=None)
    hours: Range[int, 1, MAX_HOURS] | None = option(
        f"How long the challenge stays open, 1 to {MAX_HOURS} hours. Default: {HOURS}", default=None
    )
    to: ToOrHere = option(HERE, default="here")


class InfinityOddsForm(Form):
    """Options of `/infinity odds`."""

    attribute: Attribute = ATTRIBUTE
    mods: str | None = MODS
    burst: Burst = BURST
    crits: str = CAN_CRIT
    their_attribute: Attribute | None = THEIR_ATTRIBUTE
    their_mods: str | None = THEIR_MODS
    their_burst: Burst | None = THEIR_BURST
    their_crits: str | None = THEIR_CRITS


class InfinityCog(app_commands.Group, name="infinity", description="Rolls of Infinity CodeOne"):
    """The commands of Infinity CodeOne."""

    @app_commands.command()
    @fill_form
    async def roll(self, interaction: Interaction, form: NormalRollForm) -> None:
        """Make a Normal Roll against an attribute."""
        side = make_side(form.attribute, form.mods, form.burst, form.crits)
        roller = label_part("roller", form.label and _read_name(form.label), own_name(interaction))
        part = structs.replace(roller, inputs=side.inputs())
        faces = None if form.die is None else _read_dice(form.die, side)
        to = route(interaction, form.to)
        command = RollCommand(desk.channels(interaction), NORMAL, [part], note=form.note, faces=faces, **to)
        await answers.begin(interaction, command, at_once=form.roll == "now")

    @app_commands.command()
    @fill_form
    async def versus(self, interaction: Interaction, form: VersusForm) -> None:
        """Make a Face to Face Roll, or challenge a member to one."""
        own, side = own_name(interaction), make_side(form.mine, form.my_mods, form.burst, form.crits)
        me = Contestant(_read_name(form.my_name or own), side, own=not form.my_name)
        theirs = TypedSide(form.their_attribute, form.their_mods, form.their_burst, form.their_crits, form.their_name)
        part = _make_contest(me, theirs, form.hours) if form.opponent is None else me.part("a")
        command = RollCommand(desk.channels(interaction), FAMILY, [part], note=form.note, **route(interaction, form.to))
        if form.opponent is None:
            await answers.begin(interaction, command, at_once=True)
        else:
            opponent = _find_opponent(interaction, form.opponent, theirs)
            challenge = Challenge(opponent, me.name, named=me.name != own, hours=form.hours)
            await panel.make(interaction, challenge_member, command, challenge)

    @app_commands.command()
    @fill_form
    async def odds(self, interaction: Interaction, form: InfinityOddsForm) -> None:
        """Show the exact odds of a roll without rolling it."""
        side = make_side(form.attribute, form.mods, form.burst, form.crits)
        against = TypedSide(form.their_attribute, form.their_mods, form.their_burst, form.their_crits).side()
        title = f"Odds of a {'Face to Face' if against else 'Normal'} Roll"
        here = (person(interaction), desk.channels(interaction))
        bars = await interaction.client.database.read(_has_bars, *here)
        lines = _describe_contest_odds(side, against, bars=bars) if against else _describe_normal_odds(side, bars=bars)
        embed = discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])
        await say(interaction, embed=embed)

    @app_commands.command()
    async def challenges(self, interaction: Interaction) -> None:
        """List your open challenges, and answer or cancel one."""
        await panel.list_waiting(interaction, NOUN, f"Challenge a player with `{MAKE}`.")


def _make_contest(me: Contestant, theirs: TypedSide, hours: int | None) -> PartRequest:
    other = theirs.side()
    if other is None:
        raise BadInput("You need an opponent.", "Name an opponent, or type their_attribute.")
    if hours is not None:
        raise BadInput("Only a challenge has hours.", "Name an opponent, or leave hours out.")
    them = Contestant(_read_name(theirs.name or OPPONENT), other)
    parsing.refuse_both((me.name,), (them.name,))
    return join_parts(me.part("a"), them.part("b"))


def _read_name(given: str) -> str:
    (name,) = parsing.names(given, "name", 1)
    return name


def _read_dice(die: str, side: RollSide) -> dict[int, list[int]]:
    try:
        typed = request.read_faces(die, DIE.value)
    except BadInput as error:
        raise BadInput(error.what, FACES) from None
    faces = typed.pop(DIE.value, [])
    if typed:
        raise BadInput("Only d20s are rolled here.", FACES)
    side.check.read(faces)
    if len(faces) != side.burst:
        raise BadInput(f"You typed {len(faces)} dice, but the burst is {side.burst}.", "Type one face for each die.")
    return {DIE.value: faces}


def _find_opponent(interaction: Interaction, user: discord.Member | discord.User, theirs: TypedSide) -> Opponent | None:
    if theirs != TypedSide():
        raise BadInput("Your opponent types the other side.", "Leave out all their_ options.")
    if not isinstance(user, discord.Member):
        return None
    who = Person(user.id, interaction.guild_id or 0, frozenset(role.id for role in user.roles), manages_server=False)
    channel = interaction.channel
    sees = bool(channel and channel.permissions_for(user).view_channel)
    return Opponent(who, user.display_name, user.bot, sees)


FEATURE = Feature(
    book=BOOK,
    commands=(InfinityCog(),),
    rolls=(extension.RollExtension(book=BOOK, answering={FAMILY[1]: ANSWERING}),),
)
