"""Entries about captives."""

from __future__ import annotations

from msgspec.structs import replace

from bot.actions import entry_kind
from bot.cogs.captives.actions import Declare, Move, Release, Take

CAPTIVE_CHANGED = entry_kind("staff", Take, Move, Release, Declare)
ESCAPE_DECLARED = replace(CAPTIVE_CHANGED, name="escape", audience="maker")
"""Escapes that players declared before these became orders; still older ones are of the kind `captive`."""
