"""The dice of a battle as steps of a roll: drawn when they are asked for, and told as they were read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rules.books.total_war.acting import Act
from rules.books.total_war.catalog import AceLevel, UnitClass
from rules.books.total_war.fight import Fight
from rules.books.total_war.fighting import Happened, joined, lane_of
from rules.books.total_war.orders import Clash, Fire, Order, Shoot
from rules.books.total_war.terms import Terms
from rules.books.total_war.thrown import COIN, PERCENT, Die
from rules.dice import Dice, DiceTerm, Roll
from rules.procedure import Throw
from rules.tables import Source

_TRY, _ACCURACY, _COMBINED, _MELEE, _HERO = 182, 184, 188, 194, 208
"""The lines of the page that say how each is read."""
_SECTIONS = ((198, "Warship combat"), (190, "Melee combat"), (165, "Ranged combat"))
"""The sections of the page with the line that each begins with, the last one first."""
_TOLD = {"held": "survives", "beats": "destroyed"}


class Drawn:
    """Throws the dice of a battle as they are asked for, and keeps how they fell."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self.fallen: list[tuple[Die, Roll]] = []

    def __call__(self, die: Die) -> int:
        """Return the face of a die."""
        roll = self._dice.roll(DiceTerm(1, die.sides))
        self.fallen.append((die, roll))
        return roll.total


class Attacked(Struct, frozen=True):
    """An attack of an act, on the board as it was then, and how its dice fell."""

    terms: Terms
    fight: Fight
    act: Act
    fallen: Sequence[tuple[Die, Roll]]

    def rolls(self, **which: object) -> tuple[Roll, ...]:
        """Return the dice that fell for something, such as one try."""
        return tuple(
            roll for die, roll in self.fallen if all(getattr(die, name) == value for name, value in which.items())
        )

    def step(self, title: str, text: str, line: int, rolls: tuple[Roll, ...] = ()) -> Throw:
        """Return a step, with the line of the page behind it."""
        section = next(section for first, section in _SECTIONS if line >= first)
        return Throw(title, text, rolls, Source(self.terms.book.source, section), line)


def steps_of(attacked: Attacked, order: Order, happened: Happened) -> Iterator[Throw]:
    """Yield the steps of an attack."""
    match order:
        case Shoot():
            yield from _shot(attacked, order, happened)
        case Clash():
            yield _melee(attacked, order)
        case Fire():
            yield from _fire(attacked, order, happened)


def _shot(attacked: Attacked, order: Shoot, happened: Happened) -> Iterator[Throw]:
    """Yield a step for each try, and before them what several have come to that attack together."""
    attack, defense = joined(attacked.terms, attacked.fight, order), attacked.fight.unit(str(order.target)).defense
    if order.others:
        names = " and ".join(attacked.act.called(name) for name in (order.unit, *order.others))
        yield attacked.step("Combined attack", f"{names}: {attack}", _COMBINED)
    for attempt, came in enumerate(happened.tries or (), 1):
        rolls = attacked.rolls(attempt=attempt)
        title, aimed = f"Try {attempt} of {attack}", rolls[0].total if attack.accuracy is not None else None
        if came == "miss":
            yield attacked.step(title, f"{aimed} misses (accuracy {attack.accuracy}%)", _ACCURACY, rolls)
            continue
        hits = "" if aimed is None else f"{aimed} hits (accuracy {attack.accuracy}%), "
        yield attacked.step(title, f"{hits}{rolls[-1].total} against defense {defense}: {_TOLD[came]}", _TRY, rolls)


def _melee(attacked: Attacked, order: Clash) -> Throw:
    """Return the step of a melee attack: the coin and what it was called, and the die of a counterattack."""
    target, rolls = attacked.act.called(order.target), attacked.rolls()
    if not rolls:
        label = attacked.terms.of(UnitClass, attacked.fight.unit(order.target).kind).label.lower()
        return attacked.step("Melee", f"{target} ({label}) is always destroyed", _MELEE)
    fell = COIN[rolls[0].total - 1]
    told = f"called {order.call}, got {fell}"
    if fell == order.call:
        return attacked.step("Melee", f"{told}: {target} is destroyed", _MELEE, rolls)
    face = attacked.terms.number("counter-face")
    what = "the attacker is destroyed" if rolls[-1].total == face else "it misses"
    return attacked.step("Melee", f"{told}; the counterattack needs a {face}: {what}", _MELEE, rolls)


def _fire(attacked: Attacked, order: Fire, happened: Happened) -> Iterator[Throw]:
    """Yield a step for each unit that a shot reaches, in the order of the lane."""
    on = {unit.at: name for name, unit in attacked.fight.units.items()}
    for place, percent in lane_of(attacked.terms, attacked.fight, order).items():
        name, rolls = on[place], attacked.rolls(tile=place)
        falls = "destroyed" if name in (happened.destroyed or ()) else "survives"
        text = f"{percent}%: {falls}" if 0 < percent < PERCENT else f"{falls} (no die)"
        title = f"{attacked.act.called(name)} on {place}"
        yield attacked.step(title, text, _line(attacked, name), rolls)


def _line(attacked: Attacked, name: str) -> int:
    """Return the line of the page that says what becomes of a unit in a lane."""
    unit = attacked.fight.unit(name)
    if unit.hero:
        return _HERO
    kind = attacked.terms.of(UnitClass, unit.kind)
    levels = attacked.terms.book.listed(AceLevel).values() if kind.armoured else ()  # only suits and armors (AMB-57)
    return next((item.line for item in levels if unit.ace == item.level), kind.fire_line)
