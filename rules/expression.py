"""Free dice expressions: `2d6+3`, `4d6kh3`, `5d6! >= 5`, `3x (2d6+1) * 2 for the charge`.

Behind nothing but dice, a comparison counts the faces that pass; behind anything else, brackets included, it is 1 or 0.
A label follows a space and starts with a word; what reads like a part of the roll is never taken for one
(`rules/typed_text.py`). d66 has two d6 read as tens and ones. Case and typographic signs don't matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from rules import errors, typed_text
from rules.dice import MAX_SIDES, Dice
from rules.terms import NumberTest, Operation, PlainNumber, Pool, PoolRoll, Success, Term, counts, join

# The grammar:
#
#     roll       = [ number ("x" | "#") ] comparison [ label ]
#     comparison = sum [ (">=" | "<=" | ">" | "<" | "=") [ "-" ] number ]
#     sum        = product { ("+" | "-") product }
#     product    = factor { "*" factor }
#     factor     = [ "+" | "-" ] ( dice | number | "(" comparison ")" )
#     dice       = [ number ] "d" ( number | "%" ) [ "!" ] [ ("kh" | "kl" | "dh" | "dl") [ number ] ]
MAX_LENGTH = 200
MAX_ALL_DICE = 100
_MAX_NESTING = 10
_MAX_REPEATS = 10
_MAX_DIGITS = 6
MAX_VALUE = 1_000_000_000
_REPEAT = re.compile(r"([0-9]+)\s*[x#\u00d7]", re.IGNORECASE)
_DICE = re.compile(r"([0-9]*)\s*d\s*([0-9]+|%)(!?)(?:\s*([kd])([hl])([0-9]*)(?![^\W_]))?", re.IGNORECASE)
_SIDELESS = re.compile(r"([0-9]*)\s*d(?![^\W_])", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+")
_TEST = re.compile(r"(>=|<=|[<>=\u2264\u2265])\s*(-?)\s*([0-9]+)")
_SIGNS = {"\N{LESS-THAN OR EQUAL TO}": "<=", "\N{GREATER-THAN OR EQUAL TO}": ">="}
_LABEL = re.compile(r"(?<=\s)(?!d[0-9%]|[kd][hl][0-9]*(?![^\W_]))[^\W\d_].*", re.IGNORECASE | re.DOTALL)
_SUM = re.compile(r"[+-]")
_PRODUCT = re.compile(r"\*")
_OPEN = re.compile(r"\(")
_CLOSE = re.compile(r"\)")
_GERMAN = re.compile(r"w[0-9]", re.IGNORECASE)
_TENS = re.compile(r"66{1,3}")
"""The sides of dice that are d6 read as digits: d66, d666 and d6666."""

_UNKNOWN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"#|(?<=\s)[^\s()+*<>=!a-z]", re.IGNORECASE), "A label starts with a letter."),
    (re.compile(r"(?<!\s)(?!d[0-9%]|[kd][hl])[^\W\d_]", re.IGNORECASE), "A label needs a space before it."),
    (re.compile(""), "Expected + - * or a comparison."),
)
"""What may follow where reading stops, and the message for it; the first match counts."""


class BadExpression(errors.RollError):
    """An unreadable or too large expression; `place` counts from 1."""

    def __init__(self, place: int, what: str) -> None:
        self.place = place
        super().__init__(f"At character {place}: {what}")


class Expression(Struct, frozen=True):
    """An expression within limits; each exploding die may go on `explosions` times."""

    text: str
    term: Term
    repeats: int
    label: str
    explosions: int

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Read an expression; exploding dice share the remaining dice."""
        if len(text) > MAX_LENGTH:
            raise BadExpression(MAX_LENGTH + 1, f"An expression has at most {MAX_LENGTH} characters.")
        # Read twice: how many dice may explode is known only once all dice are, and it is shared out evenly.
        first = _read(text)
        pools = tuple(_list_pools(first.term))
        count = first.repeats * sum(pool.count for pool in pools)
        exploding = first.repeats * sum(pool.count for pool in pools if pool.explosions)
        if count + exploding > MAX_ALL_DICE:
            more = ", explosions included" if exploding else ""
            raise BadExpression(1, f"The limit is {MAX_ALL_DICE} dice in all{more}.")
        share = (MAX_ALL_DICE - count) // exploding if exploding else 0
        expression = _ExpressionReader(text, share).read()
        if max(map(abs, expression.span)) > MAX_VALUE:
            raise BadExpression(1, f"The result could exceed {MAX_VALUE:,}.")
        return expression

    @property
    def formula(self) -> str:
        """The text without its label."""
        return self.text.strip().removesuffix(self.label).strip()

    @property
    def once(self) -> str:
        """What is rolled in each repeat."""
        repeat = _REPEAT.match(self.formula)
        return self.formula[repeat.end() :].strip() if repeat else self.formula

    @property
    def counts(self) -> bool:
        """Whether a total is a number of successes."""
        return counts(self.term)

    @property
    def span(self) -> tuple[int, int]:
        """The lowest and highest total of a repeat."""
        return self.term.span()

    @property
    def mean(self) -> Fraction | None:
        """A repeat's exact mean; None if it takes too long."""
        return self.term.mean()

    def roll(self, dice: Dice) -> tuple[RepeatResult, ...]:
        """Roll every repeat."""
        results = []
        for _ in range(self.repeats):
            pool_rolls: list[PoolRoll] = []
            total = self.term.roll(dice, pool_rolls)
            results.append(RepeatResult(tuple(pool_rolls), total))
        return tuple(results)


