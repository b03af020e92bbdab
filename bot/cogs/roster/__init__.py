"""Saved units and characters: commands, trait cards, import and export."""

from __future__ import annotations

from bot.cogs.roster.entries import PROFILE_CHANGED
from bot.cogs.roster.facts import saved
from bot.cogs.roster.requirements import require_profile
from bot.feature import Feature
from bot.rolls.extension import RollExtension
from rules.effects import PROFILE

FEATURE = Feature(
    entry_kinds=(PROFILE_CHANGED,),
    rolls=RollExtension(facts=(saved,), requirements={PROFILE: require_profile}),
)

setup = FEATURE.setup
