"""`/infinity`: Normal Rolls and Face to Face Rolls of Infinity CodeOne, challenges, and exact odds."""

from __future__ import annotations

from dataclasses import dataclass

import discord
from discord import app_commands
from discord.app_commands import Choice, Range
from discord.ext import commands

from bot.client import Interaction
from bot.cogs.infinity.challenges import BOOK, HOURS, MAX_HOURS, Entrant, Member, Offer
from bot.cogs.infinity.embed import contest_odds_embed, normal_odds_embed
from bot.cogs.infinity.panel import ChallengePanel, member_of
from bot.errors import BadInput
from bot.rolls import options
from bot.rolls.commands import RollCommand
from bot.rolls.desk import RollDesk, channels
from bot.rolls.dice.by_hand import read_faces
from bot.rolls.request import PartRequest
from bot.ui import parsing
from bot.ui.reply import own_name, say
from rules.books.infinity.skill import DIE, HIGHEST_ATTRIBUTE, MAX_BURST, Side, Skill
from rules.dice import BY_HAND, ScriptedDice

NORMAL, FACE_TO_FACE = (BOOK, "normal-roll"), (BOOK, "face-to-face")
Attribute = Range[int, 0, HIGHEST_ATTRIBUTE]
Burst = Range[int, 1, MAX_BURST]
CRITS = [Choice(name="can have criticals", value="on"), Choice(name="cannot have criticals", value="off")]
OPPONENT = "Opponent"
FACES = "Type the faces of d20s alone, as in 12, or 9 12 3 for a burst."

MINE = {
    "mods": "As in -6 -3 +3: your own bonuses and what enemies put on you; their sum stops at 12",
    "burst": "How many dice, 1 to 10; 1 unless you say otherwise",
    "crits": "Whether the skill can have criticals; it can unless you say otherwise",
}
THEIRS = {
    "their_attribute": "The other side's attribute, 0 to 99",
    "their_mods": "The other side's modifiers with their signs, as in -3 +6",
    "their_burst": "How many dice the other side has",
    "their_crits": "Whether the other side's skill can have criticals",
}


@dataclass(frozen=True, slots=True)
class Theirs:
    """The other side of a contest as it was typed."""

    attribute: int | None
    mods: str | None
    burst: int | None
    crits: str | None
    name: str | None = None

    def side(self) -> Side | None:
        """The same for the rules; None where nothing was typed.

        Raises:
            BadInput, RollError: something was typed that cannot be used, or no attribute with it.

        """
        if self.attribute is not None:
            return side_of(self.attribute, self.mods, self.burst or 1, self.crits or "on")
        if (self.mods, self.burst, self.crits, self.name) != (None,) * 4:
            raise BadInput("The other side has no attribute.", "Name it as their_attribute, or leave their_ out.")
        return None


