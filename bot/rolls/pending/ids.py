"""The ids of the components and windows of a roll that waits: of which campaign, which roll, what is done.

They begin with the word that stands in channels since such rolls were challenges alone.
"""

from __future__ import annotations

from typing import Final

from bot.ui.components import IdTemplate

_PENDING: Final = "challenge:{campaign:int}:{pending:id}:"
_PICKED: Final = "challenge:{campaign:int}:-:"
"""A list, in which the roll is picked."""

ANSWER, ANSWER_PICKED = IdTemplate(_PENDING + "answer"), IdTemplate(_PICKED + "answer")
CHOOSE = IdTemplate(_PENDING + "answer:{seat:int}:{choice:rest}")
"""An answer to press, or without a choice the window for one; for the seat of this number, counted from 1, or 0 for whichever is one's own."""

WITHDRAW, WITHDRAW_PICKED = IdTemplate(_PENDING + "withdraw"), IdTemplate(_PICKED + "withdraw")
CLOSE = IdTemplate(_PENDING + "close")
RETRY = IdTemplate(_PENDING + "retry")
SEATED = IdTemplate(_PENDING + "answered:{seat:int}")
