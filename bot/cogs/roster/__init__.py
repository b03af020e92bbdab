"""Saved units and characters: commands, trait cards, import, export."""

from collections.abc import Iterable

from sqlalchemy import Connection

from bot.cogs.roster import cog, embed, facts, import_export, service
from bot.core import profiles
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.kernel import Chore, Feature
from bot.rolls.extension import RollExtension
from bot.ui.receipt import NextStep
from rules.subjects import PROFILE


def next_steps(tx: Connection, _library: Library, campaign: Campaign) -> Iterable[NextStep]:
    """Yield the step that imports units and characters."""
    saved = len(profiles.list_profiles(tx, campaign.id))
    why = "from a file or pasted lines, or add them one by one with /roster add"
    yield NextStep(
        "Import a roster", import_export.SEND.fill(campaign=campaign.id), f"{saved} saved" if saved else why, saved > 0
    )


FEATURE = Feature(
    commands=(cog.unit, cog.RosterCog()),
    components=(*cog.COMPONENTS, *import_export.COMPONENTS, cog.count, cog.edit, import_export.take_file),
    next_steps=next_steps,
    entry_kinds=(embed.PROFILE_CHANGED,),
    chores=(Chore(import_export.forget_old_drafts),),
    rolls=(RollExtension(facts=(facts.find_saved_facts,)),),
    requirements={PROFILE: facts.require_profile},
    voidable=(service.check_void,),
)
