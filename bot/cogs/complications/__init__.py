"""Complications that befall a side."""

from __future__ import annotations

from bot.cogs.complications.cog import FAMILY, complications
from bot.cogs.complications.passwords import passwords
from bot.cogs.complications.sides import defence
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    book=FAMILY[0],
    commands=(complications,),
    rolls=(RollExtension(book=FAMILY[0], families=(FAMILY[1],), facts=(defence, passwords)),),
)
