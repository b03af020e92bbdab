"""What is to be written up."""

from __future__ import annotations

from bot.cogs.writeups.entries import WRITEUP_CHANGED, ask_for_threads, open_writeups
from bot.feature import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    entry_kinds=(WRITEUP_CHANGED,), rolls=RollExtension(extra=(open_writeups,), messages=(ask_for_threads,))
)

setup = FEATURE.setup
