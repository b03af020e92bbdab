"""Dice drawn from the operating system's generator."""

from __future__ import annotations

import secrets

from rules.dice import DiceTerm, Roll


class SystemDice:
    """Faces from `secrets.randbelow`, which is free of modulo bias."""

    def roll(self, term: DiceTerm) -> Roll:
        """Draw one face per die."""
        faces = tuple([secrets.randbelow(term.sides) + 1 for _ in range(term.count)])
        return Roll(term, faces, "system")
