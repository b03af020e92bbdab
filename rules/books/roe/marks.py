"""What a fight marks of those in it, each with a count, for as long as it lasts."""

from __future__ import annotations

from rules.effects import EFFECT

ACTIONS, MOVEMENTS, METRES, ARRIVING = "actions", "movements", "metres", "arriving"
"""What is left of the turn, the distance at which one stands (m), and that the first turn is an arrival."""

FIRST_TURN, FIRST_ATTACK = "first-turn", "first-attack"
"""Of whoever has not ended a turn yet, and has not attacked yet."""

STUNNED_NOW, STUNNED_TILL_NOW = "stunned-now", "stunned-till-now"
"""Of whoever has begun the turn of now under a stun, and has ended none yet without one (line 315)."""

LATE = "late"
"""Of whoever's turn has passed on before anything was done in it, and who may still use what is left of it."""

TURN_NOTES = "turn."
"""How marks begin that last until the turn is over."""

DRAWN, RACK, FIRED = "drawn.", "rack.", f"{TURN_NOTES}fired."
"""How the marks begin of a weapon in the hands, of one to be racked, and of one that was used in this turn; its id follows."""

STRAY = f"{TURN_NOTES}stray"
"""The mark of whoever's attack has gone astray: at whom it goes (a number)."""

GONE = LYING, TAKEN = "dropped.", "taken."
"""How the marks begin of what lies on the ground, so many metres off, and of what others have picked up; its id follows."""

PICKED = "picked."
"""How the mark begins of what was picked up that is another one's: behind it follow the number of that one, and its id."""

HIDDEN, SPOTTED, BY = f"{EFFECT}hidden", f"{EFFECT}spotted", "seen"
"""The effects on whoever hides, and on whoever was seen hiding, and where both keep by whom (numbers)."""
SEATED, SHIELDED = f"{EFFECT}seated", f"{EFFECT}shielded"
"""The effects on whoever sits in a vehicle, and on whoever is shielded by somebody: that is the `other` of it."""
FLIGHTS = "flights"
"""How often somebody has tried to flee."""

COMING, WANTED = "coming.", "wanted."
"""How the marks begin of how many turns somebody still ends before another one comes in behind, and of one who was called and has
not said yet that they come; the number of that one follows."""
STARTED = "started."
"""How the names begin under which a fight keeps what has befallen somebody at the start of a turn; the number follows."""

UNREAD = (HIDDEN, SPOTTED, f"{EFFECT}set-up")
"""Effects that only whoever has them and the staff may know of, and that count as facts alone: what else lasts is read without them."""

IN_ZONE = "zone"
"""The trait of whoever is in a zone; what is kept of it has what the zone takes at each start of a turn."""
