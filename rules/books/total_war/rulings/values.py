"""What a game master sets: owners, gold, ranks, posts, prices, switches, and forces."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, count
from typing import Literal

from msgspec.structs import replace

from rules.books.total_war import course, order_kinds
from rules.books.total_war.catalog import BadSwitch, Piece, Refused, Switch, UnitClass, set_switches
from rules.books.total_war.orders.command import Delegate
from rules.books.total_war.rulings.units import MOST_UNITS, list_offered_models, offer_in_turn, require_models
from rules.books.total_war.scenario import UnitModel, WarItem
from rules.books.total_war.war import NEUTRAL, Force, Rules, Ruling, War, WarAction
from rules.geometry import Hex
from rules.phrases import list_known, sentence, suggestion
from rules.subjects import strip_unseen

_MORE_GOLD = (50, 100, -50)
_YES, _NO = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})


class SetOwner(Ruling, frozen=True):
    """A panel changes its owner; what is on it stays."""

    at: Hex
    faction: str

    def apply(self, rules: Rules, war: War) -> War:
        """Set the owner and cancel the works of others."""
        panel, faction = course.panel_at(war, self.at), self.faction
        if faction != NEUTRAL and faction not in war.factions:
            known = list_known([*(side.name for side in war.factions.values()), "neutral"])
            raise Refused("E_NO_TARGET", f"{faction} isn't a faction{known}.")
        if panel.owner == faction:
            raise Refused("E_NOT_OWNER", f"{self.at} is already {war.describe_owner(faction)}.")
        war.require_no_battle(self.at)
        works = tuple(item for item in war.works if item.at != self.at or item.faction == faction)
        return course.dissolve_rogues(rules, replace(war.with_panel(self.at, owner=faction), works=works))


class SetGold(Ruling, frozen=True):
    """A faction's bank is set."""

    faction: str
    gold: int

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Set the bank."""
        order_kinds.require_faction(war, self.faction)
        order_kinds.require_number(self.gold, f"{war.factions[self.faction].name} can't have {self.gold} gold")
        return war.with_side(self.faction, gold=self.gold)


class SetRank(Ruling, frozen=True):
    """A player gets a rank, rogue or not."""

    player: str
    rank: str

    def apply(self, rules: Rules, war: War) -> War:
        """Set the rank."""
        order_kinds.player_of(war, self.player)
        return war.with_player(self.player, rank=order_kinds.rank_named(rules.scenario, self.rank).name)


class SetPost(Ruling, frozen=True):
    """A faction's leader or delegate is appointed, or removed (AMB-30)."""

    faction: str
    post: Literal["leader", "delegate"]
    player: str | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Appoint a faction's leader or delegate, or leave the post empty."""
        faction, player = self.faction, self.player
        order_kinds.require_faction(war, faction)
        if player is not None and order_kinds.player_of(war, player).faction != faction:
            own = [name for name, item in war.players.items() if item.faction == faction]
            raise Refused("E_NOT_ALLIED", f"{player} isn't in {war.factions[faction].name}{list_known(own)}.")
        if self.post == "delegate":
            return Delegate(faction=faction, player=player).apply(rules, war)
        return war.with_side(faction, leader=player)


class SetPrice(Ruling, frozen=True):
    """A unit or item gets a price."""

    of: Literal["unit", "item"]
    name: str
    cost: int

    def apply(self, rules: Rules, war: War) -> War:
        """Set the price."""
        known = rules.scenario.units if self.of == "unit" else rules.scenario.items
        if self.name not in known:
            near = suggestion(self.name, known) or list_known(known)
            what = "an item" if self.of == "item" else "a unit"
            raise Refused("E_NO_TARGET", sentence(f"{self.name} isn't {what}{near}"))
        order_kinds.require_number(self.cost, f"{self.name} can't cost {self.cost} gold")
        return replace(war, prices={**war.prices, f"{self.of}.{self.name}": self.cost})


class SetSwitch(Ruling, frozen=True):
    """A switch gets another value."""

    name: str
    value: bool | int | str | tuple[int, ...]

    def apply(self, rules: Rules, war: War) -> War:
        """Set the switch."""
        try:
            value = set_switches(rules.terms.book, {self.name: self.value}).switches[self.name]
        except BadSwitch as error:
            raise Refused("E_SCENARIO", sentence(str(error))) from error
        changed = replace(war, switches={**war.switches, self.name: value})
        first: dict[tuple[Hex, str], str] = {}
        for item in war.forces.values() if rules.apply_settings(changed).terms.setting("stacking", int) else ():
            other = first.setdefault((item.at, item.faction), item.name)
            if other != item.name:
                raise Refused("E_OCCUPIED", f"{other} and {item.name} are both on {item.at}: move one of them first.")
        return changed


