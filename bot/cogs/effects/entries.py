"""Entries about effects that were set or cleared by hand."""

from __future__ import annotations

from bot.actions import entry_kind
from bot.cogs.effects.actions import ClearEffect, SetEffect

EFFECT_CHANGED = entry_kind("staff", SetEffect, ClearEffect)
