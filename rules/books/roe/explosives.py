"""What explosives do, burning fuses, and zones, as a fight keeps them (lines 397 to 403, 437)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, convert, to_builtins

from rules.book import Book
from rules.books.roe import catalog, fights
from rules.books.roe.turns import LastingMark
from rules.dice import DiceTerm
from rules.effects import SCENE, Kept
from rules.errors import RollError, UnknownName

FUSE, ZONE = "fuse.", "zone."
"""Prefixes of a fight's values, before a number."""
UNSEEN = "actor.out-of-sight"
EXPLOSIVE = "explosive"
AT_ONCE = 0
"""A fuse's round: at the end of the current turn."""
MAX_SIDES = 100  # a house default: the largest die of the page
_WORDS = r"(?P<dice>(?:[1-9][0-9]?)?d[0-9]{1,4})(?P<more> ?[+-] ?[0-9]{1,3})?|(?P<turns>[1-9][0-9]?) turns?|(?P<plain>[0-9]{1,3})|"


class Charge(Struct, frozen=True):
    """What an explosive does; with `turns` it's a zone, and no modifiers add to a `bare` one."""

    item: str
    dice: str | None = None
    more: int = 0
    kind: str = EXPLOSIVE
    effects: tuple[str, ...] = ()
    turns: int | None = None
    bare: bool = False

    @property
    def term(self) -> DiceTerm | None:
        """The damage dice; None without any."""
        return DiceTerm.parse(self.dice) if self.dice else None

    @property
    def words(self) -> str:
        """The damage as written, such as `2d10+5`."""
        return f"{self.dice}{self.more:+}" if self.dice and self.more else self.dice or f"{self.more}"

    @property
    def summary(self) -> str:
        """Damage, effects and turns as written."""
        harm = [f"{self.words} {self.kind}"] if self.harms else []
        turns = [f"{self.turns} turn{'' if self.turns == 1 else 's'}"] if self.turns else []
        return ", ".join([*harm, *self.effects, *turns])

    @property
    def as_json(self) -> dict[str, Any]:
        """The charge as JSON."""
        kept: dict[str, Any] = to_builtins(self)
        return kept

    @property
    def harms(self) -> bool:
        """Whether it does damage."""
        return self.dice is not None or self.more > 0


class Fuse(Struct, frozen=True):
    """A grenade that explodes at the end of `of`'s turn in `round`.

    `near` are those (numbers) last said to be in its radius.
    """

    charge: Charge
    of: int
    round: int
    held: bool = False
    near: tuple[int, ...] = ()

    def due(self, turn: int, now: object, there: Iterable[int]) -> bool:
        """Return whether it explodes as `now`'s turn in round `turn` ends: its user's, or any if the user is gone."""
        gone = self.of not in {*there}
        return turn > self.round or (turn == self.round and (gone or now == self.of))

    @property
    def when(self) -> str:
        """The round in words; empty if it explodes at once."""
        return f" in round {self.round}" if self.round else ""

    def value(self) -> dict[str, Any]:
        """Return the fuse as a fight keeps it."""
        kept: dict[str, Any] = to_builtins(self)
        return kept


class FightZone(Struct, frozen=True):
    """A zone that lasts for `turns` of its creator."""

    charge: Charge
    turns: Mapping[str, Any]
    entry: int = 0


def read_charge(book: Book, item: str, does: str | None) -> Charge:
    """Read what an explosive `does`, such as `2d10+5`, a damage type, effects, `3 turns`."""
    effects, text = _list_effects(book), does or ""
    known = {*effects, *book.entries_of(catalog.DamageKind)}
    named = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    words = re.compile(rf"(?<!\w)(?:{_WORDS}{named})(?!\w)", re.IGNORECASE)
    rest = words.sub("", text).strip(" ,;+")
    if rest:
        raise UnknownName(rest[:60], known, "damage, effect or number of turns")
    fields = [pair for found in words.finditer(text) for pair in _read_word(found, effects)]
    named_effects = [*dict.fromkeys(value for name, value in fields if name == "effect")]
    charge = convert({"item": item, **dict(fields), "effects": named_effects}, Charge)
    if not (charge.harms or charge.effects):
        raise RollError(f"What does {item} do? Add damage:2d10+5, damage:stun, or for a zone damage:in-gas, 3 turns.")
    return charge


def list_fuses(kept: Kept) -> dict[str, Fuse]:
    """Return burning fuses in a fight, by name."""
    return read_fuses(kept.get(SCENE, {}))


def read_fuses(values: Mapping[str, Any]) -> dict[str, Fuse]:
    """Return the fuses among a fight's values."""
    return {name: convert(value, Fuse) for name, value in values.items() if name.startswith(FUSE)}


def read_zones(values: Mapping[str, Any]) -> dict[str, FightZone]:
    """Return a fight's zones."""
    return {name: convert(value, FightZone) for name, value in values.items() if name.startswith(ZONE)}


def find_round(kept: Kept) -> int | None:
    """Return the fight's round, or None outside of a fight."""
    header = kept.get(SCENE, {}).get(fights.FIGHT)
    return None if header is None else int(header["turn"])


def find_free_name(kept: Kept, beginning: str) -> str:
    """Return a free name with this prefix."""
    taken = [int(name.removeprefix(beginning)) for name in kept.get(SCENE, {}) if name.startswith(beginning)]
    return f"{beginning}{max(taken, default=0) + 1}"


def _read_word(found: re.Match[str], effects: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    word = found[0].casefold()
    if found["dice"]:
        try:
            term = DiceTerm.parse(found["dice"].casefold().removeprefix("d"))
        except ValueError as error:
            raise RollError(f"{str(error).capitalize()}.") from None
        if term.sides > MAX_SIDES:
            raise RollError(f"Explosives use dice with at most {MAX_SIDES} sides.")
        yield "dice", str(term)
        yield "more", int((found["more"] or "0").replace(" ", ""))
    elif found["turns"]:
        yield "turns", int(found["turns"])
    elif found["plain"]:
        yield "more", int(word)
    elif word in effects:
        yield "effect", effects[word]
    else:
        yield "kind", word


def _list_effects(book: Book) -> dict[str, str]:
    ruled = {item.effect: item.id for item in book.entries_of(LastingMark).values() if item.effect}
    named = [item for item in book.effects.values() if item.command is None]
    own = {name: ruled.get(item.trait, item.trait) for item in named for name in (item.trait, item.label)}
    ruling = (item for item in book.entries_of(LastingMark).values() if item.effect)
    lasting = {name: item.id for item in ruling for name in (item.id, item.label)}
    return {name.casefold(): meant for name, meant in (*own.items(), *lasting.items())}
