"""What a game master sets in a war: owners, gold, ranks, posts, prices, switches, and where a faction is supplied from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec.structs import replace

from rules.books.total_war import economy
from rules.books.total_war.capture import dissolve_rogues, panel_at
from rules.books.total_war.catalog import Switch
from rules.books.total_war.land import NEUTRAL
from rules.books.total_war.order_kinds import NOBODY
from rules.books.total_war.order_text import (
    WHOLE,
    WarSetting,
    is_nobody,
    read_faction_first,
    read_first,
    read_name,
    read_number,
    read_panel_first,
    require_number,
)
from rules.books.total_war.ranks import player_of, rank_named, require_faction, set_delegate
from rules.books.total_war.scenario import UnitModel, WarItem
from rules.books.total_war.terms import BadSwitch, Refused, set_switches
from rules.books.total_war.war import Rules, War, WarAction, require_no_battle
from rules.geometry import Hex
from rules.phrases import known_list, sentence, suggestion

_MORE_GOLD = (50, 100, -50)
"""By how much a bank is offered to be otherwise, while no number is typed."""
_YES, _NO = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})


class SetOwner(WarAction, frozen=True):
    """A panel becomes a faction's, or nobody's, as it stands."""

    at: Hex
    faction: str

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the panel's owner; what stands there stays, but not what is being built for another."""
        panel, faction = panel_at(war, self.at), self.faction
        if faction != NEUTRAL and faction not in war.factions:
            known = known_list([*(side.name for side in war.factions.values()), "neutral"])
            raise Refused("E_NO_TARGET", f"{faction} isn't a faction{known}.")
        if panel.owner == faction:
            raise Refused("E_NOT_OWNER", f"{self.at} is already {war.owned(faction)}.")
        require_no_battle(war, self.at)
        works = tuple(item for item in war.works if item.at != self.at or item.faction == faction)
        return dissolve_rogues(rules, replace(war.with_panel(self.at, owner=faction), works=works))


class SetGold(WarAction, frozen=True):
    """A faction has so much gold."""

    faction: str
    gold: int

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Return the war with the faction's bank."""
        require_faction(war, self.faction)
        require_number(self.gold, f"{war.factions[self.faction].name} can't have {self.gold} gold")
        return economy.set_gold(war, self.faction, self.gold)


class SetRank(WarAction, frozen=True):
    """A player has a rank, rogue or not."""

    player: str
    rank: str

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the player's rank."""
        player_of(war, self.player)
        return war.with_player(self.player, rank=rank_named(rules.scenario, self.rank).name)


class SetPost(WarAction, frozen=True):
    """A faction's leader or delegate is a player, or nobody (AMB-30)."""

    faction: str
    post: Literal["leader", "delegate"]
    player: str | None = None

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Return the war with the post, which may be left empty."""
        faction, player = self.faction, self.player
        require_faction(war, faction)
        if player is not None and player_of(war, player).faction != faction:
            own = [name for name, item in war.players.items() if item.faction == faction]
            raise Refused("E_NOT_ALLIED", f"{player} isn't in {war.factions[faction].name}{known_list(own)}.")
        if self.post == "delegate":
            return set_delegate(war, faction, player)
        return war.with_side(faction, leader=player)


class SetPrice(WarAction, frozen=True):
    """A unit or an item costs so much."""

    of: Literal["unit", "item"]
    name: str
    cost: int

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the price from now on."""
        known = rules.scenario.units if self.of == "unit" else rules.scenario.items
        if self.name not in known:
            near = suggestion(self.name, known) or known_list(known)
            what = "an item" if self.of == "item" else "a unit"
            raise Refused("E_NO_TARGET", sentence(f"{self.name} isn't {what}{near}"))
        require_number(self.cost, f"{self.name} can't cost {self.cost} gold")
        return replace(war, prices={**war.prices, f"{self.of}.{self.name}": self.cost})


