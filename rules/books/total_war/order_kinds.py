"""What orders are called, and the words of their choices."""

from __future__ import annotations

MOVE, FOLLOW, ASSIGN, ALLOT = "move", "follow", "assign", "allot"
BUILD, BUY, RESEARCH, GARRISON = "build", "buy", "research", "garrison"
DELEGATE, FOUND, ANSWER = "delegate", "found", "answer"
PROMOTE, ROGUE, PETITION = "promote", "rogue", "petition"
"""The kinds of order: of forces, of factions and of players."""

END, ON, YES, NO, NOBODY = "end", "on", "yes", "no", "nobody"


def bare(choice: str) -> str:
    """Return a choice without what is told of it in brackets, such as its price."""
    return choice.partition(" (")[0].strip()
