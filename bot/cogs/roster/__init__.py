"""Saved units and characters: commands, trait cards, import, export."""

from bot.cogs.roster.cog import CharacterCog, RosterCog, UnitCog
from bot.cogs.roster.embed import PROFILE_CHANGED
from bot.cogs.roster.facts import find_saved_facts, require_profile
from bot.cogs.roster.import_export import forget_old_drafts
from bot.cogs.roster.import_panel import COMPONENTS as IMPORT_COMPONENTS
from bot.cogs.roster.import_panel import next_steps, take_file
from bot.cogs.roster.service import check_void
from bot.cogs.roster.trait_view import COMPONENTS, MODALS
from bot.kernel import Feature
from bot.rolls.extension import RollExtension
from rules.subjects import PROFILE

FEATURE = Feature(
    commands=(UnitCog(), CharacterCog(), RosterCog()),
    components=(*COMPONENTS, *IMPORT_COMPONENTS),
    modals=(*MODALS, take_file),
    next_steps=next_steps,
    entry_kinds=(PROFILE_CHANGED,),
    chores=(forget_old_drafts,),
    rolls=(RollExtension(facts=(find_saved_facts,)),),
    requirements={PROFILE: require_profile},
    voidable=(check_void,),
)
