"""Rolls that wait for an answer."""

from bot.kernel import Chore, Feature
from bot.rolls.pending.panel import COMPONENTS, MODALS
from bot.rolls.pending.service import end_overdue, settle
from bot.rolls.todo import open_answers

FEATURE = Feature(
    components=COMPONENTS,
    modals=MODALS,
    chores=(Chore(end_overdue),),
    after_void=settle,
    todo=open_answers,
)
