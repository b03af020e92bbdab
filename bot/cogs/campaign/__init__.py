"""Campaigns and their settings."""

from bot.cogs.campaign import cog, embed, farewell, groups, panel, site
from bot.core.permissions import leave_groups
from bot.kernel import Chore, Feature
from bot.rolls.extension import RollExtension
from bot.ui.commands import GM

FEATURE = Feature(
    commands=(cog.CampaignCog(), GM),
    components=(
        panel.archive,
        panel.begin,
        panel.ask_again,
        panel.relink,
        cog.show_part,
        groups.pick_group,
        groups.edit_group,
        groups.remove,
        panel.ask_key,
        panel.remove_key,
        farewell.ask_deletion,
        farewell.delete_campaign,
        farewell.export_first,
        panel.create_from_window,
        panel.begin_form,
        panel.take_key,
        groups.save_group,
        site.ask_name,
        site.save_site,
        site.close_site,
    ),
    entry_kinds=(embed.CAMPAIGN, site.SITE_CHANGED, embed.GROUP_REMOVED, embed.GROUP_CHANGED, embed.UPGRADE),
    chores=(Chore(farewell.delete_overdue),),
    farewell=farewell.say_goodbye,
    voidable=(groups.check_void,),
    rolls=(
        RollExtension(kinds=(site.SITE_CHANGED.name,), voided=(site.require_restorable,), unsaid=(site.restore_site,)),
    ),
    removed=leave_groups,
)
