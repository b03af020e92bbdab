"""What is to be written up."""

from __future__ import annotations

from bot.cogs.writeups.actions import WRITEUP_CHANGED, ask_for_threads, open_writeups
from bot.cogs.writeups.buttons import claims
from bot.cogs.writeups.cog import COMPONENTS, MODALS, WriteupsCog
from bot.cogs.writeups.todo import find_undecided, list_waiting, tell_withdrawn, withdraw_by_hand, withdraw_by_roll
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    commands=(WriteupsCog(),),
    components=COMPONENTS,
    modals=MODALS,
    entry_kinds=(WRITEUP_CHANGED,),
    rolls=(
        RollExtension(
            extra=(open_writeups, withdraw_by_roll),  # tables of a campaign's own ambush, too
            messages=(ask_for_threads, tell_withdrawn),
            next_steps=(claims,),
        ),
    ),
    questions=(find_undecided,),
    effect_set=withdraw_by_hand,
    todo=list_waiting,
)
