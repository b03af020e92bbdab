"""Orders to build, garrison, buy and research (lines 47 to 57)."""

from collections.abc import Callable, Collection, Iterator
from functools import partial

from msgspec.structs import replace

from rules.books.total_war import economy, order_kinds
from rules.books.total_war.catalog import RESEARCH, SHIP, SUIT, Item, PanelKind, Refused, UnitClass, refuse_off_map
from rules.books.total_war.order_kinds import OrderText, WarOrder
from rules.books.total_war.scenario import WarItem
from rules.books.total_war.war import Rules, War, WarAction, Works, supply
from rules.geometry import Hex
from rules.phrases import lower_first, possessive

_DOES = "can build, buy and research"


class Build(WarAction, frozen=True):
    """A faction builds an item; for garrisons a number, and a model other than the basic unit."""

    faction: str
    item: str
    at: Hex
    number: int = 1
    model: str | None = None

    def apply(self, rules: Rules, war: War, fed: Collection[Hex] | None = None) -> War:
        """Build at once, or begin works; `fed` are the supplied panels, if known."""
        order_kinds.require_faction(war, self.faction)
        order_kinds.require_leader(war, self.actor, self.faction, _DOES)
        found = rules.scenario.items.get(self.item)
        if found is None or not found.on:
            raise Refused("E_NO_TARGET", f"{self.item} isn't something to build.")
        economy.require_model(war, self.faction, found.needs)
        war.require_no_battle(self.at)
        _require_room(rules, war, found, self.at)
        price = economy.find_price(found) + self._extra(rules, war, found)
        order = _purchase(rules, war, self, self.item, fed)
        order = replace(order, price=price, listed=economy.find_item(rules, found), quantity=self.number)
        war = economy.pay(rules.terms, war, self.faction, order)
        return _begin(rules, war, found, Works(self.item, self.faction, self.at, war.turn, self.number, self.model))

    def _extra(self, rules: Rules, war: War, found: WarItem) -> int:
        if self.model in {None, war.factions[self.faction].grunt}:
            return 0
        item = economy.find_item(rules, found)
        if not item.choice:
            raise Refused("E_WRONG_PANEL", f"{item.label}: only basic units here. Other models are for the capitol.")
        return economy.find_price(economy.find_model(rules, war, self.faction, str(self.model)))


class Buy(WarAction, frozen=True):
    """A faction buys units on a panel."""

    faction: str
    model: str
    at: Hex
    number: int = 1

    def apply(self, rules: Rules, war: War, fed: Collection[Hex] | None = None) -> War:
        """Add units to the pool (lines 47, 55, 57); `fed` are the supplied panels, if known."""
        faction, model, number = self.faction, self.model, self.number
        order_kinds.require_faction(war, faction)
        order_kinds.require_leader(war, self.actor, faction, _DOES)
        found = economy.find_model(rules, war, faction, model)
        kind = SHIP if rules.terms.of(UnitClass, found.unit_class).lanes else SUIT
        order = _purchase(rules, war, self, kind, fed)
        advanced = found.needs if rules.is_upgrade(found.needs) else None
        order = replace(order, price=economy.find_price(found), quantity=number, advanced=advanced)
        war = economy.pay(rules.terms, war, faction, order)
        pool = war.factions[faction].pool
        return war.with_side(faction, pool={**pool, model: pool.get(model, 0) + number})


class Research(WarAction, frozen=True):
    """A faction researches a model."""

    faction: str
    model: str

    def apply(self, rules: Rules, war: War) -> War:
        """Learn the model at once, or begin works (lines 47, 101)."""
        faction, model = self.faction, self.model
        order_kinds.require_faction(war, faction)
        order_kinds.require_leader(war, self.actor, faction, _DOES)
        found = rules.scenario.items.get(model)
        if found is None or found.on:
            raise Refused("E_NO_TARGET", f"{model} isn't something to research.")
        economy.require_model(war, faction, found.needs)
        if not any(economy.useful_research(rules, war, faction, [model])):  # line 101
            makes = economy.describe_makeable(rules, war, faction)
            raise Refused("E_NO_TARGET", f"{war.name_side(faction)} can't use {model}. {makes}")
        if any(works.item == model and works.faction == faction for works in war.works):
            raise Refused("E_ALREADY_BUILT", f"{model} is already being researched.")
        known = tuple(war.factions[faction].models)
        price = economy.find_price(found)
        asked = economy.Purchase(RESEARCH, price=price, model=model, researched=known)
        war = economy.pay(rules.terms, war, faction, asked)
        return _begin(rules, war, found, Works(model, faction, None, war.turn))


