"""The next roll of the same family by the same actor: a button under the receipt of a roll, and the window that asks for whom."""

from __future__ import annotations

from collections.abc import Iterator

from discord import ui
from sqlalchemy import Connection

from bot.core.campaigns import Campaign, on_server
from bot.core.entry_kinds import Body
from bot.core.permissions import Person, readable
from bot.core.records import Entry
from bot.errors import NotOpen
from bot.rolls.answers import begin
from bot.rolls.buttons import NEXT, follower
from bot.rolls.desk import channels, desk_of
from bot.rolls.parsing import parse_targets
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.components import component, modal
from bot.ui.reply import AnyInteraction, ask, person, submitted, text_field
from bot.ui.text import shorten
from rules.procedure import Procedure

MAX_TARGETS = 10


@component(NEXT)
async def ask_next(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Ask for whom the next roll is made."""
    body, procedure, actor = await _before(interaction, campaign, number)
    form = ui.Modal(
        title=shorten(f"{body['title']}: {actor}", 45), custom_id=NEXT.fill(campaign=campaign, number=number)
    )
    about = f"Next {procedure.subject}"
    hint = "One or more, separated by commas"
    await ask(interaction, form.add_item(text_field("next", about, placeholder=hint, limit=600)))


@modal(NEXT)
async def roll_next(interaction: AnyInteraction, *, campaign: int, number: int) -> None:
    """Open a card for the next roll, at the same place."""
    body, procedure, actor = await _before(interaction, campaign, number)
    parts = list(_parts(procedure, actor, str(submitted(interaction).get("next") or "")))
    where = (
        channels(interaction),
        (body["book"], procedure.family),
        parts,
        None if body.get("at_home") else body["region"],
        body["week"],
    )
    await begin(interaction, RollCommand(*where, campaign=campaign), at_once=False)


async def _before(interaction: AnyInteraction, campaign: int, number: int) -> tuple[Body, Procedure, str]:
    """Return the body of a roll that the person may know of, its procedure, and who rolled."""
    desk = desk_of(interaction)
    here, entry = await desk.database.read(_find, person(interaction), campaign, number)
    _, procedure = await desk.procedure(here, entry.content()["book"], entry.content()["family"])
    actor = follower(entry.content(), procedure)
    if actor is None:
        raise _no_roll(number)
    return entry.content(), procedure, actor


def _find(tx: Connection, who: Person, campaign_id: int, number: int) -> tuple[Campaign, Entry]:
    campaign = on_server(tx, who.guild_id, campaign_id)
    entry = readable(tx, who, campaign, number, made=True)
    if entry is None or entry.kind != "roll":
        raise _no_roll(number)
    return campaign, entry


def _no_roll(number: int) -> NotOpen:
    return NotOpen(f"You can't continue entry #{number}.", "Start a new roll with its command.")


def _parts(procedure: Procedure, actor: str, typed: str) -> Iterator[PartRequest]:
    """Yield one part for each name that is typed, with its answer to the procedure's question, where it has one."""
    if procedure.choices:
        pairs = parse_targets(typed, procedure.choices[0], None, MAX_TARGETS)
    else:
        pairs = tuple((name, "") for name in parsing.names(typed, procedure.subject, MAX_TARGETS))
    parsing.refuse_both((actor,), [name for name, _ in pairs])
    for name, answer in pairs:
        answers = {procedure.choices[0].id: answer} if procedure.choices else {}
        yield PartRequest(subjects={procedure.actor: actor, procedure.subject: name}, choices=answers)
