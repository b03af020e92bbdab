"""Write-ups of battles and scenes."""

from bot.cogs.writeups import todo
from bot.cogs.writeups.actions import WRITEUP_CHANGED, ask_for_threads, open_writeups
from bot.cogs.writeups.cog import COMPONENTS, MODALS, WriteupsCog
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    commands=(WriteupsCog(),),
    components=COMPONENTS,
    modals=MODALS,
    entry_kinds=(WRITEUP_CHANGED,),
    rolls=(
        RollExtension(
            extra=(open_writeups, todo.withdraw_by_roll),  # tables of a campaign's own ambush, too
            messages=(ask_for_threads, todo.describe_cancelled),
            next_steps=(todo.claims,),
        ),
    ),
    questions=(todo.find_undecided,),
    effect_set=todo.withdraw_by_hand,
    todo=todo.list_waiting,
)
