"""Campaigns and their settings."""

from bot.cogs.campaign.cog import CampaignCog
from bot.cogs.campaign.embed import CAMPAIGN, GROUP_CHANGED, GROUP_REMOVED, UPGRADE
from bot.cogs.campaign.farewell import delete_campaign, delete_overdue, export_first, say_goodbye
from bot.cogs.campaign.groups import check_void, remove
from bot.cogs.campaign.panel import archive, ask_key, begin, begin_form, draw_card, remove_key, take_key
from bot.core.permissions import leave_groups
from bot.kernel import Feature

FEATURE = Feature(
    commands=(CampaignCog(),),
    components=(archive, begin, remove, ask_key, remove_key, delete_campaign, export_first),
    modals=(begin_form, take_key),
    entry_kinds=(CAMPAIGN, GROUP_REMOVED, GROUP_CHANGED, UPGRADE),
    chores=(delete_overdue,),
    farewell=say_goodbye,
    voidable=(check_void,),
    removed=leave_groups,
    draw_steps=draw_card,
)
