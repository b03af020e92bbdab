"""How a write-up can stand, and what calls for one."""

from __future__ import annotations

STATES = OPEN, CLAIMED, DONE, WITHDRAWN = "open", "claimed", "done", "withdrawn"
