"""Campaigns and their settings."""

from __future__ import annotations

from bot.cogs.campaign.cog import CampaignCog
from bot.cogs.campaign.entries import CAMPAIGN, UPGRADE
from bot.cogs.campaign.panel import archive
from bot.cogs.campaign.steps import begin, begin_form
from bot.feature import Feature

FEATURE = Feature(
    cogs=(CampaignCog,), components=(archive, begin), modals=(begin_form,), entry_kinds=(CAMPAIGN, UPGRADE)
)

setup = FEATURE.setup
