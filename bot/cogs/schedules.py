"""Schedules as a feature: their entries, the buttons under their questions, and the loop that does what is due."""

from __future__ import annotations

from bot.kernel import Feature
from bot.schedules.actions import SCHEDULE_CHANGED
from bot.schedules.panel import COMPONENTS
from bot.schedules.runner import run_due

FEATURE = Feature(components=COMPONENTS, entry_kinds=(SCHEDULE_CHANGED,), chores=(run_due,))
