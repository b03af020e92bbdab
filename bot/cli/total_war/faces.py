"""Dice as lines write them down, for whoever asks how they fell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.cli.queries import BadLine
from rules.books.total_war.shooting import Attack
from rules.books.total_war.thrown import COIN, PERCENT, Die, Side
from rules.geometry.squares import Square


class TypedTries:
    """The dice of the tries of a ranged attack, written down try by try; those for which there is no use may stand there."""

    def __init__(self, attack: Attack, tries: Sequence[Mapping[str, int]]) -> None:
        self._tries, self._aimed = tries, attack.accuracy is not None
        if len(tries) > attack.attempts:
            raise BadLine(f"dice: {len(tries)} tries, and {attack} has {attack.attempts}")
        known = {_name(PERCENT): PERCENT, _name(attack.sides): attack.sides}
        for name, face in ((name, face) for fallen in tries for name, face in fallen.items()):
            if name not in known:
                raise BadLine(f"dice: no {name} falls for {attack}")
            if not 1 <= face <= known[name]:
                raise BadLine(f"dice: a {name} has no face {face}")

    def __call__(self, die: Die) -> int:
        """Return the face of a die."""
        place = (die.attempt or 1) - 1
        fallen, name = self._tries[place] if place < len(self._tries) else {}, _name(die.sides)
        if name not in fallen:
            raise BadLine(f"dice: the {name} of try {die.attempt} is missing")
        if self._aimed and die.use == "damage" and die.sides == PERCENT:
            raise BadLine(f"dice: try {die.attempt} has two dice by the name {name}")
        return fallen[name]


class TypedFire:
    """The dice of a warship's shot, by tiles."""

    def __init__(self, faces: Mapping[Square, int]) -> None:
        self._faces = faces

    def __call__(self, die: Die) -> int:
        """Return the face of a die."""
        if die.tile is None or die.tile not in self._faces:
            raise BadLine(f"dice: the {_name(die.sides)} of {die.tile} is missing")
        return self._faces[die.tile]


class TypedMelee:
    """The coin and the die of a melee attack."""

    def __init__(self, coin: Side | None, d6: int | None) -> None:
        self._faces = {"coin": None if coin is None else COIN.index(coin) + 1, "counter": d6}

    def __call__(self, die: Die) -> int:
        """Return the face of a die."""
        face = self._faces[die.use]
        if face is None:
            raise BadLine(f"dice: the {'coin' if die.use == 'coin' else f'd{die.sides}'} is missing")
        return face


def _name(sides: int) -> str:
    return f"d{sides}"
