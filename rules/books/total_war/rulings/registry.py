"""All that a game master sets and rules in a war: read as it is typed, and written out as it can be set now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from rules.books.total_war.actions import resolve
from rules.books.total_war.order_kinds import EXAMPLES, NOBODY
from rules.books.total_war.rulings import forces, units, values
from rules.books.total_war.rulings.setting import PANEL, Setting
from rules.books.total_war.terms import Refused
from rules.books.total_war.typed_names import required
from rules.books.total_war.war import Rules, War, WarAction, apply_settings
from rules.geometry import Hex
from rules.phrases import known_list
from rules.subjects import name_key

SETTINGS: Mapping[str, Setting] = {
    what: {**values.SETTINGS, **units.SETTINGS, **forces.SETTINGS}[what] for what in EXAMPLES
}
_NUMBER = re.compile(r"(?<![\w,-])[0-9]{1,7}(?![\w,])")
_LEADING = re.compile(PANEL)


def read_setting(rules: Rules, war: War, what: str, text: str) -> WarAction:
    """Return what a game master sets: one of `EXAMPLES`, written as there."""
    if what not in SETTINGS:
        raise Refused("E_NO_TARGET", f"{what!r} isn't something to set{known_list(SETTINGS)}.")
    example = fill_example(rules, war, what, text)
    return SETTINGS[what].read(rules, war, required(text, f"what is set, such as {example}"), example)


def fill_example(rules: Rules, war: War, what: str, text: str) -> str:
    """Return how something is set, in words of the war: with the panel that a text begins with, if it is one of the map."""
    scenario, typed = rules.scenario, _LEADING.match(text.strip())
    at = Hex.parse(typed[0]) if typed else None
    every = [unit.id for force in war.forces.values() for unit in force.units]
    first = next(iter(war.forces.values()), None)
    own = [name for name, model in scenario.units.items() if first and model.faction in {None, first.faction}]
    return EXAMPLES[what].format(
        panel=at if at in war.panels else next(iter(war.panels), "0,0"),
        faction=next((side.name for side in war.factions.values()), "E"),
        force=next(iter(war.forces), "1st Fleet"),
        unit=next(iter(every), "u17"),
        player=next(iter(war.players), "Bob"),
        model=next(iter(own or scenario.units), "gm"),
        item=next(iter(scenario.items), "mining_station"),
        rank=next((rank.name for rank in scenario.ranks), "Captain"),
        pilot=next((pilot.name for pilot in scenario.pilots), NOBODY),
    )


def offers(rules: Rules, war: War, what: str, typed: str) -> Iterator[str]:
    """Yield what can be set, of all that holds each word that is typed; first what is typed itself, if it can be taken so."""
    if what not in SETTINGS:
        return
    rules, words = apply_settings(rules, war), name_key(typed).split()
    every = SETTINGS[what].offers(rules, war, next(iter(_NUMBER.findall(typed)[-1:]), None))
    fitting = (text for text in every if all(word in name_key(text) for word in words))
    if words:
        yield from _changing(rules, war, what, [typed.strip()])
    yield from _changing(rules, war, what, (text for text in fitting if name_key(text) != name_key(typed)))


def _changing(rules: Rules, war: War, what: str, texts: Iterable[str]) -> Iterator[str]:
    """Yield those of which the war becomes another one."""
    for text in texts:
        try:
            after = resolve(rules, war, read_setting(rules, war, what, text))
        except Refused:
            continue
        if after != war:
            yield text
