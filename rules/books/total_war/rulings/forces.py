"""Forces as a game master sets them: new ones, elsewhere, and gone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, count

from msgspec.structs import replace

from rules.books.total_war.capture import require_place
from rules.books.total_war.catalog import Piece, UnitClass
from rules.books.total_war.order_text import (
    PANEL,
    WarSetting,
    find_name,
    is_said,
    parse_panel,
    read_counted_name,
    read_name,
    refuse_unread,
    require_text,
)
from rules.books.total_war.rulings.units import MOST_UNITS, offer_in_turn, offered_models, require_models
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Force, Rules, War, WarAction, find_namesake, require_free, require_name
from rules.geometry import Hex
from rules.phrases import known_list
from rules.subjects import strip_unseen

_MOST_READ = 100
"""How many units of a kind are read at most; more than may come are refused where they are set."""


class AddForce(WarAction, frozen=True):
    """There is a new force of a piece with units of these models."""

    name: str
    piece: str
    faction: str
    at: Hex
    units: tuple[str, ...] = ()
    commander: str | None = None

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the force on its panel."""
        name = strip_unseen(self.name)
        require_name(war, name)
        pieces = _movable_pieces(rules)
        if self.piece not in pieces:
            raise Refused("E_NO_TARGET", f"{self.piece} isn't a kind of force{known_list(pieces)}.")
        self._require_side(war)
        require_models(rules, self.units)
        if bool(self.units) != pieces[self.piece].attacks or len(self.units) > MOST_UNITS:
            wants = f"1 to {MOST_UNITS} units" if pieces[self.piece].attacks else "no units"
            raise Refused("E_SQUADRON_FULL", f"A {self.piece} has {wants}, not {len(self.units)}.")
        require_place(rules, war, self.at, self.faction)
        war, units = war.new_units(self.units)
        return war.with_forces(Force(name, self.piece, self.faction, self.at, self.commander, units))

    def _require_side(self, war: War) -> None:
        """Refuse a force of nobody, or one whose commander is of others; a lone rogue's is their own."""
        lone = {name for name, player in war.players.items() if player.faction is None}
        if self.faction not in {*war.factions, *lone}:
            known = known_list([*(side.name for side in war.factions.values()), *sorted(lone)])
            raise Refused("E_NO_TARGET", f"{self.faction} isn't a faction{known}.")
        own = [name for name, player in war.players.items() if (player.faction or name) == self.faction]
        if self.commander is not None and self.commander not in own:
            raise Refused("E_NOT_ALLIED", f"{self.commander} isn't in {war.called(self.faction)}{known_list(own)}.")


class PlaceForce(WarAction, frozen=True):
    """A force is put on another panel, which is no move of its own."""

    who: str
    at: Hex

    def apply(self, rules: Rules, war: War) -> War:
        """Return the war with the force there; it takes nothing there, and may still move."""
        force = war.force(self.who)
        require_free(war, force)
        if force.at == self.at:
            raise Refused("E_NO_MOVE", f"{force.name} is already on {self.at}.")
        require_place(rules, war, self.at, force.faction)
        return war.with_forces(replace(force, at=self.at, follows=None))


class RemoveForce(WarAction, frozen=True):
    """A force is gone."""

    who: str

    def apply(self, rules: Rules, war: War) -> War:  # noqa: ARG002 - the rules do not matter here
        """Return the war without the force."""
        require_free(war, war.force(self.who))
        return war.without_forces([self.who])


def _movable_pieces(rules: Rules) -> dict[str, Piece]:
    return {key: piece for key, piece in rules.terms.book.listed(Piece).items() if piece.most}


def _read_force(rules: Rules, war: War, text: str, example: str) -> WarAction:
    """Read a force that is new, gone, or put on a panel."""
    if text.startswith("+"):
        return _read_new_force(rules, war, text[1:], example)
    gone = re.fullmatch(r"(?:-|remove\b)\s*(.+)", text, re.IGNORECASE)
    if gone is not None and find_name([*war.forces], text) is None:
        return RemoveForce(who=read_name(war.forces, gone[1], "a force"))
    moved = re.fullmatch(rf"(.+?)\s+(?:to\s+)?({PANEL})", text, re.IGNORECASE)
    if moved is None:
        raise refuse_unread(text, example)
    return PlaceForce(who=read_name(war.forces, moved[1], "a force"), at=parse_panel(war.panels, moved[2]))


def _read_new_force(rules: Rules, war: War, text: str, example: str) -> AddForce:
    name, piece, faction, at, *units = (part.strip() for part in f"{text};;;".split(";"))
    require_text(name, f"its name: {example}")
    models: list[str] = []
    for each in filter(is_said, units):
        model, number = read_counted_name(rules.scenario.units, each, "a model")
        models += [model] * min(number, _MOST_READ)
    pieces, side = _movable_pieces(rules), war.players.get(faction)
    if side is None or side.faction is not None:
        sides = {key: item.name for key, item in war.factions.items()}
        faction = read_name(war.factions, faction, "a faction", sides)
    kind = read_name(pieces, piece, "a piece", {key: item.label for key, item in pieces.items()})
    place = parse_panel(war.panels, require_text(at, f"its panel: {example}"))
    return AddForce(name=name, piece=kind, faction=faction, at=place, units=tuple(models))


def _offer_forces(rules: Rules, war: War, _number: str | None) -> Iterator[str]:
    """Offer forces that are put elsewhere, are new, and go, one of each in turn."""
    return offer_in_turn(
        (f"{name} to {at}" for name in war.forces for at in sorted(war.panels)),
        chain.from_iterable(_offer_new(rules, war, faction) for faction in war.factions),
        (f"- {name}" for name in war.forces),
    )


def _offer_new(rules: Rules, war: War, faction: str) -> Iterator[str]:
    """Offer a new force of each kind for a faction, with one unit, on the first panels of its own."""
    own = [at for at, panel in sorted(war.panels.items()) if panel.owner == faction]
    grunt, models = war.factions[faction].grunt, offered_models(rules, faction).items()
    ships = (name for name, item in models if rules.terms.of(UnitClass, item.unit_class).lanes)
    ship = next(ships, grunt)
    for key, piece in _movable_pieces(rules).items():
        units = [grunt if key == "squadron" else ship] if piece.attacks else []
        name = next(name for number in count(1) if find_namesake(war, name := f"New {piece.label} {number}") is None)
        yield from ("; ".join([f"+ {name}", key, war.called(faction), str(at), *units]) for at in own)


SETTINGS: Mapping[str, WarSetting] = {"force": WarSetting(_read_force, _offer_forces)}