def _read_owner(_rules: Rules, war: War, text: str, example: str) -> SetOwner:
    found = re.fullmatch(rf"({order_kinds.PANEL_PATTERN})[\s=]+(.+)", text)
    if found is None:
        raise order_kinds.refuse_unread(text, example)
    at, rest = order_kinds.parse_panel(war.panels, found[1]), found[2].strip()
    if order_kinds.is_nobody(rest) or rest == NEUTRAL:
        return SetOwner(at=at, faction=NEUTRAL)
    labels = {name: side.name for name, side in war.factions.items()}
    return SetOwner(at=at, faction=order_kinds.read_name(war.factions, rest, "a faction", labels))


def _read_gold(_rules: Rules, war: War, text: str, example: str) -> SetGold:
    faction, rest = order_kinds.read_faction_first(war, text, example)
    return SetGold(faction=faction, gold=order_kinds.read_number(rest, example))


def _read_rank(rules: Rules, war: War, text: str, example: str) -> SetRank:
    player, rest = order_kinds.read_first(war.players, text, "a player", example)
    ranks = [rank.name for rank in rules.scenario.ranks]
    return SetRank(player=player, rank=order_kinds.read_name(ranks, rest, "a rank"))


def _read_post(_rules: Rules, war: War, text: str, example: str) -> SetPost:
    faction, rest = order_kinds.read_faction_first(war, text, example)
    post, player = order_kinds.read_first(["leader", "delegate"], rest, "a post", example)
    named = f"a player or {order_kinds.NOBODY}"
    who = None if order_kinds.is_nobody(player) else order_kinds.read_name(war.players, player, named)
    return SetPost(faction=faction, post="leader" if post == "leader" else "delegate", player=who)


def _read_price(rules: Rules, _war: War, text: str, example: str) -> SetPrice:
    units, items = rules.scenario.units, rules.scenario.items
    kind, _, rest = text.partition(" ")
    if kind.lower() in {"unit", "item"}:
        known = units if kind.lower() == "unit" else items
        name, cost = order_kinds.read_first(known, rest, f"a {kind.lower()}", example)
        return SetPrice(of="unit" if known is units else "item", name=name, cost=order_kinds.read_number(cost, example))
    name, cost = order_kinds.read_first([*dict.fromkeys([*units, *items])], text, "a unit or an item", example)
    if name in units and name in items:
        words = f"{name} is both a unit and an item. Write unit {name} {cost}, or item {name} {cost}."
        raise Refused("E_NO_TARGET", words)
    return SetPrice(of="unit" if name in units else "item", name=name, cost=order_kinds.read_number(cost, example))


def _read_switch(rules: Rules, _war: War, text: str, example: str) -> SetSwitch:
    name, rest = order_kinds.read_first(rules.terms.book.entries_of(Switch), text, "a switch", example)
    value = rest.strip().lower()
    words = re.split(r"[\s,]+", value)
    if value in _YES | _NO:
        return SetSwitch(name=name, value=value in _YES)
    if all(order_kinds.WHOLE.fullmatch(word) for word in words):
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
        people = (*own, order_kinds.NOBODY)
        yield from (f"{side.name} {post} {who}" for post in ("leader", "delegate") for who in people)


def _offer_prices(rules: Rules, _war: War, number: str | None) -> Iterator[str]:
    units, items = rules.scenario.units, rules.scenario.items
    of_each: tuple[tuple[str, Mapping[str, UnitModel | WarItem]], ...] = (("unit", units), ("item", items))
    for of, known in of_each:
        costs = sorted({item.cost for item in known.values() if item.cost is not None})
        for name in known:
            kind = f"{of} " if name in units and name in items else ""
            prices = [number] if number else [cost for cost in costs if cost != known[name].cost]
            yield from (f"{kind}{name} {cost}" for cost in prices)


def _offer_switches(rules: Rules, _war: War, _number: str | None) -> Iterator[str]:
    for name, switch in rules.terms.book.entries_of(Switch).items():
        most = switch.most or 0
        values = switch.options or (("true", "false") if isinstance(switch.default, bool) else range(most + 1))
        now = rules.terms.switches.get(name, switch.default)
        yield from (f"{name} {value}" for value in values if str(value) != str(now).lower())


_MOST_READ = 100
"""More units are refused where they are set."""


