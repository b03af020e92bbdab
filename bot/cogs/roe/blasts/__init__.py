"""Explosives, grenades and zones: `/roe blast`."""

from __future__ import annotations

BLAST, PRIME, THROW, THROW_BACK = "turn.blast", "turn.prime", "turn.throw-primed", "turn.throw-back"
EXPLODE, ENTER, LEAVE, MOVED = "turn.explode", "turn.enter-zone", "turn.leave-zone", "roe.zone"
"""The roll families of each use; the last is for whoever is moved into a zone or out of it, by game masters."""

USES = {
    "throw": "throw: a grenade, primed now or held",
    "cook": "cook: primed and held in the hand",
    "throw-back": "throw back: a grenade that lies there",
    "explode": "explode: a grenade that is due",
    "launch": "launch: with a weapon, explodes at once",
    "sneak": "sneak attack: launched at primary",
    "immediate": "set off at once",
    "zone": "zone: lay one",
    "enter": "enter a zone",
    "leave": "leave a zone",
}
"""What can be done, in words."""
