"""A war as JSON, and back: what is kept of it, and what its pictures and sheets are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from rules.books.total_war.catalog import Setting
from rules.books.total_war.war import Battle, Force, HeldPanel, Player, Side, War, Works
from rules.geometry.hexes import Hex


class _Stored(Struct, frozen=True):
    """The same with panels written as `q,r` where they are keys."""

    panels: Mapping[str, HeldPanel]
    factions: Mapping[str, Side]
    forces: Mapping[str, Force]
    players: Mapping[str, Player]
    turn: int
    battles: Mapping[str, Battle]
    works: tuple[Works, ...]
    answers: Mapping[str, str]
    asked: str | None
    winner: str | None
    units: int
    update: int | None = None
    prices: Mapping[str, int] = field(default_factory=dict)
    switches: Mapping[str, Setting] = field(default_factory=dict)
    numbered: str = ""


def stored(war: War) -> Any:  # noqa: ANN401 - JSON
    """Return a war as values of JSON."""
    given = {name: getattr(war, name) for name in war.__struct_fields__}
    for name in ("panels", "battles"):
        given[name] = {str(at): item for at, item in given[name].items()}
    return msgspec.to_builtins(_Stored(**given))


def read(kept: Any) -> War:  # noqa: ANN401 - as above
    """Return the war that was stored."""
    found = msgspec.convert(kept, _Stored)
    given = {name: getattr(found, name) for name in found.__struct_fields__}
    for name in ("panels", "battles"):
        given[name] = {Hex.parse(at): item for at, item in given[name].items()}
    return War(**given)
