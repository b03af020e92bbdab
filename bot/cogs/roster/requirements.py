"""What rolls need of saved characters."""

from __future__ import annotations

from bot.core.profiles import not_saved
from bot.errors import NotOpen
from bot.rolls.request import PartRequest


def require_profile(name: str, kept: object, _part: PartRequest) -> None:
    """Refuse a roll about somebody who is not saved.

    Raises:
        NotOpen: it is so.

    """
    if kept is None:
        raise NotOpen(*not_saved(name))