@app_commands.guild_only()
class InfinityCog(commands.GroupCog, group_name="infinity", group_description="Rolls of Infinity CodeOne"):
    """Infinity CodeOne."""

    def __init__(self, desk: RollDesk, panel: ChallengePanel) -> None:
        self._desk = desk
        self._panel = panel

    @app_commands.command()
    @app_commands.describe(
        attribute="The attribute of the skill, 0 to 99",
        **MINE,
        die="Faces rolled by hand, such as 12, or 9 12 3 for a burst (game masters)",
        label="Who rolls; you unless named",
        note="A note that stands with the result",
        to=options.SHARED["to"],
        roll="The roll at once, or a card with the odds first",
    )
    @app_commands.choices(crits=CRITS, to=options.TO, roll=options.ROLL)
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
        to: str = "auto",
        roll: str = "now",
    ) -> None:
        """Make a Normal Roll."""
        side = side_of(attribute, mods, burst, crits)
        part = PartRequest(subjects={"roller": _name(label, own_name(interaction))}, inputs=side.inputs())
        dice = None if die is None else _by_hand(die, side, at_once=roll == "now")
        asked = RollCommand(channels(interaction), NORMAL, [part], note=note, to=options.to_of(to), dice=dice)
        await self._desk.begin(interaction, asked, at_once=roll == "now")

    @app_commands.command()
    @app_commands.describe(
        mine="Your attribute, 0 to 99",
        my_mods=MINE["mods"],
        burst=MINE["burst"],
        crits=MINE["crits"],
        opponent="A member who answers with the other side; else type their_attribute",
        **THEIRS,
        my_name="Who rolls on your side; you unless named",
        their_name="Who rolls on the other side",
        note="A note that stands with the challenge and the result",
        hours=f"How long a challenge waits, 1 to {MAX_HOURS} hours; {HOURS} unless you say otherwise",
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
    ) -> None:
        """Make a Face to Face Roll, or challenge a member to one."""
        own = own_name(interaction)
        me = Entrant(_name(my_name, own), side_of(mine, my_mods, burst, crits))
        theirs = Theirs(their_attribute, their_mods, their_burst, their_crits, their_name)
        if opponent is None:
            await self._at_once(interaction, me, theirs, note, hours)
        else:
            _require_untyped(theirs)
            whom = _member(interaction, opponent)
            offer = Offer(channels(interaction), whom, me, note, hours, named=me.name != own)
            await self._panel.challenge(interaction, offer)

    @app_commands.command()
    @app_commands.describe(attribute="The attribute of the skill, 0 to 99", **MINE, **THEIRS)
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
        """Show the exact odds of a roll, or of a Face to Face Roll; nothing is rolled."""
        side = side_of(attribute, mods, burst, crits)
        against = Theirs(their_attribute, their_mods, their_burst, their_crits).side()
        await say(interaction, embed=contest_odds_embed(side, against) if against else normal_odds_embed(side))

    @app_commands.command()
    async def challenges(self, interaction: Interaction) -> None:
        """List the challenges by and against you that wait, and answer or withdraw one."""
        await self._panel.listing(interaction)

    async def _at_once(
        self, interaction: Interaction, me: Entrant, theirs: Theirs, note: str | None, hours: int | None
    ) -> None:
        """Roll against what was typed."""
        other = theirs.side()
        if other is None:
            raise BadInput("There is nobody to roll against.", "Name an opponent, or type their_attribute.")
        if hours is not None:
            raise BadInput("Only a challenge waits for hours.", "Name an opponent, or leave hours out.")
        name = _name(theirs.name, OPPONENT)
        parsing.refuse_both((me.name,), (name,))
        inputs = {"a": me.side.inputs(), "b": other.inputs()}
        part = PartRequest(subjects={"a": me.name, "b": name}, inputs=inputs)
        asked = RollCommand(channels(interaction), FACE_TO_FACE, [part], note=note)
        await self._desk.begin(interaction, asked, at_once=True)


def side_of(attribute: int, mods: str | None, burst: int, crits: str) -> Side:
    """One side as it was typed.

    Raises:
        BadInput, RollError: it cannot be used.

    """
    return Side(Skill(attribute, parsing.signed_numbers(mods), crits != "off"), burst)


def _name(given: str | None, usual: str) -> str:
    (name,) = parsing.names(given or usual, "name", 1)
    return name


def _by_hand(die: str, side: Side, *, at_once: bool) -> ScriptedDice:
    """Faces that a game master typed, one for each die of the side.

    Raises:
        BadInput, WrongDice: they are not what the roll asks for.

    """
    if not at_once:
        raise BadInput("A card rolls its own dice.", "Leave the die out, or roll at once.")
    try:
        found = read_faces(die, DIE.value)
    except BadInput as error:
        raise BadInput(error.what, FACES) from None
    faces = found.pop(DIE.value, [])
    if found:
        raise BadInput("Only d20s are rolled here.", FACES)
    side.check.read(faces)
    if len(faces) != side.burst:
        raise BadInput(f"Those are {len(faces)} dice, and the burst is {side.burst}.", "Type one face for each die.")
    return ScriptedDice([(DIE.value, face) for face in faces], source=BY_HAND)


def _require_untyped(theirs: Theirs) -> None:
    if theirs != Theirs(None, None, None, None):
        raise BadInput("Your opponent types the other side.", "Leave all that begins with their_ out.")


def _member(interaction: Interaction, opponent: discord.Member | discord.User) -> Member | None:
    who = member_of(opponent, interaction.guild_id or 0)
    return None if who is None else Member(who, opponent.display_name, opponent.bot, _sees(interaction, opponent))


def _sees(interaction: Interaction, member: discord.User | discord.Member) -> bool:
    """Whether a member can see the channel that a command is used in."""
    channel = interaction.channel
    return isinstance(member, discord.Member) and bool(channel and channel.permissions_for(member).view_channel)
