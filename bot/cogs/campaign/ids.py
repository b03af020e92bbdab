"""The ids of the buttons and windows of a campaign's next steps, and of the export before it is deleted."""

from __future__ import annotations

from bot.ui.components import IdTemplate

BEGIN = IdTemplate("begin:{campaign:int}:{what:word}")
FORM = IdTemplate("begun:{campaign:int}:{what:word}")
EXPORT = IdTemplate("delete:{campaign:int}:export")
SHOW, LINK, BOOKS, PLAYERS = "show", "bind", "books", "players"
"""What a button does: show the steps, or take one of the campaign's own."""
