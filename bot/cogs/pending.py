"""Rolls that wait for an answer, as a feature: their buttons and windows, and the loop that ends those whose time is over."""

from __future__ import annotations

from bot.kernel import Feature
from bot.rolls.pending.ending import end_overdue
from bot.rolls.pending.panel import COMPONENTS, MODALS
from bot.rolls.pending.service import unfinished
from bot.rolls.pending.settling import settle, settled
from bot.rolls.pending.todo import open_answers

FEATURE = Feature(
    components=COMPONENTS,
    modals=MODALS,
    chores=(end_overdue,),
    after_removal=settled,
    after_void=settle,
    unfinished=unfinished,
    todo=open_answers,
)
