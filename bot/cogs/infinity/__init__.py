"""Infinity's rolls and challenges."""

from __future__ import annotations

from bot.cogs.infinity.buttons import post_buttons
from bot.cogs.infinity.challenges import expire, unfinished
from bot.cogs.infinity.cog import InfinityCog
from bot.cogs.infinity.panel import COMPONENTS, MODALS
from bot.cogs.infinity.todo import open_challenges
from bot.feature import Feature

FEATURE = Feature(
    book="infinity",
    cogs=(InfinityCog,),
    components=COMPONENTS,
    modals=MODALS,
    chores=(expire,),
    post_buttons=post_buttons,
    unfinished=unfinished,
    todo=open_challenges,
)

setup = FEATURE.setup
