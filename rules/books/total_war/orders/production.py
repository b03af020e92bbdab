"""Orders for gold: to build, garrison, buy and research, and what of it is possible now (lines 47 to 57)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from rules.books.total_war.catalog import RESEARCH as RESEARCHED
from rules.books.total_war.catalog import Item, PanelKind
from rules.books.total_war.economy import (
    Purchase,
    find_model,
    find_price,
    finish_works,
    is_held,
    listed_item,
    makeable_models,
    pay,
    purchase_kind,
    require_model,
    require_use,
    useful_research,
)
from rules.books.total_war.order_kinds import BUILD, BUY, GARRISON, RESEARCH, strip_hint
from rules.books.total_war.order_text import (
    NUMBER,
    OrderText,
    WarOrder,
    is_said,
    leader_of,
    parse_count,
    read_counted_name,
    read_name,
)
from rules.books.total_war.ranks import require_faction, require_leader
from rules.books.total_war.scenario import WarItem
from rules.books.total_war.terms import Refused, refuse_off_map
from rules.books.total_war.war import Rules, War, WarAction, Works, require_no_battle, supply
from rules.geometry import Hex
from rules.phrases import inside, possessive

DOES = "can build, buy and research"
"""What a supreme commander does here (line 47)."""


class Build(WarAction, frozen=True):
    """A faction builds an item on a panel; of what garrisons it, so many, of a model or of its basic unit (None)."""

    faction: str
    item: str
    at: Hex
    number: int = 1
    model: str | None = None

    def apply(self, rules: Rules, war: War, fed: Collection[Hex] | None = None) -> War:
        """Return the war with the item: there at once, or after its turns; `fed` are the faction's supplied panels, if known."""
        require_faction(war, self.faction)
        require_leader(war, self.actor, self.faction, DOES)
        found = rules.scenario.items.get(self.item)
        if found is None or not found.on:
            raise Refused("E_NO_TARGET", f"{self.item} isn't something to build.")
        require_model(war, self.faction, found.needs)
        require_no_battle(war, self.at)
        _require_room(rules, war, found, self.at)
        price = find_price(found) + self._extra(rules, war, found)
        order = replace(_purchase(rules, war, self, self.item, fed), price=price, listed=listed_item(rules, found))
        war = pay(rules.terms, war, self.faction, replace(order, quantity=self.number))
        return _begin(rules, war, found, Works(self.item, self.faction, self.at, war.turn, self.number, self.model))

    def _extra(self, rules: Rules, war: War, found: WarItem) -> int:
        """Return what one unit of the model costs besides: nothing for the basic unit, its own price for another one (line 57)."""
        if self.model in {None, war.factions[self.faction].grunt}:
            return 0
        item = listed_item(rules, found)
        if not item.choice:
            raise Refused("E_WRONG_PANEL", f"{item.label}: only basic units here. Other models are for the capitol.")
        return find_price(find_model(rules, war, self.faction, str(self.model)))


class Buy(WarAction, frozen=True):
    """A faction buys units of a model, made on a panel."""

    faction: str
    model: str
    at: Hex
    number: int = 1

    def apply(self, rules: Rules, war: War, fed: Collection[Hex] | None = None) -> War:
        """Return the war with the units in the faction's pool (lines 47, 55, 57); `fed` are its supplied panels, if known."""
        faction, model, number = self.faction, self.model, self.number
        require_faction(war, faction)
        require_leader(war, self.actor, faction, DOES)
        found = find_model(rules, war, faction, model)
        order = _purchase(rules, war, self, purchase_kind(rules, found), fed)
        advanced = found.needs if rules.is_upgrade(found.needs) else None
        order = replace(order, price=find_price(found), quantity=number, advanced=advanced)
        war = pay(rules.terms, war, faction, order)
        pool = war.factions[faction].pool
        return war.with_side(faction, pool={**pool, model: pool.get(model, 0) + number})


