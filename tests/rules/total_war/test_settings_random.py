"""Wars in which a game master sets and rules at random stay sound, and go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from rules.books.total_war import actions
from rules.books.total_war.actions import Ruling, list_orders, resolve
from rules.books.total_war.catalog import Setting, Switch
from rules.books.total_war.sight import seen_by
from rules.books.total_war.terms import Refused
from rules.books.total_war.war import Unit, War, apply_settings
from rules.books.total_war.war_words import describe_changes
from rules.geometry import Hex
from tests.answers.random_play import Chance, next_deed, turn_of
from tests.answers.war_games import Game, is_allowed
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.test_whole_games import sound
from tests.rules.total_war.wars import RULES, reread, rules, seeds, unthrown

FOG = rules(lambda data: data["scenario"].update(fog="near", sight=1))


VALUES: Sequence[Setting] = (0, 1, 2, True, "all", "lines", "neutral")


def units_of(war: War) -> list[Unit]:
    """Every unit of a war."""
    return [
        *(unit for force in war.forces.values() for unit in force.units),
        *(unit for panel in war.panels.values() for unit in panel.garrison),
    ]


def a_panel(chance: Chance, war: War) -> Hex:
    """A panel, at times one that is not there."""
    return chance.choice([*war.panels, Hex(9, 9)])


def owner(chance: Chance, war: War) -> Ruling:
    """A panel for somebody."""
    return actions.SetOwner(at=a_panel(chance, war), faction=chance.choice([*war.factions, "N"]))


def unit(chance: Chance, war: War) -> Ruling:
    """A unit that comes, goes, or is another."""
    one = chance.choice([*units_of(war), Unit("u0", "gm")]).id
    places: list[str | Hex] = [a_panel(chance, war), chance.choice([*war.forces, "nobody"])]
    add = actions.AddUnits(
        to=chance.choice(places), model=chance.choice(["gm", "zaku", "rx"]), number=chance.randint(0, 3)
    )
    kills = actions.SetUnit(unit=one, kills=chance.randint(-1, 9), pilot=chance.choice(["", None, "Amuro Ray"]))
    made: list[Ruling] = [add, actions.RemoveUnit(unit=one), kills]
    return chance.choice(made)


def force(chance: Chance, war: War) -> Ruling:
    """A force that comes, goes, or is elsewhere."""
    name, at = chance.choice([*war.forces, "nobody"]), a_panel(chance, war)
    units = ("gm",) * chance.randint(0, 2)
    piece = chance.choice(["fleet", "squadron", "superweapon", "facility"])
    whose = chance.choice([*war.factions, *war.players])
    new = actions.AddForce(name=f"new {chance.randint(1, 99)}", piece=piece, faction=whose, at=at, units=units)
    made: list[Ruling] = [new, actions.PlaceForce(who=name, at=at), actions.RemoveForce(who=name)]
    return chance.choice(made)


def posts(chance: Chance, war: War) -> Ruling:
    """A rank, a leader, a delegate or gold."""
    player, faction = chance.choice([*war.players, "Eve"]), chance.choice([*war.factions])
    rank = actions.SetRank(player=player, rank=chance.choice(["Ensign", "Admiral", "King"]))
    post = actions.SetPost(
        faction=faction, post=chance.choice(["leader", "delegate"]), player=chance.choice([player, None])
    )
    made: list[Ruling] = [rank, post, actions.SetGold(faction=faction, gold=chance.randint(-5, 300))]
    return chance.choice(made)


def rule(chance: Chance, war: War) -> Ruling:
    """A price, a switch, a source, or a strike."""
    name = chance.choice([*BOOK.listed(Switch)])
    price = actions.SetPrice(of=chance.choice(["unit", "item"]), name="guncannon", cost=chance.randint(-1, 60))
    source = actions.SetSource(faction=chance.choice([*war.factions]), at=chance.choice([None, a_panel(chance, war)]))
    strike = actions.Strike(
        units=(chance.choice([*units_of(war), Unit("u0", "gm")]).id,), panels=(a_panel(chance, war),)
    )
    switch = actions.SetSwitch(name=name, value=chance.choice(VALUES))
    made: list[Ruling] = [price, source, strike, switch]
    return chance.choice(made)


MAKERS: Sequence[Callable[[Chance, War], Ruling]] = (owner, unit, force, posts, rule)


def interfered(seed: int, turns: int) -> Iterator[tuple[War, Ruling]]:
    """A game of random orders, with something set or ruled after each third of them, if it may be."""
    game = Game(RULES, Chance(seed), None, restarts=False)
    waiting = turn_of(game.chance, game.war)
    while game.played < turns and game.war.winner is None and game.war.forces:
        deed = next_deed(game.chance, apply_settings(RULES, game.war), game.war, waiting, is_allowed)
        if isinstance(deed, actions.Advance):
            waiting = turn_of(game.chance, game.war)
        game.order(deed)
        if len(game.orders) % 3 == 0:
            made = game.chance.choice(MAKERS)(game.chance, game.war)
            yield game.war, made
            try:
                game.war = resolve(RULES, game.war, made, unthrown)
            except Refused:
                continue


@pytest.mark.parametrize("seed", seeds(10))
def test_a_war_stays_sound_whatever_is_set(seed: int) -> None:
    """S5, S1, E6, AMB-06: what is set leaves a war as sound as it was, it is told, kept and seen like all else, and orders go on."""
    for war, made in interfered(seed, 8):
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
            seen = seen_by(FOG, then, viewer)
            assert seen_by(FOG, seen, viewer) == seen