class SetSwitch(WarAction, frozen=True):
    """A switch of the scenario is set otherwise."""

    name: str
    value: bool | int | str | tuple[int, ...]

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the switch."""
        try:
            value = set_switches(rules.terms.book, {self.name: self.value}).switches[self.name]
        except BadSwitch as error:
            raise Refused("E_SCENARIO", sentence(str(error))) from error
        changed = replace(war, switches={**war.switches, self.name: value})
        _require_apart(rules, changed)
        return changed


def _require_apart(rules: Rules, war: War) -> None:
    """Refuse stacks where a panel holds one force of a side (AMB-06)."""
    if not replace(rules.terms, switches={**rules.terms.switches, **war.switches}).setting("stacking", int):
        return
    first: dict[tuple[Hex, str], str] = {}
    for item in war.forces.values():
        other = first.setdefault((item.at, item.faction), item.name)
        if other != item.name:
            raise Refused("E_OCCUPIED", f"{other} and {item.name} are both on {item.at}: move one of them first.")


def _read_owner(_rules: Rules, war: War, text: str, example: str) -> SetOwner:
    at, rest = read_panel_first(war, text, example)
    if is_nobody(rest) or rest == NEUTRAL:
        return SetOwner(at=at, faction=NEUTRAL)
    labels = {name: side.name for name, side in war.factions.items()}
    return SetOwner(at=at, faction=read_name(war.factions, rest, "a faction", labels))


def _read_gold(_rules: Rules, war: War, text: str, example: str) -> SetGold:
    faction, rest = read_faction_first(war, text, example)
    return SetGold(faction=faction, gold=read_number(rest, example))


def _read_rank(rules: Rules, war: War, text: str, example: str) -> SetRank:
    player, rest = read_first(war.players, text, "a player", example)
    return SetRank(player=player, rank=read_name([rank.name for rank in rules.scenario.ranks], rest, "a rank"))


def _read_post(_rules: Rules, war: War, text: str, example: str) -> SetPost:
    faction, rest = read_faction_first(war, text, example)
    post, player = read_first(["leader", "delegate"], rest, "a post", example)
    who = None if is_nobody(player) else read_name(war.players, player, f"a player or {NOBODY}")
    return SetPost(faction=faction, post="leader" if post == "leader" else "delegate", player=who)


def _read_price(rules: Rules, _war: War, text: str, example: str) -> SetPrice:
    """Read a price; what is a unit and an item too is called as one of them."""
    units, items = rules.scenario.units, rules.scenario.items
    kind, _, rest = text.partition(" ")
    if kind.lower() in {"unit", "item"}:
        known = units if kind.lower() == "unit" else items
        name, cost = read_first(known, rest, f"a {kind.lower()}", example)
        return SetPrice(of="unit" if known is units else "item", name=name, cost=read_number(cost, example))
    name, cost = read_first([*dict.fromkeys([*units, *items])], text, "a unit or an item", example)
    if name in units and name in items:
        words = f"{name} is both a unit and an item. Write unit {name} {cost}, or item {name} {cost}."
        raise Refused("E_NO_TARGET", words)
    return SetPrice(of="unit" if name in units else "item", name=name, cost=read_number(cost, example))


def _read_switch(rules: Rules, _war: War, text: str, example: str) -> SetSwitch:
    name, rest = read_first(rules.terms.book.listed(Switch), text, "a switch", example)
    value = rest.strip().lower()
    words = re.split(r"[\s,]+", value)
    if value in _YES | _NO:
        return SetSwitch(name=name, value=value in _YES)
    if all(WHOLE.fullmatch(word) for word in words):
        numbers = tuple(map(int, words))
        return SetSwitch(name=name, value=numbers if len(numbers) > 1 else numbers[0])
    return SetSwitch(name=name, value=value)


def _offer_owners(_rules: Rules, war: War, _number: str | None) -> Iterator[str]:
    names = [*(side.name for side in war.factions.values()), "neutral"]
    return (f"{at} {name}" for at in sorted(war.panels) for name in names)


def _offer_gold(_rules: Rules, war: War, number: str | None) -> Iterator[str]:
    for side in war.factions.values():
        banks = [number] if number else [max(0, side.gold + more) for more in _MORE_GOLD]
        yield from (f"{side.name} {bank}" for bank in banks)


def _offer_ranks(rules: Rules, war: War, _number: str | None) -> Iterator[str]:
    return (f"{player} {rank.name}" for player in war.players for rank in rules.scenario.ranks)


def _offer_posts(_rules: Rules, war: War, _number: str | None) -> Iterator[str]:
    for name, side in war.factions.items():
        own = [player for player, item in war.players.items() if item.faction == name]
        yield from (f"{side.name} {post} {who}" for post in ("leader", "delegate") for who in (*own, NOBODY))


def _offer_prices(rules: Rules, _war: War, number: str | None) -> Iterator[str]:
    """Offer the number that is typed, else what others of their kind cost."""
    units, items = rules.scenario.units, rules.scenario.items
    of_each: tuple[tuple[str, Mapping[str, UnitModel | WarItem]], ...] = (("unit", units), ("item", items))
    for of, known in of_each:
        costs = sorted({item.cost for item in known.values() if item.cost is not None})
        for name in known:
            kind = f"{of} " if name in units and name in items else ""
            prices = [number] if number else [cost for cost in costs if cost != known[name].cost]
            yield from (f"{kind}{name} {cost}" for cost in prices)


def _offer_switches(rules: Rules, _war: War, _number: str | None) -> Iterator[str]:
    for name, switch in rules.terms.book.listed(Switch).items():
        most = switch.most or 0
        values = switch.options or (("true", "false") if isinstance(switch.default, bool) else range(most + 1))
        now = rules.terms.switches.get(name, switch.default)
        yield from (f"{name} {value}" for value in values if str(value) != str(now).lower())


SETTINGS: Mapping[str, WarSetting] = {
    "owner": WarSetting(_read_owner, _offer_owners),
    "gold": WarSetting(_read_gold, _offer_gold),
    "rank": WarSetting(_read_rank, _offer_ranks),
    "post": WarSetting(_read_post, _offer_posts),
    "price": WarSetting(_read_price, _offer_prices),
    "switch": WarSetting(_read_switch, _offer_switches),
}
