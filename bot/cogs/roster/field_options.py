"""The option that takes all that books have kept: `callsign: Owl; newtype: 7`."""

from __future__ import annotations

from discord.app_commands import Transform

from bot.core.profiles import THINGS
from bot.rolls.options import Completed, Completion, containing
from bot.ui.parsing import MAX_CHOICE

FIELDS = "What the books keep, such as callsign: Owl; newtype: 7; none empties one"


class FieldsCompleter(Completed):
    """Fields parted by semicolons: the name of the last is completed, then its value where there are only a few."""

    def __init__(self, *on: str) -> None:
        self._on = frozenset(on)

    async def complete(self, at: Completion, current: str) -> list[tuple[str, str]]:
        """Return what was typed with the last field completed."""
        fields = {name: item for book in await at.books() for name, item in book.fields.items() if self._on & item.on}
        before, mark, last = current.rpartition(";")
        name, colon, value = map(str.strip, last.partition(":"))
        words = fields[name].options if colon and name in fields else [f"{field}: " for field in fields]
        head = f"{before}{mark} " * bool(mark) + f"{name}: " * bool(colon)
        found = [head + word for word, _ in containing(value if colon else name, words)]
        return [(word, word) for word in found if len(word) <= MAX_CHOICE]


OfCharacter = Transform[str, FieldsCompleter("character")]
OfUnit = Transform[str, FieldsCompleter("unit", *THINGS)]
