"""Campaigns and their settings."""

from bot.cogs.campaign import cog, embed, farewell, groups
from bot.cogs.campaign.panel import (
    archive,
    ask_again,
    ask_key,
    begin,
    begin_form,
    create_from_window,
    draw_card,
    relink,
    remove_key,
    take_key,
)
from bot.core.permissions import leave_groups
from bot.kernel import Chore, Feature
from bot.ui.commands import GM

FEATURE = Feature(
    commands=(cog.CampaignCog(), GM),
    components=(
        archive,
        begin,
        ask_again,
        relink,
        cog.show_part,
        groups.pick_group,
        groups.edit_group,
        groups.remove,
        ask_key,
        remove_key,
        farewell.ask_deletion,
        farewell.delete_campaign,
        farewell.export_first,
    ),
    modals=(create_from_window, begin_form, take_key, groups.save_group),
    entry_kinds=(embed.CAMPAIGN, embed.GROUP_REMOVED, embed.GROUP_CHANGED, embed.UPGRADE),
    chores=(Chore(farewell.delete_overdue),),
    farewell=farewell.say_goodbye,
    voidable=(groups.check_void,),
    removed=leave_groups,
    draw_steps=draw_card,
)
