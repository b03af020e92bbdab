"""Gold and what it buys: what panels and battles pay (lines 47 to 57, 266 to 273), and what factions can build, buy and research."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import count
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from rules.books.total_war.catalog import RESEARCH, SHIP, SUIT, GoldBonus, Item, PanelKind, Resupply, UnitClass
from rules.books.total_war.scenario import Faction, UnitModel, WarItem
from rules.books.total_war.terms import Refused, Terms
from rules.books.total_war.war import Force, HeldPanel, Rules, War, Works, find_namesake, supply
from rules.geometry import Hex
from rules.phrases import starting
from rules.subjects import unfit

Gold = Annotated[int, Meta(ge=0)]


class PaidPanel(Struct, frozen=True, forbid_unknown_fields=True):
    """A panel as it pays: its bonus, what a mining station there adds, whether there is one, and whether it is supplied."""

    bonus: Gold = 0
    mining: Gold = 0
    station: bool = False
    supplied: bool = True


class Purchase(Struct, frozen=True):
    """What is ordered and where: the kind of panel, what stands there, whether it is one's own and supplied.

    `place` and `whose` say in a refusal which panel that is, and whose if not one's own. `model` is what has to be `researched` for it; `price` is for each of the `quantity`. `listed` is the item as a scenario has
    it, None for one of the page. `advanced` is the upgraded facility without which a suit is made on a capitol alone.
    """

    item: str
    panel: str | None = None
    facility: str | None = None
    own: bool = True
    supplied: bool = True
    price: int = 0
    quantity: int = 1
    model: str | None = None
    researched: tuple[str, ...] = ()
    listed: Item | None = None
    advanced: str | None = None
    place: str = "that panel"
    whose: str = "not your faction's"


class NoFunds(Refused):
    """Something costs more gold than there is in a bank, which is `enough` for so many: no overdraft."""

    def __init__(self, price: int, bank: int, enough: int | None = None) -> None:
        self.price, self.bank = price, bank
        more = "" if enough is None else f", enough for {enough}"
        super().__init__("E_NO_FUNDS", f"That costs {price} gold, and the bank has {bank}{more}.", bank=bank)


def income(terms: Terms, panels: Iterable[PaidPanel]) -> int:
    """Return the gold of panels in a turn: nothing of those that are cut off (lines 49 to 53, 82)."""
    each = terms.number("panel-gold")
    return sum(each + item.bonus + item.mining * item.station for item in panels if item.supplied)


def victory_gold(terms: Terms, turns: int) -> int:
    """Return what a victory in so many turns of a battle pays: its highest bonus, or all together by the switch (AMB-62)."""
    earned = [item.gold for item in terms.book.listed(GoldBonus).values() if turns < item.under]
    return sum(earned) if terms.setting("gold-bonus", str) == "sum" else max(earned, default=0)


def battle_gold(terms: Terms, result: str, turns: int | None, *, lone_rogue: bool = False) -> int | None:
    """Return what a battle pays a faction; None where nobody says how many turns a victory took."""
    if lone_rogue or not terms.of(Resupply, result).pays:
        return 0
    return None if turns is None else victory_gold(terms, turns)


def spend(bank: int, price: int) -> int:
    """Return what is left of a bank."""
    if price > bank:
        raise NoFunds(price, bank)
    return bank - price


def buy(terms: Terms, asked: Purchase, bank: int) -> tuple[int, int]:
    """Return the bank after a purchase, and how many units come into the pool."""
    if asked.quantity < 1:
        raise Refused("E_NO_TARGET", f"{asked.quantity} {asked.model or asked.item} is too few: order at least 1.")
    if asked.item != RESEARCH:
        _require_site(terms, asked)
    elif asked.model is not None and asked.model in asked.researched:
        raise Refused("E_ALREADY_BUILT", f"{asked.model} is already researched.")
    if asked.item != RESEARCH and asked.model is not None and asked.model not in asked.researched:
        raise Refused("E_NOT_RESEARCHED", f"{asked.model} isn't researched yet.")
    if asked.quantity > 1 and asked.price * asked.quantity > bank:
        raise NoFunds(asked.price * asked.quantity, bank, bank // asked.price)
    left = spend(bank, asked.price * asked.quantity)
    return left, asked.quantity if asked.item in {SUIT, SHIP} else 0


def _require_site(terms: Terms, asked: Purchase) -> None:
    """Refuse a panel on which it cannot be built (lines 53 to 57, 82)."""
    if not asked.own:
        raise Refused("E_NOT_OWNER", f"{starting(asked.place)} is {asked.whose}.")
    if not asked.supplied:
        raise Refused("E_CUT_OFF", f"{starting(asked.place)} is cut off from the capitol.")
    kind = terms.book.listed(PanelKind).get(asked.panel or "")
    if asked.item == SHIP:
        if kind is None or not kind.ships:
            raise _wrong("Warships", [item for item in _panels(terms) if item.ships], kind, asked)
    elif asked.item == SUIT:
        _require_suits(terms, kind, asked)
    else:
        _require_item(terms, asked.listed or terms.of(Item, asked.item), kind, asked)


def _require_suits(terms: Terms, kind: PanelKind | None, asked: Purchase) -> None:
    if kind is None or not (kind.suits or kind.suits_with):
        makers = [item for item in _panels(terms) if item.suits or item.suits_with]
        raise _wrong("Mobile suits", makers, kind, asked)
    if kind.suits:
        return
    if asked.facility not in kind.suits_with:
        needed = terms.of(Item, kind.suits_with[0]).label
        raise Refused("E_NEEDS_FACILITY", f"Mobile suits: {asked.place} needs the {needed} first.")
    if asked.advanced not in {None, asked.facility}:
        needed = terms.of(Item, str(asked.advanced)).label
        raise Refused("E_NEEDS_FACILITY", f"Suits of that model: {asked.place} needs the {needed} first.")


def _require_item(terms: Terms, item: Item, kind: PanelKind | None, asked: Purchase) -> None:
    if kind is None or kind.id not in item.on:
        raise _wrong(item.label, [terms.of(PanelKind, name) for name in item.on], kind, asked)
    built = terms.book.listed(Item).get(asked.facility or "")
    if asked.facility == item.id or (built is not None and built.upgrades == item.id):
        has = f"{starting(asked.place)} already has the {item.label if built is None else built.label}"
        raise Refused("E_ALREADY_BUILT", f"{has}. A panel can have only one {item.label}.")
    if asked.quantity > 1 and item.gives != "garrison":  # a garrison grows in number (line 57); facilities do not
        raise Refused("E_ALREADY_BUILT", f"A panel can have only one {item.label}, not {asked.quantity}.")
    if item.upgrades is not None and asked.facility != item.upgrades:
        needed = terms.of(Item, item.upgrades).label
        raise Refused("E_NEEDS_FACILITY", f"{item.label}: {asked.place} needs the {needed} first.")


def _panels(terms: Terms) -> Collection[PanelKind]:
    return terms.book.listed(PanelKind).values()


def _wrong(what: str, kinds: Iterable[PanelKind], here: PanelKind | None, asked: Purchase) -> Refused:
    """Return the refusal of a panel of the wrong kind, which says what kinds there could be."""
    not_ = f"{asked.place} ({here.label})" if here else asked.place
    return Refused("E_WRONG_PANEL", f"{what}: only on {' or '.join(kind.label for kind in kinds)}, not on {not_}.")


def faction_income(rules: Rules, war: War, faction: str) -> int:
    """Return the gold that a faction's panels pay in a turn."""
    fed = (war.panels[at] for at in supply(rules, war, faction))
    return sum(panel_income(rules, panel) for panel in fed)


