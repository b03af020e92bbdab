"""Campaigns and their settings."""

from __future__ import annotations

from bot.cogs.campaign.entries import CAMPAIGN
from bot.feature import Feature

FEATURE = Feature(entry_kinds=(CAMPAIGN,))

setup = FEATURE.setup
