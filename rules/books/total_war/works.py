"""What factions build, buy and research in a war, and what of it is possible now (lines 47 to 57)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import count

from msgspec.structs import replace

from rules.books.total_war import economy
from rules.books.total_war.catalog import Item, UnitClass
from rules.books.total_war.deeds import AnyDeed, Build, Buy, Research
from rules.books.total_war.economy import RESEARCH, SHIP, SUIT, Purchase
from rules.books.total_war.joining import require_faction, require_leader, role_of
from rules.books.total_war.makers import beginning, is_of, makes, useful
from rules.books.total_war.refusal import Refused, off_map
from rules.books.total_war.scenario import UnitModel, WarItem
from rules.books.total_war.war import Force, Rules, War, Works, require_no_battle, supply, taken_by
from rules.geometry.hexes import Hex
from rules.names import unfit
from rules.phrases import inside, possessive

DOES = "can build, buy and research"
"""What a supreme commander does here (line 47)."""
_MOST_BUILT = 999
"""Up to which number a name of a force that is built has room for it."""


def built(rules: Rules, war: War, asked: Build, fed: Collection[Hex] | None = None) -> War:
    """Return the war with an item that a faction builds on a panel: there at once, or after its turns.

    `fed` are the faction's panels that are supplied, where they are known.
    """
    faction, item, at = asked.faction, asked.item, asked.at
    require_faction(war, faction)
    require_leader(war, asked.actor, faction, DOES)
    found = rules.scenario.items.get(item)
    if found is None or not found.on:
        raise Refused("E_NO_TARGET", f"{item} isn't something to build.")
    _require_model(war, faction, found.needs)
    require_no_battle(war, at)
    _require_room(rules, war, found, at)
    price = _price(found) + _extra(rules, war, asked, found)
    order = replace(_purchase(rules, war, asked, item, fed), price=price, listed=_listed(rules, found))
    gold, _ = economy.bought(rules.terms, replace(order, quantity=asked.number), war.factions[faction].gold)
    war = war.with_side(faction, gold=gold)
    works = Works(item, faction, at, war.turn + found.turns, asked.number, asked.model)
    return replace(war, works=(*war.works, works)) if found.turns else finished(rules, war, works)


def _extra(rules: Rules, war: War, asked: Build, found: WarItem) -> int:
    """Return what one unit of the model that is asked for costs besides: nothing for the basic unit, its own price for another one (line 57)."""
    if asked.model in {None, war.factions[asked.faction].grunt}:
        return 0
    item = _listed(rules, found)
    if not item.choice:
        raise Refused("E_WRONG_PANEL", f"{item.label}: only basic units here. Other models are for the capitol.")
    return _price(_model(rules, war, asked.faction, str(asked.model)))


def _listed(rules: Rules, found: WarItem) -> Item:
    """Return what the page says of an item, on the panels that the scenario says; one of the scenario's own is a facility."""
    printed = rules.terms.book.listed(Item).get(found.id)
    return replace(printed, on=found.on) if printed else Item(id=found.id, label=found.id, line=0, on=found.on)


def _require_room(rules: Rules, war: War, found: WarItem, at: Hex) -> None:
    """Refuse what is being built there, a force where another one stands, or a facility in the place of another (AMB-06, 28)."""
    if any(works.at == at and works.item == found.id for works in war.works):
        raise Refused("E_ALREADY_BUILT", f"{_listed(rules, found).label} is already being built on {at}.")
    item = _listed(rules, found)
    if item.gives == "force" and is_held(rules, war, at):
        raise Refused("E_OCCUPIED", f"A force is on {at}, so the {inside(item.label)} has no room.")
    stands = war.panels[at].facility if at in war.panels else None
    if item.gives == "facility" and stands not in {None, found.id, item.upgrades}:
        printed = rules.terms.book.listed(Item).get(str(stands))
        called = printed.label if printed else stands
        raise Refused("E_ALREADY_BUILT", f"{called} is on {at}: a panel has room for one facility.")