def panel_income(rules: Rules, panel: HeldPanel) -> int:
    """Return the gold that a panel pays in a turn while it is supplied."""
    item = rules.scenario.items.get(panel.facility or "")
    paid = PaidPanel(panel.bonus, 0 if item is None else item.income, station=item is not None)
    return income(rules.terms, [paid])


def pay(terms: Terms, war: War, faction: str, asked: Purchase) -> War:
    """Return the war after a faction has paid for what it builds, buys or researches."""
    return war.with_side(faction, gold=buy(terms, asked, war.factions[faction].gold)[0])


def collect_income(rules: Rules, war: War) -> War:
    """Return the war after each faction has got what its panels pay."""
    for name, side in war.factions.items():
        war = war.with_side(name, gold=side.gold + faction_income(rules, war, name))
    return war


def reward_victory(rules: Rules, war: War, winner: str, turns: int) -> War:
    """Return the war after a faction has got the gold of a battle that it has won in so many turns."""
    paid = battle_gold(rules.terms, "won", turns) or 0
    return war.with_side(winner, gold=war.factions[winner].gold + paid)


def set_gold(war: War, faction: str, gold: int) -> War:
    """Return the war with a bank as a game master sets it."""
    return war.with_side(faction, gold=gold)


_MOST_BUILT = 999
"""Up to which number a name of a force that is built has room for it."""


