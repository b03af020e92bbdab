"""What orders and rolls of a war are called, their roles, and the words of their choices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

MOVE, FOLLOW, ASSIGN, ALLOT = "move", "follow", "assign", "allot"
BUILD, BUY, RESEARCH, GARRISON = "build", "buy", "research", "garrison"
DELEGATE, FOUND, ANSWER = "delegate", "found", "answer"
PROMOTE, ROGUE, PETITION = "promote", "rogue", "petition"
"""The kinds of order: of forces, of factions and of players."""

FIGHTS = "fights"
"""The phase in which battles are told."""
ADVANCE, JOIN = "advance", "join"
"""The families of a turn's end, and by which somebody joins."""
SET, RULE = "set", "rule"
"""The families of what game masters set, and of rulings."""
SEEN = "seen"
"""Under which name a roll keeps what each faction sees in fog of what was done, by the id of the faction: what it is called may change."""
NONE_FREE = "no panel is free: a game master places it, or it is lost"
"""What is told of a beaten force that has nowhere to go (AMB-10)."""
OPENING = "Battle on {}: "
"""How the line begins that tells of a battle that begins on a panel."""

END, ON, YES, NO, NOBODY = "end", "on", "yes", "no", "none"


def strip_hint(choice: str) -> str:
    """Return a choice without what is told of it in brackets, such as its price."""
    return choice.partition(" (")[0].strip()


MARK = re.compile(r"\b(remove|source)\s*:([^\n;]*)", re.IGNORECASE)
"""What in the text of a ruling changes the war: what it removes, and a source of supply, to the end of the line or a semicolon."""

MOST = 1_000_000
"""Most gold and kills that are set, and the highest price."""

EXAMPLES: Mapping[str, str] = {
    "owner": "{panel} {faction}, or {panel} neutral",
    "gold": "{faction} 150",
    "unit": "{force} + 2 {model}, {panel} + {model} (a garrison), - {unit}, {unit} kills 4, or {unit} pilot {pilot}",
    "force": "+ New; squadron; {faction}; {panel}; 2 {model}, {force} to {panel}, or - {force}",
    "rank": "{player} {rank}",
    "post": "{faction} leader {player}, or {faction} delegate none",
    "price": "{model} 25, unit {model} 25, or item {item} 50",
    "switch": "cooldown 2",
}
"""What can be set, and how it is written, with names of the war in question."""


UNIT, TARGET = "unit", "target"
"""The roles of whoever acts and of whom it attacks."""
SIDE, FORCE = "side", "force"
"""The roles of a side of a battle and of a force."""
BEGUN = "begun"
"""Under which name an act says which entry has begun its battle."""
MANEUVER, NEXT = "maneuver", "next"
"""The families of what only moves, and of what ends a half of the turn."""

CoinFace = Literal["heads", "tails"]
COIN: tuple[CoinFace, CoinFace] = ("heads", "tails")
"""The sides of the coin, the first for its face 1."""
