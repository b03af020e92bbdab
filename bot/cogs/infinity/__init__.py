"""Infinity's rolls and challenges."""

from __future__ import annotations

from bot.cogs.infinity.challenges import ANSWERING, FAMILY
from bot.cogs.infinity.cog import InfinityCog
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    book=FAMILY[0],
    commands=(InfinityCog(),),
    rolls=(RollExtension(book=FAMILY[0], answering={FAMILY[1]: ANSWERING}),),
)
