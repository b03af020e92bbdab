"""What can be done about a write-up, as buttons."""

from __future__ import annotations

from bot.ui.components import IdTemplate

TAKE = IdTemplate("writeup:{campaign:int}:{entry:int}.{part:int}:take")
"""The id of the button that claims what part `part` (from 0) of a roll calls for."""
