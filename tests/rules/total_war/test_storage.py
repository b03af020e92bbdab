from __future__ import annotations

import json
from itertools import islice

import pytest
from msgspec.structs import replace

from rules.books.total_war.book import describe_wait
from rules.books.total_war.storage import SCENARIO, _part, list_changes, read, read_battles
from rules.geometry import Hex
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.wars import RULES, attack_colony, enter, meet_fleet, play_game, seeds, store_start


@pytest.mark.parametrize("seed", seeds(6))
def test_each_order_changes_what_is_otherwise_and_nothing_else(seed: int) -> None:
    """Stored changes rebuild the war exactly."""
    values = store_start()
    for *_, war in play_game(seed, 6):
        made = list_changes(BOOK, values, war)
        assert all(value != values.get(name) for _, name, value in made)
        assert len({name for _, name, _ in made}) == len(made)
        values = enter(values, war)
        assert read(BOOK, values)[1] == war
        assert list_changes(BOOK, values, war) == ()


@pytest.mark.parametrize("seed", seeds(6))
def test_what_is_kept_does_not_hang_on_what_was_read_before(seed: int) -> None:
    """Caching changes nothing."""
    values = store_start()
    for *_, war in islice(play_game(seed, 1), 20):
        before, made = read(BOOK, values)[1], list_changes(BOOK, values, war)
        _part.cache_clear()
        assert read(BOOK, values)[1] == before
        assert list_changes(BOOK, values, war) == made
        values = enter(values, war)


def test_parts_that_are_kept_alike_are_read_once() -> None:
    """Unchanged parts are the same objects."""
    war = read(BOOK, store_start())[1]
    moved = war.with_forces(*(replace(war.forces[name], moved=True) for name in ("1st Fleet", "2nd Fleet")))
    values = enter(store_start(), moved)
    first = read(BOOK, values)[1]
    back = enter(values, first.with_forces(war.forces["1st Fleet"]))
    again = read(BOOK, back)[1]
    assert first.forces["2nd Fleet"] is again.forces["2nd Fleet"]
    assert again.forces["1st Fleet"] == war.forces["1st Fleet"] != first.forces["1st Fleet"]
    assert back.keys() - store_start().keys() == {"force.2nd Fleet"}


def test_in_which_order_values_are_kept_is_no_matter() -> None:
    """Databases return any order."""
    war = meet_fleet()
    (battle,) = war.battles.values()
    war = replace(war, battles={battle.at: battle, Hex(0, 0): replace(battle, at=Hex(0, 0))})
    values = enter(store_start(), war)
    turned = {name: values[name] for name in reversed(values)}
    one, other = read(BOOK, values)[1], read(BOOK, turned)[1]
    for name in ("panels", "factions", "forces", "players", "battles"):
        assert [*getattr(one, name)] == [*getattr(other, name)]
    assert [*read_battles(values)] == [*read_battles(turned)]
    assert (len(one.players), len(one.battles)) == (4, 2)


def test_prices_and_switches_are_kept_apart() -> None:
    """Each can be undone by itself; old formats are read."""
    war = replace(
        read(BOOK, store_start())[1], prices={"unit.gm": 25}, switches={"cooldown": 1, "ace-kills": (1, 2, 3, 4, 5)}
    )
    values = enter(store_start(), war)
    assert values.keys() - store_start().keys() == {"price.unit.gm", "switch.cooldown", "switch.ace-kills"}
    assert read(BOOK, values)[1] == war
    del values["price.unit.gm"]
    assert read(BOOK, values)[1] == replace(war, prices={})
    war = replace(read(BOOK, store_start())[1], units=40)
    values = enter(store_start(), war)
    older = values["course"]["is"] | {"prices": {"unit.gm": 25}, "switches": {"cooldown": 1}}
    values |= {"course": {"open": True, "is": older}}
    then = replace(war, prices={"unit.gm": 25}, switches={"cooldown": 1})
    assert read(BOOK, values)[1] == then
    after = replace(then, prices={"unit.gm": 25, "unit.zaku": 5})
    values = enter(values, after)
    assert {"price.unit.gm", "price.unit.zaku", "switch.cooldown"} < values.keys()
    assert read(BOOK, values)[1] == after


@pytest.mark.parametrize(
    ("ended", "waits"), [(None, "it waits for the battle"), (7, "it waits for the next update and")]
)
def test_a_turn_that_a_battle_holds_says_whether_it_waits_for_an_update_too(ended: int | None, waits: str) -> None:
    """A turn ends once per update."""
    told = describe_wait(BOOK, enter(store_start(), replace(attack_colony(), update=ended)), 7, ())
    assert f"can't end yet: {waits}" in told


def test_a_scenario_that_claims_anothers_fingerprint_is_read_as_it_is() -> None:
    """Forged fingerprints don't mix wars up."""
    honest, forged = store_start(), json.loads(json.dumps(store_start()))
    for faction in forged[SCENARIO]["is"]["factions"].values():
        faction["gold"] += 1000
    for values, more in ((forged, 1000), (honest, 0)):
        gold = [item.gold for item in RULES.scenario.factions.values()]
        assert [item.gold for item in read(BOOK, values)[1].factions.values()] == [one + more for one in gold]