class RepeatResult(Struct, frozen=True):
    """One repeat's dice, in text order, and total."""

    pool_rolls: tuple[PoolRoll, ...]
    total: int


class _SlipFound(Exception):
    """What follows looks like part of a roll."""

    def __init__(self, slip: typed_text.Slip) -> None:
        self.slip = slip
        super().__init__(slip.what)


def _read(text: str) -> Expression:
    try:
        return _ExpressionReader(text, 1).read()
    except _SlipFound as slipped:
        slip = slipped.slip
        meant = " or ".join(form for form in slip.meant if _is_readable(form))
        hint = f"Did you mean {meant}?" if meant else slip.why
        raise BadExpression(slip.place + 1, f"{slip.what} {hint}") from slipped


def _is_readable(text: str) -> bool:
    try:
        _ExpressionReader(text, 1).read()
    except (BadExpression, _SlipFound):
        return False
    return True


class _ExpressionReader:
    """Reads from left to right; `share` is each die's explosions."""

    def __init__(self, text: str, share: int) -> None:
        self._typed = text
        self._text = typed_text.keyboard_signs(text)
        self._share = share
        self._place = 0
        self._depth = 0
        self._skip()

    def read(self) -> Expression:
        repeat = self._take(_REPEAT)
        repeats = self._within(repeat, 1, 1, _MAX_REPEATS, "repeats") if repeat else 1
        term = self._comparison()
        start = self._place
        self._refuse(typed_text.slip_at(self._text, start))
        label = self._take(_LABEL)
        if self._place < len(self._text):
            raise self._bad(next(what for pattern, what in _UNKNOWN if pattern.match(self._text, self._place)))
        if label:
            self._refuse(typed_text.slip_in(self._text, start))
        typed = self._typed[start:]
        return Expression(self._text[:start] + typed, term, repeats, typed.strip(), self._share)

    @staticmethod
    def _refuse(slip: typed_text.Slip | None) -> None:
        if slip is not None:
            raise _SlipFound(slip)

    def _comparison(self) -> Term:
        term = self._chain(_SUM, self._product)
        start = self._place
        match = self._take(_TEST)
        if not match:
            return term
        test = NumberTest(_SIGNS.get(match[1], match[1]), int(match[2] + self._digits(match, 3)))
        if not isinstance(term, Pool):
            return Success(term, test)
        # 3d6 >= 10 means the sum, so a test that all faces pass or fail is a slip.
        if len({test.holds(face) for face in range(1, term.sides + 1)}) == 1:
            what = f"All faces of a d{term.sides} are the same under {test}; for the sum write ({term}) {test}."
            raise BadExpression(start + 1, what)
        return replace(term, test=test)

    def _chain(self, pattern: re.Pattern[str], part: Callable[[], Term]) -> Term:
        first, rest = part(), []
        while sign := self._take(pattern):
            rest.append((sign[0], part()))
        return join(first, rest)

    def _product(self) -> Term:
        return self._chain(_PRODUCT, self._factor)

    def _factor(self) -> Term:
        sign = self._take(_SUM)
        term = self._plain()
        return Operation("*", PlainNumber(-1), term) if sign and sign[0] == "-" else term

    def _plain(self) -> Term:
        if match := self._take(_DICE):
            return self._pool(match)
        if match := self._take(_SIDELESS):
            raise BadExpression(match.end(), f"How many sides? Write {match[1]}d6 or {match[1]}d20.")
        if match := self._take(_NUMBER):
            return PlainNumber(int(self._digits(match, 0)))
        if self._take(_OPEN):
            return self._bracket()
        if _GERMAN.match(self._text, self._place):
            self._refuse(typed_text.slip_at(self._text, self._place))
        raise self._bad("Expected dice such as 2d6, a number or an opening bracket.")

    def _bracket(self) -> Term:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise BadExpression(self._place, f"Brackets go at most {_MAX_NESTING} deep.")
        term = self._comparison()
        if not self._take(_CLOSE):
            raise self._bad("Expected a closing bracket.")
        self._depth -= 1
        return Operation("+", PlainNumber(0), term)

    def _pool(self, match: re.Match[str]) -> Term:
        count = self._within(match, 1, 1, MAX_ALL_DICE, "dice") if match[1] else 1
        if _TENS.fullmatch(match[2]):
            return self._digit_dice(match, count)
        sides = 100 if match[2] == "%" else self._within(match, 2, 2, MAX_SIDES, "sides")
        pool = Pool(count, sides, count, explosions=self._share if match[3] else 0)
        if not match[4]:
            return pool
        drops = match[4] in "dD"
        if drops and count == 1:
            raise BadExpression(match.start(4) + 1, "You can't drop the only die.")
        number = self._within(match, 6, 1, count - drops, "dice to keep or drop here") if match[6] else 1
        keeps_high = (match[5] in "hH") != drops
        return replace(pool, keep=count - number if drops else number, highest=keeps_high)

    def _digit_dice(self, match: re.Match[str], count: int) -> Term:
        if match[3] or match[4]:
            what = f"A d{match[2]} is {len(match[2])}d6 read as digits: it neither explodes nor keeps or drops."
            raise BadExpression(match.start(2) + 1, what)
        places = [Operation("*", PlainNumber(10**place), Pool(1, 6, 1)) for place in reversed(range(len(match[2])))]
        number = join(places[0], [("+", item) for item in places[1:]])
        return join(number, [("+", number)] * (count - 1))

    def _within(self, match: re.Match[str], group: int, low: int, high: int, what: str) -> int:
        number = int(self._digits(match, group))
        if not low <= number <= high:
            raise BadExpression(match.start(group) + 1, f"Write {low} to {high} {what}, not {number}.")
        return number

    def _digits(self, match: re.Match[str], group: int) -> str:
        if len(match[group]) > _MAX_DIGITS:
            raise BadExpression(match.start(group) + 1, f"A number has at most {_MAX_DIGITS} digits.")
        return match[group]

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._text, self._place)
        if match:
            self._place = match.end()
            self._skip()
        return match

    def _skip(self) -> None:
        while self._text[self._place : self._place + 1].isspace():
            self._place += 1

    def _bad(self, what: str) -> BadExpression:
        return BadExpression(self._place + 1, what)


def _list_pools(term: Term) -> Iterator[Pool]:
    match term:
        case Pool():
            yield term
        case Operation():
            yield from _list_pools(term.left)
            yield from _list_pools(term.right)
        case Success():
            yield from _list_pools(term.inner)
        case _:
            return
