"""Schedules: entries, buttons, and the loop for due jobs."""

from bot.kernel import Chore, Feature
from bot.schedules.actions import COMPONENTS, SCHEDULE_CHANGED
from bot.schedules.runner import run_due

FEATURE = Feature(components=COMPONENTS, entry_kinds=(SCHEDULE_CHANGED,), chores=(Chore(run_due),))