class AddForce(Ruling, frozen=True):
    """A force appears with new units."""

    name: str
    piece: str
    faction: str
    at: Hex
    units: tuple[str, ...] = ()
    commander: str | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Add the force."""
        name = strip_unseen(self.name)
        war.require_name(name)
        pieces = _movable_pieces(rules)
        if self.piece not in pieces:
            raise Refused("E_NO_TARGET", f"{self.piece} isn't a kind of force{list_known(pieces)}.")
        self._require_side(war)
        require_models(rules, self.units)
        if bool(self.units) != pieces[self.piece].attacks or len(self.units) > MOST_UNITS:
            wants = f"1 to {MOST_UNITS} units" if pieces[self.piece].attacks else "no units"
            raise Refused("E_SQUADRON_FULL", f"A {self.piece} has {wants}, not {len(self.units)}.")
        course.require_place(rules, war, self.at, self.faction)
        war, units = war.new_units(self.units)
        return war.with_forces(Force(name, self.piece, self.faction, self.at, self.commander, units))

    def _require_side(self, war: War) -> None:
        lone = {name for name, player in war.players.items() if player.faction is None}
        if self.faction not in {*war.factions, *lone}:
            known = list_known([*(side.name for side in war.factions.values()), *sorted(lone)])
            raise Refused("E_NO_TARGET", f"{self.faction} isn't a faction{known}.")
        own = [name for name, player in war.players.items() if (player.faction or name) == self.faction]
        if self.commander is not None and self.commander not in own:
            raise Refused("E_NOT_ALLIED", f"{self.commander} isn't in {war.name_side(self.faction)}{list_known(own)}.")


class PlaceForce(Ruling, frozen=True):
    """A force is put on a panel without using its move."""

    who: str
    at: Hex

    def apply(self, rules: Rules, war: War) -> War:
        """Put the force there; it takes nothing, and can still move."""
        force = war.force(self.who)
        war.require_free(force)
        if force.at == self.at:
            raise Refused("E_NO_MOVE", f"{force.name} is already on {self.at}.")
        course.require_place(rules, war, self.at, force.faction)
        return war.with_forces(replace(force, at=self.at, follows=None))


class RemoveForce(Ruling, frozen=True):
    """A force disappears."""

    who: str

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Remove the force."""
        war.require_free(war.force(self.who))
        return war.without_forces([self.who])


def _movable_pieces(rules: Rules) -> dict[str, Piece]:
    return {key: piece for key, piece in rules.terms.book.entries_of(Piece).items() if piece.most}


def _read_force(rules: Rules, war: War, text: str, example: str) -> WarAction:
    if text.startswith("+"):
        return _read_new_force(rules, war, text[1:], example)
    gone = re.fullmatch(r"(?:-|remove\b)\s*(.+)", text, re.IGNORECASE)
    if gone is not None and order_kinds.find_name([*war.forces], text) is None:
        return RemoveForce(who=order_kinds.read_name(war.forces, gone[1], "a force"))
    moved = re.fullmatch(rf"(.+?)\s+(?:to\s+)?({order_kinds.PANEL_PATTERN})", text, re.IGNORECASE)
    if moved is None:
        raise order_kinds.refuse_unread(text, example)
    who = order_kinds.read_name(war.forces, moved[1], "a force")
    return PlaceForce(who=who, at=order_kinds.parse_panel(war.panels, moved[2]))


def _read_new_force(rules: Rules, war: War, text: str, example: str) -> AddForce:
    name, piece, faction, at, *units = (part.strip() for part in f"{text};;;".split(";"))
    order_kinds.require_text(name, f"its name: {example}")
    models: list[str] = []
    for each in filter(order_kinds.is_said, units):
        model, number = order_kinds.read_counted_name(rules.scenario.units, each, "a model")
        models += [model] * min(number, _MOST_READ)
    pieces, side = _movable_pieces(rules), war.players.get(faction)
    if side is None or side.faction is not None:
        sides = {key: item.name for key, item in war.factions.items()}
        faction = order_kinds.read_name(war.factions, faction, "a faction", sides)
    kind = order_kinds.read_name(pieces, piece, "a piece", {key: item.label for key, item in pieces.items()})
    place = order_kinds.parse_panel(war.panels, order_kinds.require_text(at, f"its panel: {example}"))
    return AddForce(name=name, piece=kind, faction=faction, at=place, units=tuple(models))


def _offer_forces(rules: Rules, war: War, _number: str | None) -> Iterator[str]:
    return offer_in_turn(
        (f"{name} to {at}" for name in war.forces for at in sorted(war.panels)),
        chain.from_iterable(_offer_new(rules, war, faction) for faction in war.factions),
        (f"- {name}" for name in war.forces),
    )


def _offer_new(rules: Rules, war: War, faction: str) -> Iterator[str]:
    own = [at for at, panel in sorted(war.panels.items()) if panel.owner == faction]
    grunt, models = war.factions[faction].grunt, list_offered_models(rules, faction).items()
    ships = (name for name, item in models if rules.terms.of(UnitClass, item.unit_class).lanes)
    ship = next(ships, grunt)
    for key, piece in _movable_pieces(rules).items():
        units = [grunt if key == "squadron" else ship] if piece.attacks else []
        name = next(name for number in count(1) if war.find_namesake(name := f"New {piece.label} {number}") is None)
        yield from ("; ".join([f"+ {name}", key, war.name_side(faction), str(at), *units]) for at in own)


SETTINGS: Mapping[str, order_kinds.WarSetting] = {
    "force": order_kinds.WarSetting(_read_force, _offer_forces),
    "owner": order_kinds.WarSetting(_read_owner, _offer_owners),
    "gold": order_kinds.WarSetting(_read_gold, _offer_gold),
    "rank": order_kinds.WarSetting(_read_rank, _offer_ranks),
    "post": order_kinds.WarSetting(_read_post, _offer_posts),
    "price": order_kinds.WarSetting(_read_price, _offer_prices),
    "switch": order_kinds.WarSetting(_read_switch, _offer_switches),
}
