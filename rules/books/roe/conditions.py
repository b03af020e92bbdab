"""What size, light, weather, stance and cover add for somebody (lines 75 to 77, 116 to 118, 369 to 390, 502)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from rules.book import Book
from rules.books.roe.catalog import Option, Stance, entry_of
from rules.books.roe.scene import WEATHER
from rules.books.roe.sides import option_named, racial_facts, racial_rule, size_facts, true_facts
from rules.errors import RollError
from rules.facts import Facts
from rules.modifiers import Modifier
from rules.phrases import signed
from rules.procedure import Part
from rules.scores import weigh_score

Light = Literal["day", "night"]
ADDED = ("accuracy", "ranged-accuracy", "dodge", "stealth", "melee-damage")
"""Scores that conditions add to."""


class Surroundings(Struct, frozen=True, forbid_unknown_fields=True):
    """Light, and what the HUD tells of the weather; those of a fight are those that it began with (line 77)."""

    light: Light | None = None
    weather: int = 0


class Posture(Struct, frozen=True, forbid_unknown_fields=True):
    """How somebody stands and what is between: metres to an object, an ally in the line of fire, partial sight, a vehicle.

    `against` is how they are attacked; `moved`, whether they have moved in this stance.
    """

    stance: str | None = None
    moved: bool = False
    against: Literal["melee", "ranged"] | None = None
    object_m: float | None = None
    ally_in_line: bool = False
    partial_sight: bool = False
    seated: bool = False


def stance_named(book: Book, name: str | None, *, seated: bool = False) -> Stance:
    """Return a stance that somebody can be in, the first one where none is named."""
    stances = book.listed(Stance)
    stance = entry_of(stances, next(iter(stances)) if name is None else name)
    if seated and not stance.seated:
        raise RollError(f"{stance.label}: not possible in a vehicle.")
    return stance


def covered(book: Book, posture: Posture) -> bool:
    """Return whether somebody has cover, which counts once however much of it there is (lines 371, 377, 384, 502)."""
    if posture.object_m is not None and posture.object_m < 0:
        raise RollError("The distance can't be below 0 metres.")
    beside = posture.object_m is not None and posture.object_m <= book.number("cover-m")
    shot_through = posture.ally_in_line and posture.against != "melee"
    return beside or shot_through or posture.partial_sight or posture.seated


def weather_modifier(book: Book, racial: str | None, weather: int) -> int:
    """Return what the weather comes to; racial options change its penalties alone (lines 31, 51, 68)."""
    return weather * racial_rule(book, racial, "weather-penalty-factor", 1) if weather < 0 else weather


def weather_lines(book: Book, part: Part) -> Iterator[str]:
    """Yield in one line what the weather of a fight comes to for each side, which is counted where the HUD says so (A33)."""
    known = part.facts.get(WEATHER)
    options = book.listed(Option).values() if known else ()
    sides: dict[int, list[str]] = {}
    for role, who in part.subjects.items() if known else ():
        racial = next((item.label for item in options if f"{role}.option.{item.id}" in part.facts), None)
        if known and (value := weather_modifier(book, racial, known.count)):
            sides.setdefault(value, []).append(who)
    if sides:
        told = (f"{signed(value)} for {' and '.join(names)}" for value, names in sides.items())
        yield f"Weather: {', '.join(told)}, if the HUD says so (add it by hand)"


def night_penalty(book: Book, racial: str | None, light: Light | None) -> bool:
    """Return whether a penalty for the night would count (line 47)."""
    spared = racial is not None and option_named(book, racial).rules.get("night-penalty") is False
    return light == "night" and not spared


def conditions(
    book: Book, around: Surroundings, posture: Posture, size: str | None = None, racial: str | None = None
) -> Mapping[str, int]:
    """Return what conditions add, by score, and the weather; what adds nothing is left out.

    Of a racial option only what hangs on light and weather counts, since the rest is so anywhere.
    """
    stance = stance_named(book, posture.stance, seated=posture.seated)
    fact = None if posture.moved and stance.moving_ends else stance.fact
    facts: Facts = {
        **racial_facts(book, "actor", racial),
        **size_facts(book, "actor", size),
        **true_facts("scene", *([around.light] if around.light else [])),
        **true_facts("actor", *(["cover"] if covered(book, posture) else [])),
        **true_facts("actor", *([fact] if fact else [])),
    }
    attacked = true_facts("attack", posture.against) if posture.against else {}
    # How one is attacked says what one's dodge is; one's own shots are at range.
    added = {score: _added(book, score, {**facts, **attacked}) for score in ADDED}
    added["ranged-accuracy"] = _added(book, "ranged-accuracy", {**facts, **true_facts("attack", "ranged")})
    added["weather"] = weather_modifier(book, racial, around.weather)
    return {name: value for name, value in added.items() if value}


def _added(book: Book, score: str, facts: Facts) -> int:
    weighed = weigh_score(book.scores[score], "actor", facts)
    return sum(item.amount for item in weighed.modifiers if item.count and _hangs(item.modifier))


def _hangs(modifier: Modifier) -> bool:
    return modifier.group != "racial" or any(fact.startswith("scene.") for clause in modifier.when for fact in clause)
