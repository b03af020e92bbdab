"""What a game master sets in a war as it is typed: `gold Zeon` to `150`; and the choices for both."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal

from rules.books.total_war.catalog import Piece, Switch
from rules.books.total_war.deeds import (
    AddForce,
    AddUnits,
    PlaceForce,
    RemoveForce,
    RemoveUnit,
    Ruling,
    SetGold,
    SetOwner,
    SetPost,
    SetPrice,
    SetRank,
    SetSource,
    SetSwitch,
    SetUnit,
    Strike,
)
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.refusal import Refused
from rules.books.total_war.war import Rules, War, faction_named
from rules.geometry.hexes import Hex
from rules.phrases import known_list

NOBODY, NONE, REMOVE, KILLS, PILOT = "nobody", "none", "remove", "kills", "pilot"
POSTS: Mapping[str, Literal["leader", "delegate"]] = {"leader": "leader", "delegate": "delegate"}
PRICED: Mapping[str, Literal["unit", "item"]] = {"unit": "unit", "item": "item"}


def setting_of(rules: Rules, war: War, what: str, to: str) -> Ruling:
    """Return what a game master sets, by what is typed.

    Raises:
        Refused: it cannot be read; it says what could stand there.

    """
    kind, _, about = what.strip().partition(" ")
    made = _KINDS.get(kind.lower())
    if made is None:
        raise Refused("E_NO_TARGET", f"{what!r} is nothing to set: begin with one of {', '.join(_KINDS)}.")
    return made(rules, war, about.strip(), to.strip())


def strike_of(removes: str) -> Strike:
    """Return what a ruling destroys: ids of units, and panels, parted by blanks."""
    words = removes.replace(";", " ").split()
    panels = [at for at in map(_hex, words) if at is not None]
    return Strike(units=tuple(word for word in words if _hex(word) is None), panels=tuple(panels))


def settable(rules: Rules, war: War) -> Iterator[str]:
    """Yield what can be set, each with what it is about."""
    for side in war.factions.values():
        yield from (f"{kind} {side.name}" for kind in ("gold", "source", "post leader", "post delegate"))
    yield from (f"rank {name}" for name in war.players)
    yield from (f"force {name}" for name in war.forces)
    yield from (f"unit {name}" for name, item in war.forces.items() if item.units)
    yield from (f"unit {unit.id}" for item in war.forces.values() for unit in item.units)
    yield from (f"switch {name}" for name in rules.terms.book.listed(Switch))
    yield from (f"price unit {name}" for name in rules.scenario.units)
    yield from (f"price item {name}" for name in rules.scenario.items)
    yield from (f"owner {at}" for at in sorted(war.panels))


def values(rules: Rules, war: War, what: str) -> Iterator[str]:
    """Yield to what something could be set."""
    kind, _, about = what.partition(" ")
    match kind:
        case "owner":
            yield from (*(side.name for side in war.factions.values()), NEUTRAL)
        case "rank":
            yield from (rank.name for rank in rules.scenario.ranks)
        case "post":
            yield from (*war.players, NOBODY)
        case "switch" if about in rules.terms.book.listed(Switch):
            switch = rules.terms.book.listed(Switch)[about]
            yield from switch.options or (("true", "false") if isinstance(switch.default, bool) else ())
        case "force" if about in war.forces:
            yield from (REMOVE, *map(str, sorted(war.panels)))
        case "unit":
            yield from (
                (REMOVE, f"{KILLS} 4", f"{PILOT} {NONE}")
                if about not in war.forces
                else (f"1 {name}" for name in rules.scenario.units)
            )
        case "source":
            yield from (NONE, *map(str, sorted(war.panels)))


def _owner(_rules: Rules, war: War, about: str, to: str) -> Ruling:
    return SetOwner(at=_panel(about), faction=faction_named(war, to))


def _gold(_rules: Rules, war: War, about: str, to: str) -> Ruling:
    return SetGold(faction=faction_named(war, about), gold=_number(to, "gold"))


def _unit(_rules: Rules, war: War, about: str, to: str) -> Ruling:
    force = next((name for name in war.forces if name.lower() == about.lower()), None)
    word, _, rest = to.partition(" ")
    if force is not None or _hex(about) is not None:
        count, model = (int(word), rest) if word.isdecimal() and rest else (1, to)
        return AddUnits(to=force or _panel(about), model=model.strip(), number=count)
    if word == REMOVE:
        return RemoveUnit(unit=about)
    if word == KILLS:
        return SetUnit(unit=about, kills=_number(rest, "kills"))
    if word == PILOT:
        return SetUnit(unit=about, pilot="" if rest == NONE else rest)
    raise Refused(
        "E_NO_TARGET", f"A unit is set to {REMOVE}, {KILLS} 4, {PILOT} NAME or {PILOT} {NONE}, not to {to!r}."
    )


def _force(rules: Rules, war: War, about: str, to: str) -> Ruling:
    name = next((name for name in war.forces if name.lower() == about.lower()), None)
    if name is not None:
        return RemoveForce(who=name) if to == REMOVE else PlaceForce(who=name, at=_panel(to))
    piece, *rest = to.split()
    if piece not in rules.terms.book.listed(Piece) or len(rest) < 2:  # noqa: PLR2004 - faction and panel
        what = f"There is no force {about!r}{known_list(war.forces)}"
        raise Refused("E_NO_TARGET", f"{what}. A new one is set to such as: squadron Z 1,0 zaku zaku.")
    faction, at, *models = rest
    return AddForce(name=about, piece=piece, faction=faction_named(war, faction), at=_panel(at), units=tuple(models))


def _rank(_rules: Rules, _war: War, about: str, to: str) -> Ruling:
    return SetRank(player=about, rank=to)


def _post(_rules: Rules, war: War, about: str, to: str) -> Ruling:
    post, _, faction = about.partition(" ")
    if post not in POSTS:
        raise Refused("E_NO_TARGET", f"{post!r} is no post: write post leader or post delegate, and a faction.")
    return SetPost(faction=faction_named(war, faction), post=POSTS[post], player=None if to == NOBODY else to)


def _price(_rules: Rules, _war: War, about: str, to: str) -> Ruling:
    of, _, name = about.partition(" ")
    if of not in PRICED:
        raise Refused("E_NO_TARGET", f"{of!r} has no price: write price unit or price item, and its id.")
    return SetPrice(of=PRICED[of], name=name, cost=_number(to, "gold"))


def _switch(_rules: Rules, _war: War, about: str, to: str) -> Ruling:
    value: Any = to
    with suppress(ValueError):
        value = json.loads(to.lower())
    return SetSwitch(name=about, value=tuple(value) if isinstance(value, list) else value)


def _source(_rules: Rules, war: War, about: str, to: str) -> Ruling:
    return SetSource(faction=faction_named(war, about), at=None if to == NONE else _panel(to))


_KINDS: Mapping[str, Callable[[Rules, War, str, str], Ruling]] = {
    "owner": _owner,
    "gold": _gold,
    "unit": _unit,
    "force": _force,
    "rank": _rank,
    "post": _post,
    "price": _price,
    "switch": _switch,
    "source": _source,
}


def _hex(word: str) -> Hex | None:
    try:
        return Hex.parse(word)
    except ValueError:
        return None


def _panel(word: str) -> Hex:
    at = _hex(word)
    if at is None:
        raise Refused("E_OFF_MAP", f"{word!r} is no panel: write two numbers such as 4,-1.")
    return at


def _number(word: str, what: str) -> int:
    if not word.isdecimal() or len(word) > 6:  # noqa: PLR2004 - more than anybody has
        raise Refused("E_NO_TARGET", f"{word!r} is no number of {what}: write one from 0 to 999999.")
    return int(word)
