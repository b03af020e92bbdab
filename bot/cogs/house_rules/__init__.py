"""House rules: own tables and changes to books."""

from bot.cogs.house_rules import cog, embed, service
from bot.core.library import forget_old_files
from bot.kernel import Chore, Feature
from bot.rolls.extension import RollExtension
from bot.ui.commands import GM

FEATURE = Feature(
    commands=(cog.TableCog(), GM),
    components=(*cog.COMPONENTS,),
    entry_kinds=(embed.HOUSE_RULES_CHANGED,),
    chores=(Chore(forget_old_files),),
    rolls=(RollExtension(kinds=(embed.HOUSE_RULES_CHANGED.name,), voided=(service.reopen,)),),
    voidable=(service.check_void,),
    next_steps=service.list_next_steps,
)
