"""Luck: faces seen against faces expected, of the dice that somebody may see."""

from __future__ import annotations

from bot.cogs.luck.cog import luck
from bot.cogs.luck.panel import count_meant
from bot.kernel import Feature

FEATURE = Feature(commands=(luck,), components=(count_meant,))
