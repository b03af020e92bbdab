"""Rolls that wait for an answer, as a feature: their buttons and windows, and the loop that ends those whose time is over."""

from __future__ import annotations

from bot.kernel import Feature
from bot.rolls.pending.ending import end_overdue, settle, settle_after_removal
from bot.rolls.pending.panel import COMPONENTS, MODALS
from bot.rolls.pending.service import list_unfinished
from bot.rolls.todo import open_answers

FEATURE = Feature(
    components=COMPONENTS,
    modals=MODALS,
    chores=(end_overdue,),
    after_removal=settle_after_removal,
    after_void=settle,
    unfinished=list_unfinished,
    todo=open_answers,
)