def is_held(rules: Rules, war: War, at: Hex) -> bool:
    """Return whether a force stands where another one would (AMB-06)."""
    return rules.terms.setting("stacking", int) > 0 and any(war.on(at))


def bought(rules: Rules, war: War, asked: Buy, fed: Collection[Hex] | None = None) -> War:
    """Return the war with units of a model in a faction's pool, made on a panel (lines 47, 55, 57); `fed` as `built`.

    Raises:
        Refused: they cannot be made there, or have no price.

    """
    faction, model, number = asked.faction, asked.model, asked.number
    require_faction(war, faction)
    require_leader(war, asked.actor, faction, DOES)
    found = _model(rules, war, faction, model)
    order = _purchase(rules, war, asked, _made(rules, found), fed)
    advanced = found.needs if rules.is_upgrade(found.needs) else None
    order = replace(order, price=_price(found), quantity=number, advanced=advanced)
    side = war.factions[faction]
    gold, units = economy.bought(rules.terms, order, side.gold)
    return war.with_side(faction, gold=gold, pool={**side.pool, model: side.pool.get(model, 0) + units})


def researched(rules: Rules, war: War, asked: Research) -> War:
    """Return the war with a model that a faction knows (lines 47, 101)."""
    faction, model = asked.faction, asked.model
    require_faction(war, faction)
    require_leader(war, asked.actor, faction, DOES)
    found, side = rules.scenario.items.get(model), war.factions[faction]
    if found is None or found.on:
        raise Refused("E_NO_TARGET", f"{model} isn't something to research.")
    _require_model(war, faction, found.needs)
    _require_use(rules, war, faction, model)
    if any(works.item == model and works.faction == faction for works in war.works):
        raise Refused("E_ALREADY_BUILT", f"{model} is already being researched.")
    role = role_of(war, asked.actor, faction)
    order = Purchase(RESEARCH, role, price=_price(found), model=model, researched=tuple(side.models))
    gold, _ = economy.bought(rules.terms, order, side.gold)
    war, works = war.with_side(faction, gold=gold), Works(model, faction, None, war.turn + found.turns)
    return replace(war, works=(*war.works, works)) if found.turns else finished(rules, war, works)


def finished(rules: Rules, war: War, works: Works) -> War:
    """Return the war with what was built: a model known, a force of its own, more of a garrison, or a facility on the panel."""
    side = war.factions[works.faction]
    if works.at is None:
        return war.with_side(works.faction, models=side.models | {works.item})
    printed = rules.terms.book.listed(Item).get(works.item)
    gives = "facility" if printed is None else printed.gives
    if gives == "force":
        name = _force_name(war, works.faction, printed.label if printed else works.item)
        return war.with_forces(Force(name, works.item, works.faction, works.at, side.leader))
    if gives == "garrison":
        war, more = war.new_units([works.model or side.grunt] * works.number)
        return war.with_panel(works.at, garrison=(*war.panels[works.at].garrison, *more))
    return war.with_panel(works.at, facility=works.item)


def _force_name(war: War, faction: str, label: str) -> str:
    """Return what a force that a faction has built is called: by the faction's name, or its id where that is too long, and a number among its own, which tells nobody how many others have."""
    called = war.factions[faction].name
    owner = faction if unfit(f"{called} {label} {_MOST_BUILT}") else called
    names = (f"{owner} {label} {number}" for number in count(1))
    return next(name for name in names if taken_by(war, name) is None)


def _purchase(rules: Rules, war: War, asked: Build | Buy, item: str, fed: Collection[Hex] | None) -> Purchase:
    panel = war.panels.get(asked.at)
    if panel is None:
        raise off_map(war.panels, asked.at)
    return Purchase(
        item,
        role_of(war, asked.actor, asked.faction),
        panel.kind,
        panel.facility,
        own=panel.owner == asked.faction,
        supplied=asked.at in (supply(rules, war, asked.faction) if fed is None else fed),
        place=str(asked.at),
        whose=f"{war.owned(panel.owner)}, not {possessive(war.called(asked.faction))}",
    )


