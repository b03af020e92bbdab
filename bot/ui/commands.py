"""Slash commands: the words beside their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from discord import app_commands

T = TypeVar("T")


def describe(**texts: str) -> Callable[[T], T]:
    """Return a decorator that says of options, by name, what they are, in at most 100 characters each.

    discord.py shortens a plain text by wrapping it in lines, for which a start would wait: it leaves one that could be
    translated as it is.
    """
    return app_commands.describe(**{name: app_commands.locale_str(text) for name, text in texts.items()})
