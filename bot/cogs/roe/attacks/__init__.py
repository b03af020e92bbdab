"""Attacks: `/roe attack`."""

SNEAK = "sneak"
"""What is typed as fire for a sneak attack, in the usual mode of the weapon."""

ATTACK = "turn.attack"
"""The act by which somebody attacks."""
