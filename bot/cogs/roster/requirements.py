"""What rolls need of saved characters."""

from __future__ import annotations

from sqlalchemy import Connection

from bot.core.profiles import not_saved
from bot.errors import NotAsItIs
from bot.rolls.extension import NeededValue


def require_profile(_tx: Connection, needed: NeededValue) -> None:
    """Refuse a roll about somebody who is not saved.

    Raises:
        NotOpen: it is so.

    """
    if needed.value is None:
        raise NotAsItIs(*not_saved(needed.name))
