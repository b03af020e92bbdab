"""The shipped books, cached, books made from them, and free dice.

The cache next to Python's byte code is used if every TOML file is the same, and every module by time and size.
"""

import contextlib
import hashlib
import os
import pickle
import sys
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from rules import acts, modifiers, terms
from rules.book import HOUSE, Book
from rules.books import procedures_of
from rules.climate import Climate
from rules.dice import MAX_DICE, Dice, DiceTerm, Roll
from rules.expression import Expression, RepeatResult
from rules.procedure import Conclusion, FrozenMethod, MethodResult, Part, Policy, Procedure, Throw
from rules.ruleset import RuleSet, amend_climate, list_reserved_names, take_fingerprint


class _FreeDice(FrozenMethod, frozen=True):
    def play(self, part: Part, _book: Book, dice: Dice) -> MethodResult:
        expression = Expression.parse(part.inputs["expression"])
        falls = expression.roll(dice)
        heads = [f"Roll {place + 1}: " for place in range(len(falls))] if falls[1:] else [""]
        steps = [it for head, fall in zip(heads, falls, strict=True) for it in _list_throws(expression, fall, head)]
        steps.append(Throw("Expected", "; ".join(_describe_expectation(part.inputs))))
        text = _totals([fall.total for fall in falls], counts=expression.counts)
        record = {"totals": [fall.total for fall in falls]}
        return MethodResult(tuple(steps), Conclusion("rolled", text, "neutral", "results"), record)

    def lines(self, part: Part, _book: Book) -> Sequence[str]:
        return tuple(_describe_expectation(part.inputs))


def inputs_of(expression: Expression) -> dict[str, object]:
    """Return a roll's inputs; a mean can take a third of a second."""
    low, high = expression.span
    mean = expression.mean
    return {
        "expression": expression.formula,
        "low": low,
        "high": high,
        "mean": None if mean is None else str(mean),
        "explosions": expression.explosions,
        "repeats": expression.repeats,
        "counts": expression.counts,
    }


def mean_text(mean: Fraction) -> str:
    """Return a mean with at most four decimals."""
    short = f"{float(mean):.4f}".rstrip("0").rstrip(".")
    return short if Fraction(short) == mean else f"about {short}"


def _describe_expectation(inputs: modifiers.JsonObject) -> Iterator[str]:
    each = " successes" if inputs.get("counts") else ""  # old cards have no such input
    each += " each" if inputs["repeats"] > 1 else ""
    mean = f"mean {mean_text(Fraction(inputs['mean']))}" if inputs["mean"] else "the mean takes too long to compute"
    yield f"{inputs['low']} to {inputs['high']}{each}, {mean}"
    most = inputs["explosions"]
    if most:
        yield f"a die explodes {'once' if most == 1 else f'{most} times'} at most"


def _totals(totals: Sequence[int], *, counts: bool) -> str:
    if totals[1:]:
        return f"{'Successes' if counts else 'Totals'} {', '.join(map(str, totals))}"
    return _successes(totals[0]) if counts else f"Total {totals[0]}"


def _successes(count: int) -> str:
    return f"{count} {'success' if count == 1 else 'successes'}"


def _list_throws(expression: Expression, fall: RepeatResult, head: str) -> Iterator[Throw]:
    total = f": {_successes(fall.total)}" if expression.counts else f" = {fall.total}"
    # A pool that is all of the roll needs no line for the sum.
    alone = [pool_roll.total for pool_roll in fall.pool_rolls] == [fall.total]
    whole = alone and expression.counts == (fall.pool_rolls[0].pool.test is not None)
    for pool_roll in fall.pool_rolls:
        end = "" if whole or pool_roll is not fall.pool_rolls[-1] else f"; {expression.once}{total}"
        yield Throw(f"{head}{pool_roll.pool}", f"{_throw_text(pool_roll)}{end}", _rolls(pool_roll))
    if not fall.pool_rolls:
        yield Throw(f"{head}no dice", _totals([fall.total], counts=expression.counts).lower())


def _throw_text(pool_roll: terms.PoolRoll) -> str:
    kept = [_die(die) for die in pool_roll.dice if die.kept]
    dropped = [_die(die) for die in pool_roll.dice if not die.kept]
    test = pool_roll.pool.test
    if test:
        passed = [str(face) for die in pool_roll.dice if die.kept for face in die.faces if test.holds(face)]
        text = _successes(pool_roll.total) + (f": {', '.join(passed)}" if passed else "")
    else:
        exploded = any("!" in die for die in kept)
        text = f"{' + '.join(kept)} = {pool_roll.total}" if exploded else str(pool_roll.total)
    return text + (f", dropped {', '.join(dropped)}" if dropped else "")


def _die(die: terms.PoolDie) -> str:
    *exploded, last = die.faces
    return f"({' + '.join([*(f'{face}!' for face in exploded), str(last)])})" if exploded else str(last)


def _rolls(pool_roll: terms.PoolRoll) -> tuple[Roll, ...]:
    rolls: list[Roll] = []
    single = [roll for die in pool_roll.dice for roll in die.rolls]
    for source, group in groupby(single, key=lambda roll: roll.source):
        faces = [roll.total for roll in group]
        # A `DiceTerm` has 20 dice at most, an exploding pool up to 100.
        chunks = [tuple(faces[start : start + MAX_DICE]) for start in range(0, len(faces), MAX_DICE)]
        rolls += [Roll(DiceTerm(len(chunk), pool_roll.pool.sides), chunk, source) for chunk in chunks]
    return tuple(rolls)


