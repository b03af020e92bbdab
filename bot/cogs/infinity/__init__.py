"""`/infinity`: Infinity's rolls and challenges."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import discord
from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.infinity import challenges
from bot.cogs.infinity.challenges import (
    ANSWERING,
    BOOK,
    FAMILY,
    HOURS,
    MAKE,
    MAX_HOURS,
    NOUN,
    Challenge,
    Contestant,
    Opponent,
    TypedSide,
    side_of,
)
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.kernel import Feature
from bot.rolls.answers import begin
from bot.rolls.desk import channels
from bot.rolls.dice import read_faces
from bot.rolls.extension import RollExtension
from bot.rolls.options import CARD_OR_NOW, HERE, ToOrHere, route
from bot.rolls.pending.panel import list_waiting, make
from bot.rolls.request import PartRequest, RollCommand, by_label, joined
from bot.ui import parsing
from bot.ui.colours import COLOURS
from bot.ui.form import Form, fill_form, option
from bot.ui.reply import own_name, say
from bot.ui.text import bar, plain
from rules.books.infinity.skill import DIE, HIGHEST_ATTRIBUTE, MAX_BURST, RollSide, check_odds, contest_odds
from rules.phrases import percent


def normal_odds_embed(side: RollSide) -> discord.Embed:
    """Return the odds of a Normal Roll; of several dice the best one counts."""
    odds = check_odds(side.check, side.burst)
    succeeds = odds.critical + odds.plain_success
    lines = [
        *map(plain, side.lines()),
        "",
        _chance("Critical success", odds.critical, odds.of),
        _chance("Success without a critical", odds.plain_success, odds.of),
        _chance("Automatic failure" if side.check.auto_fail else "Failure", odds.failure, odds.of),
        "",
        f"Any success: {_counted(succeeds, odds.of)}",
    ]
    return _embed("Odds of a Normal Roll", lines)


def contest_odds_embed(mine: RollSide, theirs: RollSide) -> discord.Embed:
    """Return the odds of a Face to Face Roll."""
    odds = contest_odds(mine.check, mine.burst, theirs.check, theirs.burst)
    lines = [
        *_side_lines("Your side", mine),
        *_side_lines("The other side", theirs),
        "",
        _chance("Your side wins", odds.a_wins, odds.of),
        _chance("The other side wins", odds.b_wins, odds.of),
        _chance("No winner", odds.none, odds.of),
    ]
    return _embed("Odds of a Face to Face Roll", lines)


def _embed(title: str, lines: list[str]) -> discord.Embed:
    return discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])


def _side_lines(name: str, side: RollSide) -> Iterator[str]:
    yield f"**{name}**"
    yield from map(plain, side.lines())


def _chance(label: str, count: int, of: int) -> str:
    return f"`{bar(Fraction(count, of))}` {_counted(count, of)} {label}"


def _counted(count: int, of: int) -> str:
    return f"**{percent(Fraction(count, of))}**"


NORMAL, FACE_TO_FACE = (BOOK, "normal-roll"), FAMILY
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
    """The options of `/infinity roll`."""

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
    """The options of `/infinity versus`."""

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
    """The options of `/infinity odds`."""

    attribute: Attribute = ATTRIBUTE
    mods: str | None = MODS
    burst: Burst = BURST
    crits: str = CAN_CRIT
    their_attribute: Attribute | None = THEIR_ATTRIBUTE
    their_mods: str | None = THEIR_MODS
    their_burst: Burst | None = THEIR_BURST
    their_crits: str | None = THEIR_CRITS


@app_commands.guild_only()
class InfinityCog(app_commands.Group, name="infinity", description="Rolls of Infinity CodeOne"):
    """Infinity CodeOne."""

    @app_commands.command()
    @fill_form
    async def roll(self, interaction: Interaction, form: NormalRollForm) -> None:
        """Make a Normal Roll against an attribute."""
        side = side_of(form.attribute, form.mods, form.burst, form.crits)
        roller = by_label("roller", form.label and _name(form.label), own_name(interaction))
        part = roller.model_copy(update={"inputs": side.inputs()})
        faces = None if form.die is None else _by_hand(form.die, side)
        whither = route(interaction, form.to)
        asked = RollCommand(channels(interaction), NORMAL, [part], note=form.note, faces=faces, **whither)
        await begin(interaction, asked, at_once=form.roll == "now")

    @app_commands.command()
    @fill_form
    async def versus(self, interaction: Interaction, form: VersusForm) -> None:
        """Make a Face to Face Roll, or challenge a member to one."""
        own, side = own_name(interaction), side_of(form.mine, form.my_mods, form.burst, form.crits)
        me = Contestant(_name(form.my_name or own), side, own=not form.my_name)
        theirs = TypedSide(form.their_attribute, form.their_mods, form.their_burst, form.their_crits, form.their_name)
        part = _contest(me, theirs, form.hours) if form.opponent is None else me.part("a")
        asked = RollCommand(channels(interaction), FACE_TO_FACE, [part], note=form.note, **route(interaction, form.to))
        if form.opponent is None:
            await begin(interaction, asked, at_once=True)
        else:
            _require_untyped(theirs)
            opponent = _opponent(interaction, form.opponent)
            challenge = Challenge(opponent, me.name, named=me.name != own, hours=form.hours)
            await make(interaction, challenges.make, asked, challenge)

    @app_commands.command()
    @fill_form
    async def odds(self, interaction: Interaction, form: InfinityOddsForm) -> None:
        """Show the exact odds of a roll without rolling it."""
        side = side_of(form.attribute, form.mods, form.burst, form.crits)
        against = TypedSide(form.their_attribute, form.their_mods, form.their_burst, form.their_crits).side()
        await say(interaction, embed=contest_odds_embed(side, against) if against else normal_odds_embed(side))

    @app_commands.command()
    async def challenges(self, interaction: Interaction) -> None:
        """List your open challenges, and answer or cancel one."""
        await list_waiting(interaction, NOUN, f"Challenge a player with `{MAKE}`.")


def _contest(me: Contestant, theirs: TypedSide, hours: int | None) -> PartRequest:
    """Return the contest against a side that was typed."""
    other = theirs.side()
    if other is None:
        raise BadInput("You need an opponent.", "Name an opponent, or type their_attribute.")
    if hours is not None:
        raise BadInput("Only a challenge has hours.", "Name an opponent, or leave hours out.")
    them = Contestant(_name(theirs.name or OPPONENT), other)
    parsing.refuse_both((me.name,), (them.name,))
    return joined(me.part("a"), them.part("b"))


def _name(given: str) -> str:
    (name,) = parsing.names(given, "name", 1)
    return name


def _by_hand(die: str, side: RollSide) -> dict[int, list[int]]:
    """Return faces that a game master typed, one for each die of the side, by its sides."""
    try:
        typed = read_faces(die, DIE.value)
    except BadInput as error:
        raise BadInput(error.what, FACES) from None
    faces = typed.pop(DIE.value, [])
    if typed:
        raise BadInput("Only d20s are rolled here.", FACES)
    side.check.read(faces)
    if len(faces) != side.burst:
        raise BadInput(f"You typed {len(faces)} dice, but the burst is {side.burst}.", "Type one face for each die.")
    return {DIE.value: faces}


def _require_untyped(theirs: TypedSide) -> None:
    if theirs != TypedSide(None, None, None, None):
        raise BadInput("Your opponent types the other side.", "Leave out all their_ options.")


def _opponent(interaction: Interaction, user: discord.Member | discord.User) -> Opponent | None:
    """Return who is challenged; None for somebody who is not on the server."""
    if not isinstance(user, discord.Member):
        return None
    who = Person(user.id, interaction.guild_id or 0, frozenset(role.id for role in user.roles), manages_server=False)
    channel = interaction.channel
    sees = bool(channel and channel.permissions_for(user).view_channel)
    return Opponent(who, user.display_name, user.bot, sees)


FEATURE = Feature(
    book=FAMILY[0],
    commands=(InfinityCog(),),
    rolls=(RollExtension(book=FAMILY[0], answering={FAMILY[1]: ANSWERING}),),
)