class Research(WarAction, frozen=True):
    """A faction researches a model."""

    faction: str
    model: str

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with a model that the faction knows, at once or after its turns (lines 47, 101)."""
        faction, model = self.faction, self.model
        require_faction(war, faction)
        require_leader(war, self.actor, faction, DOES)
        found = rules.scenario.items.get(model)
        if found is None or found.on:
            raise Refused("E_NO_TARGET", f"{model} isn't something to research.")
        require_model(war, faction, found.needs)
        require_use(rules, war, faction, model)
        if any(works.item == model and works.faction == faction for works in war.works):
            raise Refused("E_ALREADY_BUILT", f"{model} is already being researched.")
        known = tuple(war.factions[faction].models)
        war = pay(
            rules.terms, war, faction, Purchase(RESEARCHED, price=find_price(found), model=model, researched=known)
        )
        return _begin(rules, war, found, Works(model, faction, None, war.turn))


def _begin(rules: Rules, war: War, found: WarItem, works: Works) -> War:
    """Return the war with what is paid for: finished at once, or begun."""
    if not found.turns:
        return finish_works(rules, war, works)
    return replace(war, works=(*war.works, replace(works, done=war.turn + found.turns)))


def _require_room(rules: Rules, war: War, found: WarItem, at: Hex) -> None:
    """Refuse what is being built there, a force where another one stands, or a facility in the place of another (AMB-06, 28)."""
    item = listed_item(rules, found)
    if any(works.at == at and works.item == found.id for works in war.works):
        raise Refused("E_ALREADY_BUILT", f"{item.label} is already being built on {at}.")
    if item.gives == "force" and is_held(rules, war, at):
        raise Refused("E_OCCUPIED", f"A force is on {at}, so the {inside(item.label)} has no room.")
    stands = war.panels[at].facility if at in war.panels else None
    if item.gives == "facility" and stands not in {None, found.id, item.upgrades}:
        printed = rules.terms.book.listed(Item).get(str(stands))
        called = printed.label if printed else stands
        raise Refused("E_ALREADY_BUILT", f"{called} is on {at}: a panel has room for one facility.")


def _purchase(rules: Rules, war: War, asked: Build | Buy, item: str, fed: Collection[Hex] | None) -> Purchase:
    panel = war.panels.get(asked.at)
    if panel is None:
        raise refuse_off_map(war.panels, asked.at)
    return Purchase(
        item,
        panel.kind,
        panel.facility,
        own=panel.owner == asked.faction,
        supplied=asked.at in (supply(rules, war, asked.faction) if fed is None else fed),
        place=str(asked.at),
        whose=f"{war.owned(panel.owner)}, not {possessive(war.called(asked.faction))}",
    )


def _read_build(rules: Rules, war: War, text: OrderText) -> Build:
    items, at = [item for item in rules.scenario.items.values() if item.on], text.panel(war)
    fit = [item.id for item in items if war.panels[at].kind in item.on and not rules.is_garrison(item.id)]
    item = read_name([item.id for item in items], text.besides, "an item", _labels(rules), fit or None)
    return Build(actor=text.actor, faction=text.faction(war), item=item, at=at)


def _read_garrison(rules: Rules, war: War, text: OrderText) -> Build:
    """Read what is added to a garrison: the item may be left out, since each kind of panel has one, or a model be named for it; as may the number."""
    at, faction = text.panel(war), text.faction(war)
    items = [item for item in rules.scenario.items.values() if rules.is_garrison(item.id)]
    fit = next((item.id for item in items if war.panels[at].kind in item.on), None)
    given = strip_hint(text.besides or "")
    digits = NUMBER.fullmatch(given)
    if digits is not None or not given:
        if fit is None:
            kinds, here = sorted({kind for item in items for kind in item.on}), inside(rules.kind(war.panels[at]).label)
            called = " or ".join(inside(rules.terms.of(PanelKind, kind).label) for kind in kinds)
            raise Refused("E_WRONG_PANEL", f"{at} ({here}) can't have a garrison, only a {called} can.")
        number = parse_count(digits[1], _labels(rules).get(fit, fit)) if digits else 1
        return Build(actor=text.actor, faction=faction, item=fit, at=at, number=number)
    models = rules.scenario.units if fit is not None else ()
    offered = None if fit is None else [fit, *makeable_models(rules, war, faction)]
    known = [*(item.id for item in items), *models]
    named, number = read_counted_name(known, given, "an item or a model", _labels(rules), offered)
    model = named if named in models else None
    item = named if model is None or fit is None else fit
    return Build(actor=text.actor, faction=faction, item=item, at=at, number=number, model=model)


def _read_buy(rules: Rules, war: War, text: OrderText) -> Buy:
    at, faction = text.panel(war), text.faction(war)
    offered = [*makeable_models(rules, war, faction)]
    model, number = read_counted_name([*rules.scenario.units], text.besides, "a model", offered=offered)
    return Buy(actor=text.actor, faction=faction, model=model, at=at, number=number)


def _read_research(rules: Rules, war: War, text: OrderText) -> Research:
    faction = text.faction(war)
    models = [item.id for item in rules.scenario.items.values() if not item.on]
    given = text.besides if is_said(text.besides) else text.to
    model = read_name(models, given, "a model to research", offered=[*useful_research(rules, war, faction, models)])
    return Research(actor=text.actor, faction=faction, model=model)


def _labels(rules: Rules) -> dict[str, str]:
    return {name: item.label for name, item in rules.terms.book.listed(Item).items()}


def _with_price(name: str, cost: int | None) -> str:
    return f"{name} ({cost} gold)"


def _building_sites(rules: Rules, war: War, faction: str, *, garrison: bool) -> Iterator[tuple[Hex, WarItem]]:
    """Yield each panel of a faction with what can be built there now: what makes up a garrison, or all else."""
    if faction not in war.factions:
        return
    fed, gold = supply(rules, war, faction), war.factions[faction].gold
    items = [item for item in rules.scenario.items.values() if item.cost is not None and item.cost <= gold]
    items = [item for item in items if rules.is_garrison(item.id) == garrison]
    for at in sorted(fed):
        for item in (each for each in items if war.panels[at].kind in each.on):
            if Build(faction=faction, item=item.id, at=at).is_possible(rules, war, fed):
                yield at, item


def sales(rules: Rules, war: War, faction: str) -> Iterator[tuple[Hex, str]]:
    """Yield each panel of a faction with the models that it can buy there now."""
    if faction not in war.factions:
        return
    fed, gold = supply(rules, war, faction), war.factions[faction].gold
    models = [item for item in rules.scenario.units.values() if item.cost is not None and item.cost <= gold]
    for at in sorted(fed):
        kind = rules.kind(war.panels[at])
        for model in models if kind.ships or kind.suits or kind.suits_with else ():
            if Buy(faction=faction, model=model.id, at=at).is_possible(rules, war, fed):
                yield at, _with_price(model.id, model.cost)


def _panels(places: Iterator[tuple[Hex, object]]) -> Iterator[str]:
    """Yield panels at which something is possible, each once."""
    last = None
    for at, _ in places:
        if at != last:
            yield str(at)
        last = at


def _build_panels(rules: Rules, war: War, who: str) -> Iterator[str]:
    return _panels(_building_sites(rules, war, who, garrison=False))


def _build_items(rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    found = _building_sites(rules, war, who, garrison=False)
    yield from (_with_price(listed_item(rules, item).label, item.cost) for at, item in found if str(at) == to)


def _garrison_panels(rules: Rules, war: War, who: str) -> Iterator[str]:
    return _panels(_building_sites(rules, war, who, garrison=True))


def _garrison_items(rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    """Yield what can be added to the garrison of a panel now: what makes it up, of the basic unit, and the models that it may be chosen from."""
    for at, item in _building_sites(rules, war, who, garrison=True):
        if str(at) != to:
            continue
        yield _with_price(listed_item(rules, item).label, item.cost)
        models = rules.scenario.units.values() if listed_item(rules, item).choice else ()
        for model in (each for each in models if each.id != war.factions[who].grunt):
            build = Build(faction=who, item=item.id, at=at, model=model.id)
            if model.cost is not None and build.is_possible(rules, war):
                yield _with_price(model.id, (item.cost or 0) + model.cost)


def _buy_panels(rules: Rules, war: War, who: str) -> Iterator[str]:
    return _panels(sales(rules, war, who))


def _buy_models(rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    yield from (model for at, model in sales(rules, war, who) if str(at) == to)


def _research_models(rules: Rules, war: War, who: str) -> Iterator[str]:
    for item in rules.scenario.items.values() if who in war.factions else ():
        if not item.on and Research(faction=who, model=item.id).is_possible(rules, war):
            yield _with_price(item.id, item.cost)


ORDERS = (
    WarOrder(
        BUILD,
        "Build",
        "faction",
        "{faction} builds {with} on {to}",
        _read_build,
        leader_of,
        _build_panels,
        _build_items,
    ),
    WarOrder(BUY, "Buy", "faction", "{faction} buys {with} on {to}", _read_buy, leader_of, _buy_panels, _buy_models),
    WarOrder(
        GARRISON,
        "Garrison",
        "faction",
        "{faction} strengthens the garrison of {to}: {with}",
        _read_garrison,
        leader_of,
        _garrison_panels,
        _garrison_items,
    ),
    WarOrder(RESEARCH, "Research", "faction", "{faction} researches {to}", _read_research, leader_of, _research_models),
)
