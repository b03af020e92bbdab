"""Gold: income, victories, and what factions can build, buy and research (lines 47 to 57, 266 to 273)."""

from collections.abc import Collection, Iterable, Iterator
from itertools import count
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from rules.books.total_war import catalog
from rules.books.total_war.catalog import Refused, Terms
from rules.books.total_war.scenario import Faction, UnitModel, WarItem
from rules.books.total_war.war import Force, HeldPanel, Rules, War, Works, supply
from rules.geometry import Hex
from rules.phrases import upper_first
from rules.subjects import unfit

Gold = Annotated[int, Meta(ge=0)]


class PaidPanel(Struct, frozen=True, forbid_unknown_fields=True):
    """What decides a panel's income; `mining` gold counts only with a station."""

    bonus: Gold = 0
    mining: Gold = 0
    station: bool = False
    supplied: bool = True


class Purchase(Struct, frozen=True):
    """An order for gold; `model` has to be `researched`, and suits need the `advanced` facility or a capitol."""

    item: str
    panel: str | None = None
    facility: str | None = None
    own: bool = True
    supplied: bool = True
    price: int = 0
    quantity: int = 1
    model: str | None = None
    researched: tuple[str, ...] = ()
    listed: catalog.Item | None = None
    advanced: str | None = None
    place: str = "that panel"
    whose: str = "not your faction's"


class NoFunds(Refused):
    """Something costs more than the bank has; `enough` says how many it pays for."""

    def __init__(self, price: int, bank: int, enough: int | None = None) -> None:
        self.price, self.bank = price, bank
        more = "" if enough is None else f", enough for {enough}"
        super().__init__("E_NO_FUNDS", f"That costs {price} gold, and the bank has {bank}{more}.", bank=bank)


def income(terms: Terms, panels: Iterable[PaidPanel]) -> int:
    """Return the gold of panels per turn; cut off panels pay nothing (lines 49 to 53, 82)."""
    each = terms.number("panel-gold")
    return sum(each + item.bonus + item.mining * item.station for item in panels if item.supplied)


def victory_gold(terms: Terms, turns: int) -> int:
    """Return the gold of a victory: its highest bonus, or the sum by the switch (AMB-62)."""
    earned = [item.gold for item in terms.book.entries_of(catalog.GoldBonus).values() if turns < item.under]
    return sum(earned) if terms.setting("gold-bonus", str) == "sum" else max(earned, default=0)


def battle_gold(terms: Terms, result: str, turns: int | None, *, lone_rogue: bool = False) -> int | None:
    """Return the gold for a battle's result; None if a victory's turns are unknown."""
    if lone_rogue or not terms.of(catalog.Resupply, result).pays:
        return 0
    return None if turns is None else victory_gold(terms, turns)


def spend(bank: int, price: int) -> int:
    """Return what is left of a bank after a price; refuse if it's too little."""
    if price > bank:
        raise NoFunds(price, bank)
    return bank - price


