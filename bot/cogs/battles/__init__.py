"""Battles with random events."""

from functools import partial

from bot.cogs.battles import cog, embed, entries, panel, units
from bot.core import scene_entries, scenes
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    book=entries.BOOK,
    commands=(cog.EventsCog(), cog.GmEventsCog()),
    components=(*panel.COMPONENTS,),
    entry_kinds=(entries.BATTLE_CHANGED,),
    renaming=units.require_free,
    removed=partial(scene_entries.leave_scenes, entries.BATTLES, units.list_leaving),
    keeps_effect=units.why_effect_kept,
    rolls=(RollExtension(alongside=entries.BOOK, next_steps=(embed.start_buttons,)),),
    kind=entries.BATTLES,
    voidable=(scenes.require_alone,),
)
