"""Saved units and characters: commands, trait cards, import, export."""

from bot.cogs.roster import cog, embed, facts, import_export, service
from bot.kernel import Chore, Feature
from bot.rolls.extension import RollExtension
from rules.subjects import PROFILE

FEATURE = Feature(
    commands=(cog.UnitCog(), cog.CharacterCog(), cog.RosterCog()),
    components=(*cog.COMPONENTS, *import_export.COMPONENTS),
    modals=(cog.count, import_export.take_file),
    next_steps=import_export.next_steps,
    entry_kinds=(embed.PROFILE_CHANGED,),
    chores=(Chore(import_export.forget_old_drafts),),
    rolls=(RollExtension(facts=(facts.find_saved_facts,)),),
    requirements={PROFILE: facts.require_profile},
    voidable=(service.check_void,),
)