def _begin(rules: Rules, war: War, found: WarItem, works: Works) -> War:
    if not found.turns:
        return economy.finish_works(rules, war, works)
    return replace(war, works=(*war.works, replace(works, done=war.turn + found.turns)))


def _require_room(rules: Rules, war: War, found: WarItem, at: Hex) -> None:
    item = economy.find_item(rules, found)
    if any(works.at == at and works.item == found.id for works in war.works):
        raise Refused("E_ALREADY_BUILT", f"{item.label} is already being built on {at}.")
    if item.gives == "force" and economy.is_held(rules, war, at):
        raise Refused("E_OCCUPIED", f"A force is on {at}, so the {lower_first(item.label)} has no room.")
    stands = war.panels[at].facility if at in war.panels else None
    if item.gives == "facility" and stands not in {None, found.id, item.upgrades}:
        printed = rules.terms.book.entries_of(Item).get(str(stands))
        called = printed.label if printed else stands
        raise Refused("E_ALREADY_BUILT", f"{called} is on {at}: a panel has room for one facility.")


def _purchase(rules: Rules, war: War, asked: Build | Buy, item: str, fed: Collection[Hex] | None) -> economy.Purchase:
    panel = war.panels.get(asked.at)
    if panel is None:
        raise refuse_off_map(war.panels, asked.at)
    return economy.Purchase(
        item,
        panel.kind,
        panel.facility,
        own=panel.owner == asked.faction,
        supplied=asked.at in (supply(rules, war, asked.faction) if fed is None else fed),
        place=str(asked.at),
        whose=f"{war.describe_owner(panel.owner)}, not {possessive(war.name_side(asked.faction))}",
    )


def _read_build(rules: Rules, war: War, text: OrderText) -> Build:
    items, at = [item for item in rules.scenario.items.values() if item.on], text.panel(war)
    fit = [item.id for item in items if war.panels[at].kind in item.on and not rules.is_garrison(item.id)]
    item = order_kinds.read_name([item.id for item in items], text.besides, "an item", _labels(rules), fit or None)
    return Build(actor=text.actor, faction=text.faction(war), item=item, at=at)


def _read_garrison(rules: Rules, war: War, text: OrderText) -> Build:
    at, faction = text.panel(war), text.faction(war)
    items = [item for item in rules.scenario.items.values() if rules.is_garrison(item.id)]
    fit = next((item.id for item in items if war.panels[at].kind in item.on), None)
    typed = order_kinds.strip_hint(text.besides or "")
    digits = order_kinds.NUMBER.fullmatch(typed)
    if digits is not None or not typed:
        if fit is None:
            here = lower_first(rules.kind(war.panels[at]).label)
            kinds = sorted({kind for item in items for kind in item.on})
            called = " or ".join(lower_first(rules.terms.of(PanelKind, kind).label) for kind in kinds)
            raise Refused("E_WRONG_PANEL", f"{at} ({here}) can't have a garrison, only a {called} can.")
        number = order_kinds.parse_count(digits[1], _labels(rules).get(fit, fit)) if digits else 1
        return Build(actor=text.actor, faction=faction, item=fit, at=at, number=number)
    models = rules.scenario.units if fit is not None else ()
    offered = None if fit is None else [fit, *economy.makeable_models(rules, war, faction)]
    known = [*(item.id for item in items), *models]
    named, number = order_kinds.read_counted_name(known, typed, "an item or a model", _labels(rules), offered)
    model = named if named in models else None
    item = named if model is None or fit is None else fit
    return Build(actor=text.actor, faction=faction, item=item, at=at, number=number, model=model)


def _read_buy(rules: Rules, war: War, text: OrderText) -> Buy:
    at, faction = text.panel(war), text.faction(war)
    offered = [*economy.makeable_models(rules, war, faction)]
    model, number = order_kinds.read_counted_name([*rules.scenario.units], text.besides, "a model", offered=offered)
    return Buy(actor=text.actor, faction=faction, model=model, at=at, number=number)


