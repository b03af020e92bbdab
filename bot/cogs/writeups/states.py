"""How a write-up can stand, and what calls for one."""

from __future__ import annotations

from rules.tables import ConsequenceKind

STATES = OPEN, CLAIMED, DONE, WITHDRAWN = "open", "claimed", "done", "withdrawn"

BATTLES: frozenset[ConsequenceKind] = frozenset({"battle", "attack"})
TO_BE_WRITTEN: frozenset[ConsequenceKind] = BATTLES | {"write-up"}
"""The consequences that call for a battle or scene to be written."""
