"""House rules: own tables and changes to books."""

from bot.cogs.house_rules.cog import COMPONENTS, TableCog, take_lines
from bot.cogs.house_rules.embed import HOUSE_RULES_CHANGED
from bot.cogs.house_rules.service import check_void, reopen
from bot.core.library import forget_old_files
from bot.kernel import Feature
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    commands=(TableCog(),),
    components=COMPONENTS,
    modals=(take_lines,),
    entry_kinds=(HOUSE_RULES_CHANGED,),
    chores=(forget_old_files,),
    rolls=(RollExtension(kinds=(HOUSE_RULES_CHANGED.name,), voided=(reopen,)),),
    voidable=(check_void,),
)
