"""RoE: fights in turns, and the rolls of its book."""

from __future__ import annotations

from functools import partial

from bot.cogs.roe.bars import require_turn
from bot.cogs.roe.cog import RoeCog
from bot.cogs.roe.facts import about_others, done_in_turn
from bot.cogs.roe.fights.cog import FightCog
from bot.cogs.roe.fights.entries import FIGHT_CHANGED
from bot.cogs.roe.fights.looking import BOOK, FIGHTS
from bot.cogs.roe.fights.panel import COMPONENTS
from bot.cogs.roe.fights.todo import open_fights
from bot.core.scene_entries import left
from bot.core.scenes import require_alone
from bot.feature import Feature
from bot.rolls.extension import RollExtension
from bot.ui.scenes import unfinished
from rules.books.roe.scene import leave

FEATURE = Feature(
    book=BOOK,
    cogs=(FightCog, RoeCog),
    components=COMPONENTS,
    entry_kinds=(FIGHT_CHANGED,),
    todo=open_fights,
    unfinished=partial(unfinished, FIGHTS, BOOK),
    removed=partial(left, FIGHTS, leave),
    rolls=RollExtension(
        facts=(about_others, done_in_turn), bars=(require_turn,), hanging=(FIGHTS.hangs,), voidable=(require_alone,)
    ),
)

setup = FEATURE.setup
