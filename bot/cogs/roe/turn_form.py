"""The options that rolls of `/roe` share."""

from __future__ import annotations

from typing import ClassVar

from discord.app_commands import Range

from bot.rolls.options import CARD_OR_NOW, HOW, MODIFIERS, NOTE
from bot.ui.form import Form, option

NO_CARD = "Open a card with the odds, or roll now. No card without dice"
Metres = Range[float, 0, 10000]
ROLL = option(HOW, default=None, choices=CARD_OR_NOW)
DICE = option("Game masters only: dice rolled by hand, in order, such as 42 7 d20: 9", default=None)


class TurnForm(Form):
    """What rolls of a turn ask for after their own options."""

    family: ClassVar[tuple[str, str]]
    modifiers: str | None = MODIFIERS
    note: str | None = NOTE
    roll: str | None = ROLL
    dice: str | None = DICE
