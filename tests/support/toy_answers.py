"""A family of the toy book whose rolls wait for answers: everything that a feature brings for that, and a bot that has it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from discord import app_commands
from discord.ext import commands
from sqlalchemy import Connection

from bot.app import FEATURES
from bot.client import Adjutant, Interaction
from bot.core.campaigns import locate
from bot.core.permissions import Person
from bot.core.visibility import find_saved, viewer_of
from bot.feature import Feature
from bot.kernel import Kernel
from bot.rolls.cast import identify
from bot.rolls.desk import channels
from bot.rolls.extension import RollExtension
from bot.rolls.pending import panel, service
from bot.rolls.pending.answering import Answer, Answering
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import Seat, Words
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver
from rules.compose import Composer
from tests.rules.toybook import TOY
from tests.support.world import BOOKS, World

HOURS = 24
OTHERWISE = "whoever says nothing takes cover"


def stance(request: RollRequest, place: int, answer: Answer | None) -> RollRequest:
    """The request with how one resister stands: as was pressed, and behind cover who has said nothing."""
    part = request.parts[place]
    covered = answer is None or answer.choice == "cover"
    marks = {**part.marks, "resister.cover": 1} if covered else part.marks
    return request.with_part(place, part.model_copy(update={"marks": marks}))


def words(otherwise: str = OTHERWISE) -> Words:
    """What a duel by Ann is called."""
    return Words("duel", "Ann", ("thrusts at", "and waits"), "/duel", otherwise=otherwise)


def asked(names: Sequence[str]) -> RollRequest:
    """Ann's duel with all of these."""
    parts = tuple(PartRequest(subjects={"actor": "Ann", "resister": name}) for name in names)
    return RollRequest(book="toy", family="duel", parts=parts)


def duel(  # noqa: PLR0913, PLR0917 - all that is asked
    tx: Connection, resolver: Resolver, person: Person, where: Sequence[int], names: Sequence[str], otherwise: str
) -> PendingRoll:
    """Let Ann's duel wait for whoever plays those of these names."""
    campaign = locate(tx, person.guild_id, where, lock=True)
    seats = [
        Seat(subject=find_saved(tx, person, campaign, "character", name).id, name=name, role="resister")
        for name in names
    ]
    parts = identify(tx, viewer_of(tx, person, campaign), asked(names).parts)
    request = asked(names).model_copy(update={"parts": parts, "staff": person.leads(campaign)})
    told = Ask(where[0], request, tuple(seats), timedelta(hours=HOURS), words(otherwise))
    return service.ask(tx, resolver, person, campaign, told)


class DuelCog(commands.Cog):
    """The one command of the family."""

    @app_commands.command()
    @app_commands.guild_only()
    async def duel(self, interaction: Interaction, names: str, lapses: bool = False) -> None:  # noqa: FBT001, FBT002 - as discord.py calls it
        """Thrust at somebody."""
        await panel.make(interaction, duel, channels(interaction), names.split(", "), "" if lapses else OTHERWISE)


CHOICES = {"stand": "Stand", "cover": "Take cover"}
TOYS = Feature(cogs=(DuelCog,), rolls=RollExtension(answering={("toy", "duel"): Answering(stance, choices=CHOICES)}))


async def start(world: World) -> None:
    """Stop the bot of a world, and start one that plays by the toy book."""
    bot = world.new_bot()
    kernel = Kernel.build(
        (*FEATURES, TOYS),
        database=bot.database,
        ledger=bot.ledger,
        books={**BOOKS, "toy": TOY},
        dice=world.dice,
        composer=Composer(),
    )
    world.bots[-1] = Adjutant(bot.settings, kernel)
    await world.env.restart_bot(world.bots[-1])