def makeable_models(rules: Rules, war: War, faction: str) -> Iterator[str]:
    """Yield the models that a faction can ever make: of its own, and of the classes that it may have."""
    start = _starting_faction(rules, war, faction)
    for model in rules.scenario.units.values() if faction in war.factions else ():
        if _is_open_to(war, faction, model) and (start is None or model.unit_class in start.classes):
            yield model.id


def useful_research(rules: Rules, war: War, faction: str, models: Iterable[str]) -> Iterator[str]:
    """Yield the models of these whose research lets a faction make something, or build what needs them."""
    made = {*makeable_models(rules, war, faction)}
    for model in models:
        users = {name for name, unit in rules.scenario.units.items() if unit.needs == model}
        built = any(item.needs == model for item in rules.scenario.items.values())
        if built or not users or not users.isdisjoint(made):
            yield model


def find_model(rules: Rules, war: War, faction: str, model: str) -> UnitModel:
    """Return a model that a faction can make."""
    found = rules.scenario.units.get(model)
    if found is None or not _is_open_to(war, faction, found):
        whose = "" if found is None else f": it belongs to {war.called(found.faction or faction)}"
        words = f"{war.factions[faction].name} can't make {model}{whose}. {_describe_makeable(rules, war, faction)}"
        raise Refused("E_NO_TARGET", words)
    start = _starting_faction(rules, war, faction)
    if start is not None and found.unit_class not in start.classes:
        label = rules.terms.of(UnitClass, found.unit_class).label.lower()
        words = f"{start.name} can't make {model} ({label}). {_describe_makeable(rules, war, faction)}"
        raise Refused("E_CLASS_FACTION", words)
    require_model(war, faction, None if rules.is_upgrade(found.needs) else found.needs)
    return found


def require_model(war: War, faction: str, model: str | None) -> None:
    """Refuse what needs a model that a faction does not know."""
    if model is not None and model not in war.factions[faction].models:
        raise Refused("E_NOT_RESEARCHED", f"{model} isn't researched yet.")


def require_use(rules: Rules, war: War, faction: str, model: str) -> None:
    """Refuse the research of what others alone can make or build (line 101)."""
    if not any(useful_research(rules, war, faction, [model])):
        words = f"{war.called(faction)} can't use {model}. {_describe_makeable(rules, war, faction)}"
        raise Refused("E_NO_TARGET", words)


def find_price(found: WarItem | UnitModel) -> int:
    """Return what something costs; refuse what has no price."""
    if found.cost is None:
        raise Refused("E_NO_FUNDS", f"{found.id} has no price yet. A game master has to set one.")
    return found.cost


def purchase_kind(rules: Rules, model: UnitModel) -> str:
    """Return as what a model is bought: as a ship or a suit."""
    return SHIP if rules.terms.of(UnitClass, model.unit_class).lanes else SUIT


def listed_item(rules: Rules, found: WarItem) -> Item:
    """Return what the page says of an item, on the panels that the scenario says; one of the scenario's own is a facility."""
    printed = rules.terms.book.listed(Item).get(found.id)
    return replace(printed, on=found.on) if printed else Item(id=found.id, label=found.id, line=0, on=found.on)


def is_held(rules: Rules, war: War, at: Hex) -> bool:
    """Return whether a force stands where another one would (AMB-06)."""
    return rules.terms.setting("stacking", int) > 0 and any(war.on(at))


def finish_works(rules: Rules, war: War, works: Works) -> War:
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
    """Return what a force that a faction has built is called: by the faction's name, or its id where that is too long, and a number among its own, which reveals nothing of others."""
    called = war.factions[faction].name
    owner = faction if unfit(f"{called} {label} {_MOST_BUILT}") else called
    names = (f"{owner} {label} {number}" for number in count(1))
    return next(name for name in names if find_namesake(war, name) is None)


def _describe_makeable(rules: Rules, war: War, faction: str) -> str:
    made = ", ".join(makeable_models(rules, war, faction))
    return f"It can make: {made}." if made else "It can't make any units."


def _is_open_to(war: War, faction: str, model: UnitModel) -> bool:
    """Return whether a model is everybody's, a faction's own, or that of the one from which its founder has gone."""
    return model.faction in {None, faction, war.factions[faction].origin or faction}


def _starting_faction(rules: Rules, war: War, faction: str) -> Faction | None:
    """Return as what of the scenario a faction has begun, or the one from which its founder has gone."""
    return rules.scenario.factions.get(war.factions[faction].origin or faction)
