"""Campaigns and their settings."""

from __future__ import annotations

from bot.cogs.campaign.capsule_panel import export_first
from bot.cogs.campaign.cog import CampaignCog
from bot.cogs.campaign.deleting_panel import delete, delete_overdue
from bot.cogs.campaign.entries import CAMPAIGN, GROUP_CHANGED, GROUP_REMOVED, UPGRADE
from bot.cogs.campaign.farewell import say_goodbye
from bot.cogs.campaign.groups import check_void, remove
from bot.cogs.campaign.panel import archive
from bot.cogs.campaign.randomness import ask_key, give
from bot.cogs.campaign.randomness import remove as remove_key
from bot.cogs.campaign.steps import begin, begin_form, draw_card
from bot.core.groups import leaving
from bot.kernel import Feature

FEATURE = Feature(
    commands=(CampaignCog(),),
    components=(archive, begin, remove, ask_key, remove_key, delete, export_first),
    modals=(begin_form, give),
    entry_kinds=(CAMPAIGN, GROUP_REMOVED, GROUP_CHANGED, UPGRADE),
    chores=(delete_overdue,),
    farewell=say_goodbye,
    voidable=(check_void,),
    removed=leaving,
    draw_steps=draw_card,
)
