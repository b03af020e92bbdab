"""Campaigns and their settings."""

from __future__ import annotations

from bot.cogs.campaign.cog import CampaignCog
from bot.cogs.campaign.entries import CAMPAIGN
from bot.feature import Feature

FEATURE = Feature(cogs=(CampaignCog,), entry_kinds=(CAMPAIGN,))

setup = FEATURE.setup
