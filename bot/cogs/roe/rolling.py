"""How a command of `/roe` rolls: by a card, at once, or with faces that a game master has rolled by hand."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from bot.client import Interaction
from bot.errors import BadInput
from bot.rolls.answers import begin
from bot.rolls.dice.by_hand import read_faces
from bot.rolls.request import RollCommand
from bot.rolls.requests import TypedRoll

SIDES = 100
"""Of which die typed faces are that stand before the first die: what checks are rolled with."""


async def roll_as_picked(
    interaction: Interaction,
    command: RollCommand | TypedRoll,
    roll: str | None,
    dice: str | None,
    *,
    usual: Literal["card", "now"] = "card",
) -> None:
    """Answer a command by a card or at once: as picked, or as is `usual`; with typed `dice` at once."""
    faces = None if dice is None else read_faces(dice, SIDES)
    how = roll or (usual if faces is None else "now")
    await begin(interaction, replace(command, faces=faces), at_once=how == "now")


def require_untyped(dice: str | None) -> None:
    """Refuse typed faces for what waits for others before its dice fall."""
    if dice is not None:
        raise BadInput("This waits for answers before any dice are rolled.", "Leave the dice out.")
