"""The ids of a challenge's components and modal: of which campaign, which challenge, what is done."""

from __future__ import annotations

from typing import Final

from bot.ui.components import IdTemplate

_CHALLENGE: Final = "challenge:{campaign:int}:{challenge:id}:"
_PICKED: Final = "challenge:{campaign:int}:-:"
"""A list, in which the challenge is picked."""

ANSWER, ANSWER_PICKED = IdTemplate(_CHALLENGE + "answer"), IdTemplate(_PICKED + "answer")
WITHDRAW, WITHDRAW_PICKED = IdTemplate(_CHALLENGE + "withdraw"), IdTemplate(_PICKED + "withdraw")
RETRY = IdTemplate(_CHALLENGE + "retry")
ANSWERED = IdTemplate(_CHALLENGE + "answered")
