"""The embed of a faulty dice expression: what is wrong, and where."""

from __future__ import annotations

import discord

from bot.ui.colours import COLOURS
from bot.ui.text import plain
from rules.expression import BadExpression

BEFORE, AFTER = 24, 12
"""How many characters around the fault are shown: few enough for a phone's narrow screen."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def fault_embed(expression: str, fault: BadExpression) -> discord.Embed:
    """Return the embed of a faulty expression: the fault in words, and a mark under its place."""
    text = f"{plain(str(fault))}\n```\n{_marked(expression, fault.place - 1)}\n```\nNothing was rolled."
    return discord.Embed(title="That won't work", description=text, colour=COLOURS["danger"])


def _marked(expression: str, place: int) -> str:
    """Return the characters around a place, counted from 0, with a caret below it."""
    start, end = max(0, place - BEFORE), place + AFTER
    first, last = ELLIPSIS if start else "", ELLIPSIS if end < len(expression) else ""
    shown = "".join(_safe(character) for character in expression[start:end])
    return f"{first}{shown}{last}\n{' ' * (place - start + len(first))}^"


def _safe(character: str) -> str:
    return character if character.isprintable() and character != "`" else " "
