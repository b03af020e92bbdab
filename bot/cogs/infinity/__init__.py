"""`/infinity`: Infinity's rolls and challenges."""

from collections.abc import Iterator
from fractions import Fraction

import discord
from discord import app_commands
from discord.app_commands import Range

from bot.client import Interaction
from bot.cogs.infinity import challenges
from bot.cogs.infinity.challenges import BOOK, FAMILY, HOURS, MAX_HOURS, Challenge, Contestant, Opponent, TypedSide
from bot.core.errors import BadInput
from bot.core.permissions import Person
from bot.kernel import Feature
from bot.rolls.answers import begin
from bot.rolls.desk import channels
from bot.rolls.dice import read_faces
from bot.rolls.extension import RollExtension
from bot.rolls.options import CARD_OR_NOW, HERE, ToOrHere, route
from bot.rolls.pending.panel import list_waiting, make
from bot.rolls.request import PartRequest, RollCommand, join_parts, label_part
from bot.ui import parsing
from bot.ui.parsing import Form, fill_form, option
from bot.ui.reply import own_name, say
from bot.ui.text import COLOURS, bar, plain
from rules.books.infinity.skill import DIE, HIGHEST_ATTRIBUTE, MAX_BURST, RollSide, check_odds, contest_odds
from rules.phrases import percent


def _draw_normal_odds(side: RollSide) -> discord.Embed:
    odds = check_odds(side.check, side.burst)
    lines = [
        *map(plain, side.lines()),
        "",
        _show_chance("Critical success", odds.critical, odds.of),
        _show_chance("Success without a critical", odds.plain_success, odds.of),
        _show_chance("Automatic failure" if side.check.auto_fail else "Failure", odds.failure, odds.of),
        "",
        f"Any success: {_show_share(odds.critical + odds.plain_success, odds.of)}",
    ]
    return _draw_embed("Odds of a Normal Roll", lines)


def _draw_contest_odds(mine: RollSide, theirs: RollSide) -> discord.Embed:
    odds = contest_odds(mine.check, mine.burst, theirs.check, theirs.burst)
    lines = [
        *_describe_side("Your side", mine),
        *_describe_side("The other side", theirs),
        "",
        _show_chance("Your side wins", odds.a_wins, odds.of),
        _show_chance("The other side wins", odds.b_wins, odds.of),
        _show_chance("No winner", odds.none, odds.of),
    ]
    return _draw_embed("Odds of a Face to Face Roll", lines)


def _draw_embed(title: str, lines: list[str]) -> discord.Embed:
    return discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["neutral"])


def _describe_side(name: str, side: RollSide) -> Iterator[str]:
    yield f"**{name}**"
    yield from map(plain, side.lines())


def _show_chance(label: str, count: int, of: int) -> str:
    return f"`{bar(Fraction(count, of))}` {_show_share(count, of)} {label}"


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
    """The commands of Infinity CodeOne."""

    @app_commands.command()
    @fill_form
    async def roll(self, interaction: Interaction, form: NormalRollForm) -> None:
        """Make a Normal Roll against an attribute."""
        side = challenges.make_side(form.attribute, form.mods, form.burst, form.crits)
        roller = label_part("roller", form.label and _read_name(form.label), own_name(interaction))
        part = roller.model_copy(update={"inputs": side.inputs()})
        faces = None if form.die is None else _read_dice(form.die, side)
        to = route(interaction, form.to)
        command = RollCommand(channels(interaction), NORMAL, [part], note=form.note, faces=faces, **to)
        await begin(interaction, command, at_once=form.roll == "now")

    @app_commands.command()
    @fill_form
    async def versus(self, interaction: Interaction, form: VersusForm) -> None:
        """Make a Face to Face Roll, or challenge a member to one."""
        own, side = own_name(interaction), challenges.make_side(form.mine, form.my_mods, form.burst, form.crits)
        me = Contestant(_read_name(form.my_name or own), side, own=not form.my_name)
        theirs = TypedSide(form.their_attribute, form.their_mods, form.their_burst, form.their_crits, form.their_name)
        part = _make_contest(me, theirs, form.hours) if form.opponent is None else me.part("a")
        command = RollCommand(channels(interaction), FAMILY, [part], note=form.note, **route(interaction, form.to))
        if form.opponent is None:
            await begin(interaction, command, at_once=True)
        else:
            _require_untyped(theirs)
            opponent = _find_opponent(interaction, form.opponent)
            challenge = Challenge(opponent, me.name, named=me.name != own, hours=form.hours)
            await make(interaction, challenges.make, command, challenge)

    @app_commands.command()
    @fill_form
    async def odds(self, interaction: Interaction, form: InfinityOddsForm) -> None:
        """Show the exact odds of a roll without rolling it."""
        side = challenges.make_side(form.attribute, form.mods, form.burst, form.crits)
        against = TypedSide(form.their_attribute, form.their_mods, form.their_burst, form.their_crits).side()
        await say(interaction, embed=_draw_contest_odds(side, against) if against else _draw_normal_odds(side))

    @app_commands.command()
    async def challenges(self, interaction: Interaction) -> None:
        """List your open challenges, and answer or cancel one."""
        await list_waiting(interaction, challenges.NOUN, f"Challenge a player with `{challenges.MAKE}`.")


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
    if theirs != TypedSide():
        raise BadInput("Your opponent types the other side.", "Leave out all their_ options.")


def _find_opponent(interaction: Interaction, user: discord.Member | discord.User) -> Opponent | None:
    if not isinstance(user, discord.Member):
        return None
    who = Person(user.id, interaction.guild_id or 0, frozenset(role.id for role in user.roles), manages_server=False)
    channel = interaction.channel
    sees = bool(channel and channel.permissions_for(user).view_channel)
    return Opponent(who, user.display_name, user.bot, sees)


FEATURE = Feature(
    book=BOOK,
    commands=(InfinityCog(),),
    rolls=(RollExtension(book=BOOK, answering={FAMILY[1]: challenges.ANSWERING}),),
)
