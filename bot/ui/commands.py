"""Slash commands: who may use them, and the words for their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from discord import app_commands

T = TypeVar("T")

WHO = "who"
GAME_MASTERS: dict[str, str] = {WHO: "game masters"}
MANAGERS: dict[str, str] = {WHO: "Manage Server"}
"""Extras of a command that isn't for everyone; one with a roll `family` is for players where that is open to them."""


def describe(**texts: str) -> Callable[[T], T]:
    """Return a decorator that describes options, by name, in at most 100 characters each.

    discord.py shortens a plain text by wrapping it in lines, for which a start would wait: it leaves one that could be
    translated as it is.
    """
    return app_commands.describe(**{name: app_commands.locale_str(text) for name, text in texts.items()})