def buy(terms: Terms, asked: Purchase, bank: int) -> tuple[int, int]:
    """Return (gold left, units for the pool) after a purchase, or refuse it."""
    if asked.quantity < 1:
        raise Refused("E_NO_TARGET", f"{asked.quantity} {asked.model or asked.item} is too few: order at least 1.")
    if asked.item != catalog.RESEARCH:
        _require_site(terms, asked)
    elif asked.model is not None and asked.model in asked.researched:
        raise Refused("E_ALREADY_BUILT", f"{asked.model} is already researched.")
    if asked.item != catalog.RESEARCH and asked.model is not None and asked.model not in asked.researched:
        raise Refused("E_NOT_RESEARCHED", f"{asked.model} isn't researched yet.")
    if asked.quantity > 1 and asked.price * asked.quantity > bank:
        raise NoFunds(asked.price * asked.quantity, bank, bank // asked.price)
    left = spend(bank, asked.price * asked.quantity)
    return left, asked.quantity if asked.item in {catalog.SUIT, catalog.SHIP} else 0


def _require_site(terms: Terms, asked: Purchase) -> None:
    if not asked.own:
        raise Refused("E_NOT_OWNER", f"{upper_first(asked.place)} is {asked.whose}.")
    if not asked.supplied:
        raise Refused("E_CUT_OFF", f"{upper_first(asked.place)} is cut off from the capitol.")
    kind = terms.book.entries_of(catalog.PanelKind).get(asked.panel or "")
    if asked.item == catalog.SHIP:
        if kind is None or not kind.ships:
            raise _wrong("Warships", [item for item in _panels(terms) if item.ships], kind, asked)
    elif asked.item == catalog.SUIT:
        _require_suits(terms, kind, asked)
    else:
        _require_item(terms, asked.listed or terms.of(catalog.Item, asked.item), kind, asked)


def _require_suits(terms: Terms, kind: catalog.PanelKind | None, asked: Purchase) -> None:
    if kind is None or not (kind.suits or kind.suits_with):
        makers = [item for item in _panels(terms) if item.suits or item.suits_with]
        raise _wrong("Mobile suits", makers, kind, asked)
    if kind.suits:
        return
    if asked.facility not in kind.suits_with:
        needed = terms.of(catalog.Item, kind.suits_with[0]).label
        raise Refused("E_NEEDS_FACILITY", f"Mobile suits: {asked.place} needs the {needed} first.")
    if asked.advanced not in {None, asked.facility}:
        needed = terms.of(catalog.Item, str(asked.advanced)).label
        raise Refused("E_NEEDS_FACILITY", f"Suits of that model: {asked.place} needs the {needed} first.")


def _require_item(terms: Terms, item: catalog.Item, kind: catalog.PanelKind | None, asked: Purchase) -> None:
    if kind is None or kind.id not in item.on:
        raise _wrong(item.label, [terms.of(catalog.PanelKind, name) for name in item.on], kind, asked)
    built = terms.book.entries_of(catalog.Item).get(asked.facility or "")
    if asked.facility == item.id or (built is not None and built.upgrades == item.id):
        has = f"{upper_first(asked.place)} already has the {item.label if built is None else built.label}"
        raise Refused("E_ALREADY_BUILT", f"{has}. A panel can have only one {item.label}.")
    if asked.quantity > 1 and item.gives != "garrison":  # only garrisons grow in number (line 57)
        raise Refused("E_ALREADY_BUILT", f"A panel can have only one {item.label}, not {asked.quantity}.")
    if item.upgrades is not None and asked.facility != item.upgrades:
        needed = terms.of(catalog.Item, item.upgrades).label
        raise Refused("E_NEEDS_FACILITY", f"{item.label}: {asked.place} needs the {needed} first.")


def _panels(terms: Terms) -> Collection[catalog.PanelKind]:
    return terms.book.entries_of(catalog.PanelKind).values()


def _wrong(what: str, kinds: Iterable[catalog.PanelKind], here: catalog.PanelKind | None, asked: Purchase) -> Refused:
    not_ = f"{asked.place} ({here.label})" if here else asked.place
    return Refused("E_WRONG_PANEL", f"{what}: only on {' or '.join(kind.label for kind in kinds)}, not on {not_}.")


def faction_income(rules: Rules, war: War, faction: str) -> int:
    """Return a faction's gold per turn."""
    fed = (war.panels[at] for at in supply(rules, war, faction))
    return sum(panel_income(rules, panel) for panel in fed)


def panel_income(rules: Rules, panel: HeldPanel) -> int:
    """Return a panel's gold per turn, supplied or not."""
    item = rules.scenario.items.get(panel.facility or "")
    paid = PaidPanel(panel.bonus, 0 if item is None else item.income, station=item is not None)
    return income(rules.terms, [paid])


def pay(terms: Terms, war: War, faction: str, asked: Purchase) -> War:
    """Return the war after a faction pays for a purchase, or refuse it."""
    return war.with_side(faction, gold=buy(terms, asked, war.factions[faction].gold)[0])


_MOST_BUILT = 999


def makeable_models(rules: Rules, war: War, faction: str) -> Iterator[str]:
    """Yield the models that a faction can ever make."""
    start = _find_start(rules, war, faction)
    for model in rules.scenario.units.values() if faction in war.factions else ():
        if _is_open_to(war, faction, model) and (start is None or model.unit_class in start.classes):
            yield model.id


def useful_research(rules: Rules, war: War, faction: str, models: Iterable[str]) -> Iterator[str]:
    """Yield the models whose research lets the faction make or build something."""
    makeable = {*makeable_models(rules, war, faction)}
    for model in models:
        users = {name for name, unit in rules.scenario.units.items() if unit.needs == model}
        built = any(item.needs == model for item in rules.scenario.items.values())
        if built or not users or not users.isdisjoint(makeable):
            yield model


def find_model(rules: Rules, war: War, faction: str, model: str) -> UnitModel:
    """Return a model that a faction can make now."""
    found = rules.scenario.units.get(model)
    if found is None or not _is_open_to(war, faction, found):
        whose = "" if found is None else f": it belongs to {war.name_side(found.faction or faction)}"
        words = f"{war.factions[faction].name} can't make {model}{whose}. {describe_makeable(rules, war, faction)}"
        raise Refused("E_NO_TARGET", words)
    start = _find_start(rules, war, faction)
    if start is not None and found.unit_class not in start.classes:
        label = rules.terms.of(catalog.UnitClass, found.unit_class).label.lower()
        words = f"{start.name} can't make {model} ({label}). {describe_makeable(rules, war, faction)}"
        raise Refused("E_CLASS_FACTION", words)
    require_model(war, faction, None if rules.is_upgrade(found.needs) else found.needs)
    return found


def require_model(war: War, faction: str, model: str | None) -> None:
    """Refuse what needs a model that the faction hasn't researched."""
    if model is not None and model not in war.factions[faction].models:
        raise Refused("E_NOT_RESEARCHED", f"{model} isn't researched yet.")


def find_price(found: WarItem | UnitModel) -> int:
    """Return the price, or refuse if none is set."""
    if found.cost is None:
        raise Refused("E_NO_FUNDS", f"{found.id} has no price yet. A game master has to set one.")
    return found.cost


def find_item(rules: Rules, found: WarItem) -> catalog.Item:
    """Return the printed item with the scenario's kinds of panels; unprinted ones are facilities."""
    printed = rules.terms.book.entries_of(catalog.Item).get(found.id)
    return replace(printed, on=found.on) if printed else catalog.Item(id=found.id, label=found.id, line=0, on=found.on)


def is_held(rules: Rules, war: War, at: Hex) -> bool:
    """Check whether a force keeps others off a panel by the switch `stacking` (AMB-06)."""
    return rules.terms.setting("stacking", int) > 0 and any(war.on(at))


def finish_works(rules: Rules, war: War, works: Works) -> War:
    """Return the war after works are done: a model, force, guards or facility for the faction."""
    side, at = war.factions[works.faction], works.at
    if at is None:
        return war.with_side(works.faction, models=side.models | {works.item})
    printed = rules.terms.book.entries_of(catalog.Item).get(works.item)
    gives = "facility" if printed is None else printed.gives
    if gives == "force":  # numbered per faction, which reveals nothing about others
        label = printed.label if printed else works.item
        owner = works.faction if unfit(f"{side.name} {label} {_MOST_BUILT}") else side.name
        names = (f"{owner} {label} {number}" for number in count(1))
        name = next(name for name in names if war.find_namesake(name) is None)
        return war.with_forces(Force(name, works.item, works.faction, at, side.leader))
    if gives == "garrison":
        war, more = war.new_units([works.model or side.grunt] * works.number)
        return war.with_panel(at, garrison=(*war.panels[at].garrison, *more))
    return war.with_panel(at, facility=works.item)


def describe_makeable(rules: Rules, war: War, faction: str) -> str:
    """List what a faction can make, in a sentence."""
    names = ", ".join(makeable_models(rules, war, faction))
    return f"It can make: {names}." if names else "It can't make any units."


def _is_open_to(war: War, faction: str, model: UnitModel) -> bool:
    return model.faction in {None, faction, war.factions[faction].origin or faction}


def _find_start(rules: Rules, war: War, faction: str) -> Faction | None:
    return rules.scenario.factions.get(war.factions[faction].origin or faction)