_FOR_ALL = Policy(again="never", open_to_players=True)
FREE_ROLL = Procedure("dice", "Dice", "roller", "dice", "{roller} rolls {dice}", _FreeDice(), policy=_FOR_ALL)


_UNMARKED = RuleSet("dice", "Free dice", "", {}, {}, procedures={FREE_ROLL.family: FREE_ROLL})
FREE_DICE = replace(_UNMARKED, fingerprint=take_fingerprint(_UNMARKED))
_EMPTY = RuleSet(HOUSE, "My own rules", "", {}, {})
OWN_RULES = replace(_EMPTY, fingerprint=take_fingerprint(_EMPTY))
FOLDER = Path(__file__).parent
KEPT = FOLDER / "__pycache__" / "books.pickle"


class PackedBooks(Mapping[str, RuleSet]):
    """Books by id, unpacked on first use."""

    def __init__(self, packed: Mapping[str, bytes]) -> None:
        self._packed = packed
        self._books: dict[str, RuleSet] = {}

    def __getitem__(self, book: str) -> RuleSet:
        if book not in self._books:
            plain: RuleSet = pickle.loads(zlib.decompress(self._packed[book]))  # noqa: S301 - as much our own as byte code is
            self._books.setdefault(book, acts.with_procedures(plain, procedures_of(book)))  # threads may ask at once
        return self._books[book]

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    def only(self, books: Collection[str]) -> Self:
        """Return only these books."""
        return type(self)({book: packed for book, packed in self._packed.items() if book in books})


def load_shipped_books(kept: Path = KEPT) -> PackedBooks:
    """Return the shipped books, from the cache if it's current."""
    key = _key()
    packed = _read(kept, key)
    if packed is None:
        from rules.loader import load_books  # noqa: PLC0415 - loads only with books that are to be checked

        plain = {book: replace(rules, procedures={}) for book, rules in load_books().items()}
        packed = {book: zlib.compress(pickle.dumps(rules)) for book, rules in plain.items()}
        if key == _key():  # no other version was installed meanwhile
            data = pickle.dumps(packed)
            _write(kept, key + hashlib.sha256(data).digest() + data)
    return PackedBooks(packed)


def _key() -> bytes:
    known = hashlib.sha256(f"{sys.version}\0{FOLDER}".encode())
    for folder, inner, names in os.walk(FOLDER):
        inner.sort()
        for path in (Path(folder, name) for name in sorted(names) if name.endswith((".toml", ".py"))):
            stat = path.stat()
            of_module = f"{int(stat.st_mtime)} {stat.st_size}".encode()
            of_table = hashlib.sha256(path.read_bytes()).digest() if path.suffix == ".toml" else b""
            known.update(f"\0{path}\0".encode() + (of_table or of_module))
    return known.digest()


def _read(kept: Path, key: bytes) -> Mapping[str, bytes] | None:
    with contextlib.suppress(OSError):
        kept_bytes = kept.read_bytes()
        head, data = kept_bytes[: 2 * len(key)], kept_bytes[2 * len(key) :]
        if head == key + hashlib.sha256(data).digest():  # a crash may have left half of it
            packed: Mapping[str, bytes] = pickle.loads(data)  # noqa: S301 - as above
            return packed
    return None


def _write(kept: Path, data: bytes) -> None:
    new = kept.with_name(f"{kept.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        kept.parent.mkdir(exist_ok=True)
        try:
            new.write_bytes(data)
            new.replace(kept)
        finally:
            new.unlink(missing_ok=True)


class Composer:
    """Makes books; `overlays` are the operator's house rules."""

    free_dice, own_rules = FREE_DICE, OWN_RULES

    def __init__(self, overlays: Sequence[Path] = ()) -> None:
        self._overlays = tuple(overlays)

    def list_reserved_names(self, books: Iterable[RuleSet]) -> dict[str, str]:
        """Return names that new tables can't have, with what has each name."""
        return list_reserved_names((*books, FREE_DICE))

    def with_house_rules(
        self, book_id: str, files: Sequence[tuple[str, str]], labels: Mapping[str, str], others: Mapping[str, str]
    ) -> RuleSet:
        """Return a book with house rules (name, text), or a campaign's own book.

        `labels` are the files' versions, `others` taken names and their owners.
        """
        from rules import house  # noqa: PLC0415 - loads with the first house rules
        from rules.loader import load_with_house_rules  # noqa: PLC0415 - as above

        documents = [house.read_house_file(name, text.encode()) for name, text in files]
        rules = load_with_house_rules(book_id, documents, others=others, overlays=self._overlays)
        tables = {
            name: replace(table, files=tuple(labels[file] for file in table.files if file in labels))
            for name, table in rules.tables.items()
        }
        return replace(rules, tables=tables, versions=tuple(labels.values()))

    def with_climate(self, rules: RuleSet, climate: Climate) -> RuleSet:
        """Return a book with a campaign's own climate."""
        return amend_climate(rules, climate)

    def in_world(self, rules: RuleSet, others: Sequence[RuleSet]) -> RuleSet:
        """Return a book with the map of the first book that has one, and the others' fields."""
        world = next((other for other in (rules, *others) if other.zones), rules)
        fields = {name: item for other in (*others, rules) for name, item in other.fields.items()}
        mapped = replace(rules, zones=world.zones, conditions=world.conditions, fields=fields)
        return replace(mapped, fingerprint=take_fingerprint(mapped))
