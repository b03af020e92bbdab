from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import pytest

from rules.books.total_war.actions import list_orders, resolve
from rules.books.total_war.catalog import Refused, Setting, Switch
from rules.books.total_war.rulings.units import AddUnits, RemoveUnit, SetSource, SetUnit, Strike
from rules.books.total_war.rulings.values import (
    AddForce,
    PlaceForce,
    RemoveForce,
    SetGold,
    SetOwner,
    SetPost,
    SetPrice,
    SetRank,
    SetSwitch,
)
from rules.books.total_war.storage import mask_war
from rules.books.total_war.war import Ruling, Unit, War
from rules.books.total_war.war_words import describe_changes
from rules.geometry import Hex
from tests.answers.random_play import Chance
from tests.answers.war_games import Game
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.test_whole_games import sound
from tests.rules.total_war.wars import FOG, RULES, reread, seeds, unthrown

VALUES: Sequence[Setting] = (0, 1, 2, True, "all", "lines", "neutral")


def _a_panel(chance: Chance, war: War) -> Hex:
    return chance.choice([*war.panels, Hex(9, 9)])


def owner(chance: Chance, war: War) -> Ruling:
    """Set an owner."""
    return SetOwner(at=_a_panel(chance, war), faction=chance.choice([*war.factions, "N"]))


def unit(chance: Chance, war: War) -> Ruling:
    """Add, remove or change a unit."""
    one = chance.choice([*war.every_unit(), Unit("u0", "gm")]).id
    places: list[str | Hex] = [_a_panel(chance, war), chance.choice([*war.forces, "nobody"])]
    add = AddUnits(to=chance.choice(places), model=chance.choice(["gm", "zaku", "rx"]), number=chance.randint(0, 3))
    kills = SetUnit(unit=one, kills=chance.randint(-1, 9), pilot=chance.choice(["", None, "Amuro Ray"]))
    made: list[Ruling] = [add, RemoveUnit(unit=one), kills]
    return chance.choice(made)


def force(chance: Chance, war: War) -> Ruling:
    """Add, remove or place a force."""
    name, at = chance.choice([*war.forces, "nobody"]), _a_panel(chance, war)
    units = ("gm",) * chance.randint(0, 2)
    piece = chance.choice(["fleet", "squadron", "superweapon", "facility"])
    whose = chance.choice([*war.factions, *war.players])
    new = AddForce(name=f"new {chance.randint(1, 99)}", piece=piece, faction=whose, at=at, units=units)
    made: list[Ruling] = [new, PlaceForce(who=name, at=at), RemoveForce(who=name)]
    return chance.choice(made)


def posts(chance: Chance, war: War) -> Ruling:
    """Set a rank, post or gold."""
    player, faction = chance.choice([*war.players, "Eve"]), chance.choice([*war.factions])
    rank = SetRank(player=player, rank=chance.choice(["Ensign", "Admiral", "King"]))
    post = SetPost(faction=faction, post=chance.choice(["leader", "delegate"]), player=chance.choice([player, None]))
    made: list[Ruling] = [rank, post, SetGold(faction=faction, gold=chance.randint(-5, 300))]
    return chance.choice(made)


def rule(chance: Chance, war: War) -> Ruling:
    """Set a price, switch or source, or strike."""
    name = chance.choice([*BOOK.entries_of(Switch)])
    price = SetPrice(of=chance.choice(["unit", "item"]), name="guncannon", cost=chance.randint(-1, 60))
    source = SetSource(faction=chance.choice([*war.factions]), at=chance.choice([None, _a_panel(chance, war)]))
    strike = Strike(units=(chance.choice([*war.every_unit(), Unit("u0", "gm")]).id,), panels=(_a_panel(chance, war),))
    switch = SetSwitch(name=name, value=chance.choice(VALUES))
    made: list[Ruling] = [price, source, strike, switch]
    return chance.choice(made)


MAKERS: Sequence[Callable[[Chance, War], Ruling]] = (owner, unit, force, posts, rule)


def _interfere(seed: int, turns: int) -> Iterator[tuple[War, Ruling]]:
    game = Game(RULES, Chance(seed), None, restarts=False)
    for _ in game.play(turns):
        if len(game.orders) % 3 == 0:
            made = game.chance.choice(MAKERS)(game.chance, game.war)
            yield game.war, made
            with suppress(Refused):
                game.war = resolve(RULES, game.war, made, unthrown)
        game.rules = RULES.apply_settings(game.war)
        if not game.war.forces:
            return


@pytest.mark.parametrize("seed", seeds(10))
def test_a_war_stays_sound_whatever_is_set(seed: int) -> None:
    """S5, S1, E6, AMB-06: sound, stored and described."""
    for war, made in _interfere(seed, 8):
        try:
            then = resolve(RULES, war, made, unthrown)
        except Refused as refusal:
            assert refusal.code.startswith("E_")  # noqa: PT017 - either way is right
            continue
        if "stacking" not in then.switches:
            sound(then)
        assert reread(then) == then
        assert bool(describe_changes(RULES, war, made, then)) == (then != war), made
        list_orders(RULES, then)
        for viewer in (*then.factions, *then.players, None):
            seen = mask_war(FOG, then, viewer)
            assert mask_war(FOG, seen, viewer) == seen
