"""`/infinity`: Normal Rolls and Face to Face Rolls of Infinity CodeOne, challenges, and exact odds."""

import discord
from discord import app_commands
from discord.app_commands import Choice, Range

from bot.client import Interaction
from bot.cogs.infinity import challenges
from bot.cogs.infinity.challenges import BOOK, FAMILY, HOURS, MAKE, MAX_HOURS, NOUN, Challenge, Opponent
from bot.cogs.infinity.embed import contest_odds_embed, normal_odds_embed
from bot.cogs.infinity.sides import Contestant, TypedSide, side_of
from bot.core.permissions import Person
from bot.errors import BadInput
from bot.rolls import options
from bot.rolls.answers import begin
from bot.rolls.desk import channels
from bot.rolls.dice.by_hand import read_faces
from bot.rolls.pending.panel import list_waiting, make
from bot.rolls.request import PartRequest, RollCommand, by_label, joined
from bot.ui import parsing
from bot.ui.commands import describe
from bot.ui.reply import own_name, say
from rules.books.infinity.skill import DIE, HIGHEST_ATTRIBUTE, MAX_BURST, Side

NORMAL, FACE_TO_FACE = (BOOK, "normal-roll"), FAMILY
Attribute = Range[int, 0, HIGHEST_ATTRIBUTE]
Burst = Range[int, 1, MAX_BURST]
CRITS = [Choice(name="can have criticals", value="on"), Choice(name="cannot have criticals", value="off")]
OPPONENT = "Opponent"
FACES = "Type only faces of d20s, such as 12, or 9 12 3 for a burst."

MINE = {
    "mods": "All modifiers, such as -6 -3 +3. Their sum is capped at 12",
    "burst": "How many dice, 1 to 10. Default: 1",
    "crits": "Whether the skill can have criticals. Default: it can",
}
THEIRS = {
    "their_attribute": "The other side's attribute, 0 to 99",
    "their_mods": "The other side's modifiers, such as -3 +6",
    "their_burst": "How many dice the other side rolls",
    "their_crits": "Whether the other side's skill can have criticals",
}


@app_commands.guild_only()
class InfinityCog(app_commands.Group, name="infinity", description="Rolls of Infinity CodeOne"):
    """Infinity CodeOne."""

    @app_commands.command()
    @describe(
        attribute="The skill's attribute, 0 to 99",
        **MINE,
        die="Game masters only: dice rolled by hand, such as 12, or 9 12 3 for a burst",
        label="Who rolls. Default: you",
        note="A note on the result",
        to=options.HERE,
        roll="Roll now, or open a card with the odds. Default: now",
    )
    @app_commands.choices(crits=CRITS, roll=options.ROLL)
    async def roll(
        self,
        interaction: Interaction,
        attribute: Attribute,
        mods: str | None = None,
        burst: Burst = 1,
        die: str | None = None,
        crits: str = "on",
        label: str | None = None,
        note: str | None = None,
        to: options.ToOrHere = "here",
        roll: str = "now",
    ) -> None:
        """Make a Normal Roll against an attribute."""
        side = side_of(attribute, mods, burst, crits)
        roller = by_label("roller", label and _name(label), own_name(interaction))
        part = roller.model_copy(update={"inputs": side.inputs()})
        faces = None if die is None else _by_hand(die, side)
        whither = options.where(interaction, to)
        asked = RollCommand(channels(interaction), NORMAL, [part], note=note, faces=faces, **whither)
        await begin(interaction, asked, at_once=roll == "now")

    @app_commands.command()
    @describe(
        mine="Your attribute, 0 to 99",
        my_mods=MINE["mods"],
        burst=MINE["burst"],
        crits=MINE["crits"],
        opponent="The member you challenge. Or type their_attribute instead",
        **THEIRS,
        my_name="Who rolls on your side. Default: you",
        their_name="Who rolls on the other side",
        note="A note on the challenge and the result",
        hours=f"How long the challenge stays open, 1 to {MAX_HOURS} hours. Default: {HOURS}",
        to=options.HERE,
    )
    @app_commands.choices(crits=CRITS, their_crits=CRITS)
    async def versus(
        self,
        interaction: Interaction,
        mine: Attribute,
        my_mods: str | None = None,
        burst: Burst = 1,
        crits: str = "on",
        opponent: discord.Member | discord.User | None = None,
        their_attribute: Attribute | None = None,
        their_mods: str | None = None,
        their_burst: Burst | None = None,
        their_crits: str | None = None,
        my_name: str | None = None,
        their_name: str | None = None,
        note: str | None = None,
        hours: Range[int, 1, MAX_HOURS] | None = None,
        to: options.ToOrHere = "here",
    ) -> None:
        """Make a Face to Face Roll, or challenge a member to one."""
        own, where, whither = own_name(interaction), channels(interaction), options.where(interaction, to)
        me = Contestant(_name(my_name or own), side_of(mine, my_mods, burst, crits), own=not my_name)
        theirs = TypedSide(their_attribute, their_mods, their_burst, their_crits, their_name)
        part = _contest(me, theirs, hours) if opponent is None else me.part("a")
        asked = RollCommand(where, FACE_TO_FACE, [part], note=note, **whither)
        if opponent is None:
            await begin(interaction, asked, at_once=True)
        else:
            _require_untyped(theirs)
            challenge = Challenge(_opponent(interaction, opponent), me.name, named=me.name != own, hours=hours)
            await make(interaction, challenges.make, asked, challenge)

    @app_commands.command()
    @describe(attribute="The skill's attribute, 0 to 99", **MINE, **THEIRS)
    @app_commands.choices(crits=CRITS, their_crits=CRITS)
    async def odds(
        self,
        interaction: Interaction,
        attribute: Attribute,
        mods: str | None = None,
        burst: Burst = 1,
        crits: str = "on",
        their_attribute: Attribute | None = None,
        their_mods: str | None = None,
        their_burst: Burst | None = None,
        their_crits: str | None = None,
    ) -> None:
        """Show the exact odds of a roll without rolling it."""
        side = side_of(attribute, mods, burst, crits)
        against = TypedSide(their_attribute, their_mods, their_burst, their_crits).side()
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


def _by_hand(die: str, side: Side) -> dict[int, list[int]]:
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
