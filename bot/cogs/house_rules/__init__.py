"""House rules: a campaign's own tables and overlays."""

from __future__ import annotations

from bot.cogs.house_rules.entries import HOUSE_RULES_CHANGED
from bot.feature import Feature

FEATURE = Feature(entry_kinds=(HOUSE_RULES_CHANGED,))

setup = FEATURE.setup
