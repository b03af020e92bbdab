"""What a game master sets and rules in a war, as it is typed, made into deeds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from rules.books.total_war import deeds
from rules.books.total_war.catalog import Piece, Switch
from rules.books.total_war.deeds import Ruling
from rules.books.total_war.holding import settled
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.names_read import counted, is_said, named, one_of, required
from rules.books.total_war.order_kinds import EXAMPLES, MARK, MOST, NOBODY
from rules.books.total_war.refusal import Refused
from rules.books.total_war.routes import panel_of
from rules.books.total_war.war import Rules, War
from rules.geometry.hexes import Hex
from rules.phrases import known_list
from rules.subjects import name_key

_UNIT = re.compile(r"[uU][0-9]{1,9}")
_PANEL = r"[+\-\u2212]?[0-9]{1,4}\s*,\s*[+\-\u2212]?[0-9]{1,4}"
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_LEADING = re.compile(_PANEL)
_STRUCK = re.compile(rf"{_PANEL}|{_UNIT.pattern}")


def setting_of(rules: Rules, war: War, what: str, text: str) -> Ruling:
    """Return what a game master sets: one of `EXAMPLES`, written as there.

    Raises:
        Refused: something in it cannot be read; it says how it is written.

    """
    made = _KINDS.get(what)
    if made is None:
        raise Refused("E_NO_TARGET", f"{what!r} isn't something to set{known_list(_KINDS)}.")
    example = example_of(rules, war, what, text)
    return made(rules, war, required(text, f"what is set, such as {example}"), example)


def example_of(rules: Rules, war: War, what: str, text: str) -> str:
    """Return how something is set, in words of the war: with the panel that a text begins with, if it is one of the map."""
    scenario, typed = rules.scenario, _LEADING.match(text.strip())
    at = Hex.parse(typed[0]) if typed else None
    every = [unit.id for force in war.forces.values() for unit in force.units]
    first = next(iter(war.forces.values()), None)
    own = [name for name, model in scenario.units.items() if first and model.faction in {None, first.faction}]
    return EXAMPLES[what].format(
        panel=at if at in war.panels else next(iter(war.panels), "0,0"),
        faction=_first_of([side.name for side in war.factions.values()], "E"),
        force=_first_of(war.forces, "1st Fleet"),
        unit=_first_of(every, "u17"),
        player=_first_of(war.players, "Bob"),
        model=_first_of(own or scenario.units, "gm"),
        item=_first_of(scenario.items, "mining_station"),
        rank=_first_of([rank.name for rank in scenario.ranks], "Captain"),
        pilot=_first_of([pilot.name for pilot in scenario.pilots], NOBODY),
    )


def _first_of(names: Iterable[str], otherwise: str) -> str:
    return next(iter(names), otherwise)


def rulings_of(war: War, text: str) -> tuple[Ruling, ...]:
    """Return what of a ruling's text changes the war: `remove:` with units and panels, and `source:` with a faction and a panel.

    Each goes to the end of its line, or to a semicolon; all else is told only.
    """
    return tuple(
        _removed(war, rest) if mark.lower() == "remove" else _source(war, rest) for mark, rest in MARK.findall(text)
    )


def hard_to_bear(rules: Rules, war: War, text: str) -> Iterator[str]:
    """Yield what the text of a ruling takes from factions that is asked about first: a capitol, or the last stronghold of a rogue faction."""
    strikes = (deed for deed in rulings_of(war, text) if isinstance(deed, deeds.Strike))
    gone = {at for deed in strikes for at in deed.panels} - war.battles.keys()
    left = settled(rules, replace(war, panels={at: panel for at, panel in war.panels.items() if at not in gone}))
    for name, side in war.factions.items():
        if name not in left.factions:
            yield f"{side.name} loses its last stronghold and dissolves."
        elif side.seat in gone:
            yield f"{side.seat} is the capitol of {side.name}. Without it, all its land is out of supply until you name another source."


def _removed(war: War, text: str) -> deeds.Strike:
    found = _STRUCK.findall(text)
    if not found or re.fullmatch(r"(?:[\s,.]|and)*", _STRUCK.sub("", text)) is None:
        raise Refused(
            "E_NO_TARGET", f"remove:{text} isn't a list of units and panels. Write remove: u12, u13 and 2,-1."
        )
    units = tuple(each.lower() for each in found if _UNIT.fullmatch(each))
    return deeds.Strike(units=units, panels=tuple(panel_of(war, each) for each in found if not _UNIT.fullmatch(each)))


def _source(war: War, text: str) -> deeds.SetSource:
    faction, rest = _faction_first(war, text.strip().rstrip("."), "source: E 2,-2, or source: E none")
    return deeds.SetSource(faction=faction, at=None if _is_nobody(rest) else panel_of(war, rest))


def _owner(_rules: Rules, war: War, text: str, example: str) -> Ruling:
    at, rest = _panel_first(war, text, example)
    who = NEUTRAL if _is_nobody(rest) or rest == NEUTRAL else _faction(war, rest)
    return deeds.SetOwner(at=at, faction=who)


def _gold(_rules: Rules, war: War, text: str, example: str) -> Ruling:
    faction, rest = _faction_first(war, text, example)
    return deeds.SetGold(faction=faction, gold=_number(rest, example))


def _unit(rules: Rules, war: War, text: str, example: str) -> Ruling:
    """Read units that come, go, or get kills or a pilot."""
    removed = re.fullmatch(rf"(?:-|remove\b)\s*({_UNIT.pattern})", text, re.IGNORECASE)
    if removed is not None:
        return deeds.RemoveUnit(unit=removed[1].lower())
    told = re.fullmatch(rf"({_UNIT.pattern})\s+(kills|pilot)\s+(.+)", text, re.IGNORECASE)
    if told is not None and told[2].lower() == "kills":
        return deeds.SetUnit(unit=told[1].lower(), kills=_number(told[3], example))
    if told is not None:
        pilots = [pilot.name for pilot in rules.scenario.pilots]
        return deeds.SetUnit(
            unit=told[1].lower(), pilot="" if _is_nobody(told[3]) else one_of(pilots, told[3], "a pilot")
        )
    to, plus, units = text.partition(" + ")
    if not plus:
        raise _unread(text, example)
    model, number = counted(rules.scenario.units, units, "a model")
    place = panel_of(war, to) if re.fullmatch(_PANEL, to.strip()) else one_of(war.forces, to, "a force")
    return deeds.AddUnits(to=place, model=model, number=number)


def _force(rules: Rules, war: War, text: str, example: str) -> Ruling:
    """Read a force that is new, gone, or put on a panel."""
    if text.startswith("+"):
        return _new_force(rules, war, text[1:], example)
    gone = re.fullmatch(r"(?:-|remove\b)\s*(.+)", text, re.IGNORECASE)
    if gone is not None and named([*war.forces], text) is None:
        return deeds.RemoveForce(who=one_of(war.forces, gone[1], "a force"))
    moved = re.fullmatch(rf"(.+?)\s+(?:to\s+)?({_PANEL})", text, re.IGNORECASE)
    if moved is None:
        raise _unread(text, example)
    return deeds.PlaceForce(who=one_of(war.forces, moved[1], "a force"), at=panel_of(war, moved[2]))


def _new_force(rules: Rules, war: War, text: str, example: str) -> Ruling:
    name, piece, faction, at, *units = (part.strip() for part in f"{text};;;".split(";"))
    required(name, f"its name: {example}")
    models: list[str] = []
    for each in filter(is_said, units):
        model, number = counted(rules.scenario.units, each, "a model")
        models += [model] * min(number, _MOST)
    pieces = {key: item for key, item in rules.terms.book.listed(Piece).items() if item.most}
    side = war.players.get(faction)
    who = faction if side is not None and side.faction is None else _faction(war, faction)
    kind = one_of(pieces, piece, "a piece", {key: item.label for key, item in pieces.items()})
    place = panel_of(war, required(at, f"its panel: {example}"))
    return deeds.AddForce(name=name, piece=kind, faction=who, at=place, units=tuple(models))


def _rank(rules: Rules, war: War, text: str, example: str) -> Ruling:
    player, rest = _first(war.players, text, "a player", example)
    return deeds.SetRank(player=player, rank=one_of([rank.name for rank in rules.scenario.ranks], rest, "a rank"))


def _post(_rules: Rules, war: War, text: str, example: str) -> Ruling:
    faction, rest = _faction_first(war, text, example)
    post, player = _first(["leader", "delegate"], rest, "a post", example)
    who = None if _is_nobody(player) else one_of(war.players, player, f"a player or {NOBODY}")
    return deeds.SetPost(faction=faction, post="leader" if post == "leader" else "delegate", player=who)


def _price(rules: Rules, _war: War, text: str, example: str) -> Ruling:
    """Read a price; what is a unit and an item too is called as one of them."""
    units, items = rules.scenario.units, rules.scenario.items
    kind, _, rest = text.partition(" ")
    if kind.lower() in {"unit", "item"}:
        known = units if kind.lower() == "unit" else items
        name, cost = _first(known, rest, f"a {kind.lower()}", example)
        return deeds.SetPrice(of="unit" if known is units else "item", name=name, cost=_number(cost, example))
    name, cost = _first([*dict.fromkeys([*units, *items])], text, "a unit or an item", example)
    if name in units and name in items:
        raise Refused(
            "E_NO_TARGET", f"{name} is both a unit and an item. Write unit {name} {cost}, or item {name} {cost}."
        )
    return deeds.SetPrice(of="unit" if name in units else "item", name=name, cost=_number(cost, example))


def _switch(rules: Rules, _war: War, text: str, example: str) -> Ruling:
    name, rest = _first(rules.terms.book.listed(Switch), text, "a switch", example)
    value = rest.strip().lower()
    words = re.split(r"[\s,]+", value)
    if value in _YES | _NO:
        return deeds.SetSwitch(name=name, value=value in _YES)
    if all(_WHOLE.fullmatch(word) for word in words):
        numbers = tuple(map(int, words))
        return deeds.SetSwitch(name=name, value=numbers if len(numbers) > 1 else numbers[0])
    return deeds.SetSwitch(name=name, value=value)


def _unread(text: str, example: str) -> Refused:
    return Refused("E_NO_TARGET", f"I can't read {text!r}. Write {example}.")


def _is_nobody(text: str) -> bool:
    return name_key(text) in {NOBODY, "nobody", "neutral"}


def _number(text: str, example: str) -> int:
    written = text.strip().removeprefix("=").strip()
    if _WHOLE.fullmatch(written) is None:
        shown = f"{text.strip()[:40]!r} isn't a number from 0 to {MOST:,}"
        raise Refused("E_NO_TARGET", f"{shown}. Write {example}.")
    return int(written)


def _first(names: Collection[str], text: str, what: str, example: str) -> tuple[str, str]:
    """Return the name that a text begins with, the longest there is, and what follows it, a sign of equality left out."""
    words = text.split()
    for count in range(len(words), 0, -1):
        found = named(names, " ".join(words[:count]))
        if found is not None and words[count:]:
            return found, " ".join(words[count:]).removeprefix("=").strip()
    raise Refused("E_NO_TARGET", f"I can't read {text!r}. Start with {what}{known_list(names)}, as in {example}.")


def _faction(war: War, text: str) -> str:
    return one_of(war.factions, text, "a faction", {name: side.name for name, side in war.factions.items()})


def _faction_first(war: War, text: str, example: str) -> tuple[str, str]:
    """Return the faction that a text begins with, by its id or its name, and what follows."""
    names = {side.name: key for key, side in war.factions.items()} | {key: key for key in war.factions}
    found, rest = _first([*names], text, "a faction", example)
    return names[found], rest


def _panel_first(war: War, text: str, example: str) -> tuple[Hex, str]:
    found = re.fullmatch(rf"({_PANEL})[\s=]+(.+)", text)
    if found is None:
        raise _unread(text, example)
    return panel_of(war, found[1]), found[2].strip()


_YES, _NO = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})
_MOST = 100
"""How many units of a kind are read at most; more than may come are refused where they are set."""

_KINDS: Mapping[str, Callable[[Rules, War, str, str], Ruling]] = {
    "owner": _owner,
    "gold": _gold,
    "unit": _unit,
    "force": _force,
    "rank": _rank,
    "post": _post,
    "price": _price,
    "switch": _switch,
}
