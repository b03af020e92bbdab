"""Campaigns and their settings."""

from bot.cogs.campaign import cog, embed, farewell, groups
from bot.cogs.campaign.panel import (
    archive,
    ask_key,
    begin,
    begin_form,
    create_from_window,
    draw_card,
    remove_key,
    show_part,
    take_key,
)
from bot.core.permissions import leave_groups
from bot.kernel import Chore, Feature

FEATURE = Feature(
    commands=(cog.CampaignCog(),),
    components=(
        archive,
        begin,
        groups.remove,
        ask_key,
        remove_key,
        farewell.delete_campaign,
        farewell.export_first,
        show_part,
    ),
    modals=(create_from_window, begin_form, take_key),
    entry_kinds=(embed.CAMPAIGN, embed.GROUP_REMOVED, embed.GROUP_CHANGED, embed.UPGRADE),
    chores=(Chore(farewell.delete_overdue),),
    farewell=farewell.say_goodbye,
    voidable=(groups.check_void,),
    removed=leave_groups,
    draw_steps=draw_card,
)
