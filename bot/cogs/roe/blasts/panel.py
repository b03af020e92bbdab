"""Grenades that explode by a button under the post of their turn: a window asks who stands in the radius."""

from __future__ import annotations

from collections.abc import Sequence

from discord import ui
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import fight_messages
from bot.cogs.roe.blasts.typed import exploding
from bot.cogs.roe.fight_view import BOOK, campaign_with_fights, find_fight
from bot.core.library import Library
from bot.core.permissions import Person
from bot.rolls.answers import begin
from bot.rolls.desk import channels
from bot.rolls.request import MAX_PARTS, RollCommand
from bot.ui import parsing
from bot.ui.components import Component, ModalForm, component, modal
from bot.ui.reply import ask, person, submitted, text_field
from bot.ui.text import shorten
from rules.books.roe.contests import RESISTER
from rules.books.roe.explosives import FUSE

LIMIT = 4000
"""The characters that Discord takes in one text field: the names of all who can stand in a fight."""


@component(fight_messages.EXPLODE)
async def ask_radius(interaction: Interaction, *, campaign: int, fight: int, fuse: int) -> None:
    """Ask who stands in the radius of a grenade: those who were named before, unless it is said otherwise."""
    bot, key = interaction.client, {"campaign": campaign, "fight": fight, "fuse": fuse}
    asked = (bot.library, person(interaction), channels(interaction), campaign, fight, fuse)
    command = await bot.database.read(_command, *asked)
    names = ", ".join(part.subjects[RESISTER] for part in command.parts if RESISTER in part.subjects)
    form = ui.Modal(title="Who is in the radius?", custom_id=fight_messages.EXPLODE.fill(**key))
    field = text_field("names", "Names, separated by commas", value=shorten(names, LIMIT), limit=LIMIT, needed=False)
    await ask(interaction, form.add_item(field))


@modal(fight_messages.EXPLODE)
async def explode(interaction: Interaction, *, campaign: int, fight: int, fuse: int) -> None:
    """Open the card of a grenade that explodes."""
    bot, typed = interaction.client, str(submitted(interaction).get("names") or "")
    names = parsing.split_names(typed, "target", MAX_PARTS) if typed.strip() else ()
    asked = (bot.library, person(interaction), channels(interaction), campaign, fight, fuse, names)
    await begin(interaction, await bot.database.read(_command, *asked), at_once=False)


def _command(
    tx: Connection,
    library: Library,
    by: Person,
    where: Sequence[int],
    campaign_id: int,
    fight: int,
    fuse: int,
    names: Sequence[str] | None = None,
) -> RollCommand:
    campaign = campaign_with_fights(tx, library, by, campaign_id, lock=False)
    seen = find_fight(tx, by, campaign, fight)
    family, parts, scene = exploding(tx, seen.viewer, seen, f"{FUSE}{fuse}", names)
    return RollCommand(where, (BOOK, family), parts, campaign=campaign.id, scene=scene)


COMPONENTS: tuple[Component, ...] = (ask_radius,)
MODALS: tuple[ModalForm, ...] = (explode,)
