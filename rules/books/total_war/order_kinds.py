"""What orders are called, and the words of their choices."""

from __future__ import annotations

import re
from collections.abc import Mapping

MOVE, FOLLOW, ASSIGN, ALLOT = "move", "follow", "assign", "allot"
BUILD, BUY, RESEARCH, GARRISON = "build", "buy", "research", "garrison"
DELEGATE, FOUND, ANSWER = "delegate", "found", "answer"
PROMOTE, ROGUE, PETITION = "promote", "rogue", "petition"
"""The kinds of order: of forces, of factions and of players."""

FIGHTS = "fights"
"""The phase in which battles are told."""
ADVANCE = "advance"
"""The family of a turn's end."""
SET, RULE = "set", "rule"
"""The families of what game masters set, and of rulings."""
SEEN = "seen"
"""Under which name a roll keeps what each faction sees in fog of what was done, by the id of the faction: what it is called may change."""
NONE_FREE = "no panel is free: a game master says where it goes, else it is given up"
"""What is told of a beaten force that has nowhere to go (AMB-10)."""
OPENING = "Battle on {}: "
"""How the line begins that tells of a battle that begins on a panel."""

END, ON, YES, NO, NOBODY = "end", "on", "yes", "no", "nobody"


def bare(choice: str) -> str:
    """Return a choice without what is told of it in brackets, such as its price."""
    return choice.partition(" (")[0].strip()


MARK = re.compile(r"\b(remove|source)\s*:([^\n;]*)", re.IGNORECASE)
"""What in the text of a ruling changes the war: what it removes, and a source of supply, to the end of the line or a semicolon."""

MOST = 1_000_000
"""Most gold and kills that are set, and the highest price."""

EXAMPLES: Mapping[str, str] = {
    "owner": "2,-1 E, or 2,-1 nobody",
    "gold": "E 150",
    "unit": "1st Fleet + 2 gm, 1,-3 + gm (a garrison), - u17, u17 kills 4, or u17 pilot Amuro Ray",
    "force": "+ 3rd Fleet; fleet; E; 2,0; magellan; 2 gm, 3rd Fleet to 2,1, or - 3rd Fleet",
    "rank": "Bob Captain",
    "post": "E leader Bob, or E delegate nobody",
    "price": "gm 25, unit guncannon 35, or item guncannon 50",
    "switch": "cooldown 2",
}
"""What can be set, and how it is written."""