def _read_research(rules: Rules, war: War, text: OrderText) -> Research:
    faction = text.faction(war)
    models = [item.id for item in rules.scenario.items.values() if not item.on]
    typed = text.besides if order_kinds.is_said(text.besides) else text.to
    useful = [*economy.useful_research(rules, war, faction, models)]
    model = order_kinds.read_name(models, typed, "a model to research", offered=useful)
    return Research(actor=text.actor, faction=faction, model=model)


def _labels(rules: Rules) -> dict[str, str]:
    return {name: item.label for name, item in rules.terms.book.entries_of(Item).items()}


def _with_price(name: str, cost: int | None) -> str:
    return f"{name} ({cost} gold)"


def _list_sites(rules: Rules, war: War, faction: str, *, garrison: bool) -> Iterator[tuple[Hex, WarItem]]:
    if faction not in war.factions:
        return
    fed, gold = supply(rules, war, faction), war.factions[faction].gold
    items = [item for item in rules.scenario.items.values() if item.cost is not None and item.cost <= gold]
    items = [item for item in items if rules.is_garrison(item.id) == garrison]
    for at in sorted(fed):
        for item in (each for each in items if war.panels[at].kind in each.on):
            if Build(faction=faction, item=item.id, at=at).is_possible(rules, war, fed):
                yield at, item


def list_sales(rules: Rules, war: War, faction: str) -> Iterator[tuple[Hex, str]]:
    """Yield each panel with each model that the faction can buy there now."""
    if faction not in war.factions:
        return
    fed, gold = supply(rules, war, faction), war.factions[faction].gold
    models = [item for item in rules.scenario.units.values() if item.cost is not None and item.cost <= gold]
    for at in sorted(fed):
        kind = rules.kind(war.panels[at])
        for model in models if kind.ships or kind.suits or kind.suits_with else ():
            if Buy(faction=faction, model=model.id, at=at).is_possible(rules, war, fed):
                yield at, _with_price(model.id, model.cost)


def _list_builds(rules: Rules, war: War, who: str) -> Iterator[tuple[Hex, str]]:
    for at, item in _list_sites(rules, war, who, garrison=False):
        yield at, _with_price(economy.find_item(rules, item).label, item.cost)


def _list_guards(rules: Rules, war: War, who: str) -> Iterator[tuple[Hex, str]]:
    fed = supply(rules, war, who) if who in war.factions else None
    for at, item in _list_sites(rules, war, who, garrison=True):
        yield at, _with_price(economy.find_item(rules, item).label, item.cost)
        models = rules.scenario.units.values() if economy.find_item(rules, item).choice else ()
        for model in (each for each in models if each.id != war.factions[who].grunt):
            build = Build(faction=who, item=item.id, at=at, model=model.id)
            if model.cost is not None and build.is_possible(rules, war, fed):
                yield at, _with_price(model.id, (item.cost or 0) + model.cost)


Offers = Callable[[Rules, War, str], Iterator[tuple[Hex, str]]]


def _list_panels(offers: Offers, rules: Rules, war: War, who: str) -> Iterator[str]:
    last = None
    for at, _ in offers(rules, war, who):
        if at != last:
            yield str(at)
        last = at


def _list_details(offers: Offers, rules: Rules, war: War, who: str, to: str) -> Iterator[str]:
    return (text for at, text in offers(rules, war, who) if str(at) == to)


def _make_order(kind: str, title: str, headline: str, read: order_kinds.Read, offers: Offers) -> WarOrder:
    targets, details = partial(_list_panels, offers), partial(_list_details, offers)
    return WarOrder(kind, title, "faction", headline, read, order_kinds.leader_of, targets, details, hinted=True)


def _research_models(rules: Rules, war: War, who: str) -> Iterator[str]:
    for item in rules.scenario.items.values() if who in war.factions else ():
        if not item.on and Research(faction=who, model=item.id).is_possible(rules, war):
            yield _with_price(item.id, item.cost)


ORDERS = (
    _make_order("build", "Build", "{faction} builds {with} on {to}", _read_build, _list_builds),
    _make_order("buy", "Buy", "{faction} buys {with} on {to}", _read_buy, list_sales),
    _make_order("garrison", "Garrison", "{faction} strengthens the garrison of {to}: {with}", _read_garrison, _list_guards),
    WarOrder("research", "Research", "faction", "{faction} researches {to}", _read_research, order_kinds.leader_of, _research_models, hinted=True),
)  # fmt: skip
