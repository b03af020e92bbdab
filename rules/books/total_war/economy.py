"""Gold: what panels and battles pay, and what building, buying and research cost (lines 47 to 57, 266 to 273)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated

from msgspec import Meta, Struct

from rules.books.total_war.catalog import RESEARCH, SHIP, SUIT, GoldBonus, Item, PanelKind, Resupply
from rules.books.total_war.terms import Refused, Terms
from rules.books.total_war.war import HeldPanel, Rules, War, supply
from rules.phrases import starting

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
