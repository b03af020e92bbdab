"""Infinity's rolls and challenges."""

from __future__ import annotations

from bot.cogs.infinity.buttons import post_buttons
from bot.feature import Feature

FEATURE = Feature(post_buttons=post_buttons)

setup = FEATURE.setup
