"""Acts of units: rolled as they are typed, or completed in a window that asks for what is missing and keeps what was typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import discord
from discord import ui
from msgspec.structs import asdict

from bot.client import Interaction
from bot.cogs.war import ids
from bot.cogs.war.battles import TAKES, SeenBattle, TypedAct, Where, roll_in, see_battle
from bot.errors import MissingInput
from bot.rolls.answers import begin
from bot.rolls.dice import read_faces
from bot.rolls.request import RollCommand
from bot.ui.components import ModalForm, modal
from bot.ui.parsing import MAX_NAME, MAX_TEXT
from bot.ui.reply import ask, read_submitted, text_field
from bot.ui.text import plain, shorten
from rules.books.total_war.fight import require_one_target
from rules.books.total_war.order_kinds import MANEUVER, TARGET, UNIT
from rules.errors import MissingValue

DAMAGE = 6
"""The die of typed faces without a die before them: what units of the page's example attack with."""
MAX_TITLE, MAX_FIELDS = 45, 5
USUAL = "usual"
"""How an act is rolled where nobody says, in the id of the window."""
LABELS: Mapping[str, tuple[str, str]] = {
    "to": ("The tile it moves to", "E4"),
    "target": ("The unit it attacks", "u22"),
    "others": ("Units that add their attack", "u13, u14"),
    "call": ("Call for the coin in melee", "heads or tails"),
    "toward": ("Lane in which a warship fires", "N, E, S or W"),
    "dice": ("Dice rolled by hand", "5 3 d100: 40"),
}
"""The fields of the window, each with its label and an example, by the options that they stand for."""
FIELDS: Mapping[str, Sequence[str]] = {
    MANEUVER: ("to", "target", "call", "toward", "dice"),  # nothing says yet what it does
    "shoot": ("target", "others", "to", "dice"),
    "melee": ("target", "call", "to", "dice"),
    "broadside": ("toward", "to", "dice"),
}


async def act(interaction: Interaction, where: Where, asked: TypedAct) -> None:
    """Answer with an act of a unit or its card, or with a window for what is missing."""
    faces = None if asked.dice is None else read_faces(asked.dice, DAMAGE)
    how = asked.roll or (asked.usual if faces is None else "now")
    try:
        await begin(interaction, roll_in(where, partial(act_command, asked), faces), at_once=how == "now")
    except (MissingInput, MissingValue) as missing:
        if interaction.type is discord.InteractionType.modal_submit:  # Discord opens no window after a window
            raise
        seen = await see_battle(interaction, where)
        await ask(interaction, _form(seen, asked, str(missing)))


def act_command(asked: TypedAct, seen: SeenBattle) -> RollCommand:
    """Return the roll of an act of a unit."""
    asked.require_fitting()
    family, given = asked.family, {"to": asked.to, "call": asked.call, "toward": asked.toward}
    subjects, others = {UNIT: seen.called_unit(asked.unit)}, asked.others.split(",") if asked.others else []
    if asked.target and family in {"shoot", "melee"}:
        several = [name for name in asked.target.split(",") if name.strip()]
        require_one_target(subjects[UNIT], several if several[1:] else asked.target)
        subjects[TARGET] = seen.called_unit(asked.target)
    inputs: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    inputs |= {"others": [seen.called_unit(other) for other in others]} if others else {}
    inputs |= {"first": "attack"} if asked.attacks_first else {}
    return seen.command(family, subjects, inputs)


def _form(seen: SeenBattle, asked: TypedAct, missing: str) -> ui.Modal:
    """Return the window for an act, with what was typed and what is missing."""
    names, given = seen.labels(), {name: value for name, value in asdict(asked).items() if value}
    unit = seen.unit(asked.unit)
    key = seen.key.fill(ids.MISSING, attack=asked.picked, roll=asked.roll or USUAL, unit=unit)
    form = ui.Modal(title=shorten(names[unit], MAX_TITLE), custom_id=key)
    for name in FIELDS[asked.family]:
        if name in given or name != "dice":  # players never type dice
            label, example = LABELS[name]
            limit = MAX_TEXT if name in {"others", "dice"} else MAX_NAME
            needed = name in TAKES[asked.family][:1]
            field = text_field(name, label, placeholder=example, value=given.get(name), limit=limit, needed=needed)
            form.add_item(field)
    return form if len(form.children) == MAX_FIELDS else form.add_item(ui.TextDisplay(plain(missing)))


@modal(ids.MISSING)
async def act_whole(interaction: Interaction, *, campaign: int, at: str, begun: int, **typed: str) -> None:
    """Let a unit act with what was missing."""
    known = {name: value for name, value in typed.items() if value not in {MANEUVER, USUAL}}
    filled = {name: str(value) for name, value in read_submitted(interaction).items() if name in LABELS and value}
    await act(interaction, Where.of(campaign, at, begun), TypedAct(**known, **filled))


MODALS: tuple[ModalForm, ...] = (act_whole,)
