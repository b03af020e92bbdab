"""Infinity's rolls and challenges."""

from __future__ import annotations

from bot.cogs.infinity.buttons import post_buttons
from bot.cogs.infinity.unfinished import open_challenges
from bot.feature import Feature

FEATURE = Feature(post_buttons=post_buttons, unfinished=open_challenges)

setup = FEATURE.setup
