"""Complications that befall a side."""

from __future__ import annotations

from bot.cogs.complications.cog import complications
from bot.cogs.complications.passwords import passwords
from bot.cogs.complications.sides import defence
from bot.feature import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(book="campaign", commands=(complications,), rolls=RollExtension(facts=(defence, passwords)))
