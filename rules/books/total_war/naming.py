"""What forces, factions and players of a war may be called: each by a name that people can type, and that means nobody else."""

from __future__ import annotations

from collections.abc import Collection

from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import War
from rules.names import unfit
from rules.subjects import name_key


def require_name(war: War, name: str, but: Collection[str] = ()) -> None:
    """Refuse a name that nobody can type, or that means somebody already; the faction that is to have it (`but`) is nobody else.

    Raises:
        Refused: E_NAME_IN_USE.

    """
    why = unfit(name)
    if why is not None:
        raise Refused("E_NAME_IN_USE", f"{name[:60]!r} is no name: {why}. Choose another one.")
    taken = _taken(war, name_key(name), but)
    if taken is not None:
        raise Refused("E_NAME_IN_USE", f"{name} is what {taken} is called: take another name.")


def _taken(war: War, key: str, but: Collection[str]) -> str | None:
    """Return what is called so (a key) by now."""
    sides = [(name, side.name) for name, side in war.factions.items() if name not in but]
    if any(name_key(name) == key for names in (*sides, (NEUTRAL,)) for name in names):
        return "a faction"
    if any(name_key(name) == key for name in war.forces):
        return "a force"
    return "a player" if any(name_key(name) == key for name in war.players) else None
