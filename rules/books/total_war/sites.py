"""What a faction can build, buy and research as a war stands, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rules.books.total_war.catalog import Item
from rules.books.total_war.deeds import AnyDeed, Build, Buy, Research
from rules.books.total_war.refusal import Refused
from rules.books.total_war.scenario import WarItem
from rules.books.total_war.war import Rules, War, supply
from rules.books.total_war.works import bought, built, researched
from rules.geometry.hexes import Hex


def allows(function: Callable[..., War], rules: Rules, war: War, deed: AnyDeed, *known: object) -> bool:
    """Return whether an order is possible by the function that resolves it."""
    try:
        function(rules, war, deed, *known)
    except Refused:
        return False
    return True


def priced(name: str, cost: int | None) -> str:
    """Return something for sale with its price, as it is chosen."""
    return f"{name} ({cost} gold)"


def sites(rules: Rules, war: War, faction: str, *, garrison: bool) -> Iterator[tuple[Hex, WarItem]]:
    """Yield each panel of a faction with what can be built there now: what makes up a garrison, or all else."""
    if faction not in war.factions:
        return
    fed, gold = supply(rules, war, faction), war.factions[faction].gold
    items = [item for item in rules.scenario.items.values() if item.cost is not None and item.cost <= gold]
    items = [item for item in items if is_garrison(rules, item.id) == garrison]
    for at in sorted(fed):
        for item in (each for each in items if war.panels[at].kind in each.on):
            if allows(built, rules, war, Build(faction=faction, item=item.id, at=at), fed):
                yield at, item


def is_garrison(rules: Rules, item: str) -> bool:
    """Return whether an item makes up a garrison, and is ordered as that."""
    found = rules.terms.book.listed(Item).get(item)
    return found is not None and found.gives == "garrison"


def sales(rules: Rules, war: War, faction: str) -> Iterator[tuple[Hex, str]]:
    """Yield each panel of a faction with the models that it can buy there now."""
    if faction not in war.factions:
        return
    fed, gold = supply(rules, war, faction), war.factions[faction].gold
    models = [item for item in rules.scenario.units.values() if item.cost is not None and item.cost <= gold]
    for at in sorted(fed):
        kind = rules.kind(war.panels[at])
        for model in models if kind.ships or kind.suits or kind.suits_with else ():
            if allows(bought, rules, war, Buy(faction=faction, model=model.id, at=at), fed):
                yield at, priced(model.id, model.cost)


def research(rules: Rules, war: War, who: str) -> Iterator[str]:
    """Yield what a faction can research now, with its price."""
    if who not in war.factions:
        return
    for item in rules.scenario.items.values():
        if not item.on and allows(researched, rules, war, Research(faction=who, model=item.id)):
            yield priced(item.id, item.cost)
