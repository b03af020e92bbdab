"""What rolls on a board are called by, and the roles in them."""

UNIT, TARGET = "unit", "target"
"""The roles of whoever acts and of whom it attacks."""
SIDE, FORCE = "side", "force"
"""The roles of a side of a battle and of a force."""
MANEUVER = "maneuver"
"""The family of what only moves."""