def _require_model(war: War, faction: str, model: str | None) -> None:
    if model is not None and model not in war.factions[faction].models:
        raise Refused("E_NOT_RESEARCHED", f"{model} isn't researched yet.")


def _model(rules: Rules, war: War, faction: str, model: str) -> UnitModel:
    """Return a model that a faction can make."""
    found = rules.scenario.units.get(model)
    if found is None or not is_of(war, faction, found):
        whose = "" if found is None else f": it belongs to {war.called(found.faction or faction)}"
        raise Refused(
            "E_NO_TARGET", f"{war.factions[faction].name} can't make {model}{whose}. {makes(rules, war, faction)}"
        )
    start = beginning(rules, war, faction)
    if start is not None and found.unit_class not in start.classes:
        label = rules.terms.of(UnitClass, found.unit_class).label.lower()
        words = f"{start.name} can't make {model} ({label}). {makes(rules, war, faction)}"
        raise Refused("E_CLASS_FACTION", words)
    _require_model(war, faction, None if rules.is_upgrade(found.needs) else found.needs)
    return found


def _require_use(rules: Rules, war: War, faction: str, model: str) -> None:
    """Refuse the research of what others alone can make or build (line 101)."""
    if not any(useful(rules, war, faction, [model])):
        raise Refused("E_NO_TARGET", f"{war.called(faction)} can't use {model}. {makes(rules, war, faction)}")


def _price(found: WarItem | UnitModel) -> int:
    if found.cost is None:
        raise Refused("E_NO_FUNDS", f"{found.id} has no price yet. A game master has to set one.")
    return found.cost


def _made(rules: Rules, model: UnitModel) -> str:
    return SHIP if rules.terms.of(UnitClass, model.unit_class).lanes else SUIT


def allows(function: Callable[..., War], rules: Rules, war: War, deed: AnyDeed, *known: object) -> bool:
    """Return whether an order is possible by the function that resolves it."""
    try:
        function(rules, war, deed, *known)
    except Refused:
        return False
    return True


def label(rules: Rules, item: WarItem) -> str:
    """Return what an item is called, as it is chosen and told."""
    return _listed(rules, item).label


def priced(name: str, cost: int | None) -> str:
    """Return something for sale with its price, as it is chosen."""
    return f"{name} ({cost} gold)"


def sites(rules: Rules, war: War, faction: str, *, garrison: bool) -> Iterator[tuple[Hex, WarItem]]:
    """Yield each panel of a faction with what can be built there now: what makes up a garrison, or all else."""
    if faction not in war.factions:
        return
    fed, gold = supply(rules, war, faction), war.factions[faction].gold
    items = [item for item in rules.scenario.items.values() if item.cost is not None and item.cost <= gold]
    items = [item for item in items if rules.is_garrison(item.id) == garrison]
    for at in sorted(fed):
        for item in (each for each in items if war.panels[at].kind in each.on):
            if allows(built, rules, war, Build(faction=faction, item=item.id, at=at), fed):
                yield at, item


def garrisons(rules: Rules, war: War, faction: str, to: str) -> Iterator[str]:
    """Yield what can be added to the garrison of a panel now: what makes it up, of the basic unit, and the models that it may be chosen from."""
    for at, item in sites(rules, war, faction, garrison=True):
        if str(at) != to:
            continue
        yield priced(label(rules, item), item.cost)
        models = rules.scenario.units.values() if _listed(rules, item).choice else ()
        for model in (each for each in models if each.id != war.factions[faction].grunt):
            deed = Build(faction=faction, item=item.id, at=at, model=model.id)
            if model.cost is not None and allows(built, rules, war, deed):
                yield priced(model.id, (item.cost or 0) + model.cost)


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
