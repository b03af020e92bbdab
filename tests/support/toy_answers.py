"""Families of the toy book whose rolls wait for answers: everything that a feature brings for that, and a bot that has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from discord import app_commands, ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.app import FEATURES
from bot.client import Adjutant, Interaction
from bot.core.campaigns import locate_campaign
from bot.core.errors import BadInput
from bot.core.permissions import Person
from bot.core.visibility import find_saved, make_viewer
from bot.kernel import Feature, Kernel
from bot.rolls.desk import channels
from bot.rolls.extension import RollExtension
from bot.rolls.pending import panel, service
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import AnswerRules, Seat, SeatAnswer, Words
from bot.rolls.preview import identify
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.reply import text_field
from rules.library import Composer
from tests.rules.toybook import TOY
from tests.support.world import BOOKS, World

HOURS = 24
OTHERWISE = "whoever says nothing takes cover"


def stance(request: RollRequest, place: int, answer: SeatAnswer | None) -> RollRequest:
    """The request with how one resister stands: as was pressed, and behind cover who has said nothing."""
    part = request.parts[place]
    if answer is not None and answer.choice == "fly":
        raise BadInput(f"{part.subjects['resister']} cannot fly.")
    covered = answer is None or answer.choice == "cover"
    marks = {**part.marks, "resister.cover": 1} if covered else part.marks
    return request.with_part(place, replace(part, marks=marks))


def courage(request: RollRequest, place: int, answer: SeatAnswer | None) -> RollRequest:
    """The request with the number under which somebody's die has to stay, as was typed; 10 for who has said nothing."""
    part = request.parts[place]
    number = 10 if answer is None else parsing.parse_whole(answer.fields["courage"], "courage", 0, 99)
    return request.with_part(place, replace(part, inputs={"values": {"toy.nerve": number}}))


def window(draft: Mapping[str, str], own: str) -> Iterator[ui.Label[ui.Modal]]:
    """The one field of the window."""
    yield text_field("courage", f"The courage that {own} gives", value=draft.get("courage"), limit=5)


def words(otherwise: str = OTHERWISE) -> Words:
    """What a duel by Ann is called."""
    return Words("duel", "Ann", ("thrusts at", "and waits"), "/duel", otherwise=otherwise)


def asked(names: Sequence[str], family: str = "duel") -> RollRequest:
    """Ann's duel with all of these, or how all of these keep their nerve."""
    subjects = [{"actor": "Ann", "resister": name} if family == "duel" else {"actor": name} for name in names]
    return RollRequest(book="toy", family=family, parts=tuple(PartRequest(subjects=one) for one in subjects))


def ask(  # noqa: PLR0913, PLR0917 - all that is asked
    tx: Connection,
    resolver: Resolver,
    person: Person,
    where: Sequence[int],
    names: Sequence[str],
    otherwise: str,
    family: str = "duel",
) -> PendingRoll:
    """Let a roll wait for whoever plays those of these names."""
    campaign = locate_campaign(tx, person.guild_id, where, lock=True)
    seats = [Seat(subject=find_saved(tx, person, campaign, name).id, name=name, role="resister") for name in names]
    request = asked(names, family)
    parts = identify(tx, make_viewer(tx, person, campaign), request.parts)
    request = replace(request, parts=parts, staff=person.leads(campaign))
    told = Ask(where[0], request, tuple(seats), timedelta(hours=HOURS), words(otherwise))
    return service.ask(tx, resolver, person, campaign, told)


@app_commands.command()
@app_commands.guild_only()
async def duel(interaction: Interaction, names: str, lapses: bool = False) -> None:  # noqa: FBT001, FBT002 - as discord.py calls it
    """Thrust at somebody."""
    await panel.make(interaction, ask, channels(interaction), names.split(", "), "" if lapses else OTHERWISE)


@app_commands.command()
@app_commands.guild_only()
async def nerve(interaction: Interaction, names: str) -> None:
    """Frighten somebody."""
    await panel.make(interaction, ask, channels(interaction), names.split(", "), "", "nerve")


CHOICES = {"stand": "Stand", "cover": "Take cover", "fly": "Fly"}
ANSWERING = {"duel": AnswerRules(stance, choices=CHOICES), "nerve": AnswerRules(courage, window=window)}
TOYS = Feature(commands=(duel, nerve), rolls=(RollExtension(book="toy", answering=ANSWERING),))


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
