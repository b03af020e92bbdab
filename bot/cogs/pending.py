"""Rolls that wait for an answer."""

from bot.core.profiles import UNIT_ENTRY
from bot.core.records import VOID
from bot.kernel import Chore, Feature
from bot.rolls.extension import RollExtension
from bot.rolls.pending.panel import COMPONENTS
from bot.rolls.pending.service import end_overdue, settle
from bot.rolls.todo import open_answers

FEATURE = Feature(
    components=(*COMPONENTS,),
    chores=(Chore(end_overdue),),
    rolls=(RollExtension(kinds=(VOID, UNIT_ENTRY), follows=(settle,)),),
    todo=open_answers,
)
