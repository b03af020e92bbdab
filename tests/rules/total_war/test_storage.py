"""What is kept of a war: only what is otherwise than before, and read again as it was."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest
from msgspec.structs import replace

from rules.books.total_war import storage
from rules.books.total_war.phases import describe_wait
from rules.books.total_war.storage import SCENARIO, WAR, Values, list_changes, read, store_scenario
from rules.books.total_war.war import War
from rules.geometry import Hex
from tests.rules.total_war.asking import BOOK
from tests.rules.total_war.wars import RULES, attacked, met, played, seeds


def kept() -> dict[str, Any]:
    """What is kept of a war that has just begun."""
    return {WAR: {"name": "First days", "turn": 1}, SCENARIO: store_scenario(RULES.scenario, "f" * 64)}


def entered(values: Values, war: War) -> dict[str, Any]:
    """What is kept once a war stands so, as a ledger gives it back."""
    then = {**values, **{name: value for _, name, value in list_changes(BOOK, values, war)}}
    return {name: json.loads(json.dumps(value)) for name, value in then.items() if value is not None}


@pytest.mark.parametrize("seed", seeds(6))
def test_each_order_changes_what_is_otherwise_and_nothing_else(seed: int) -> None:
    """After each order of a game the war is read as it stands, no change is none, and there is nothing left to change."""
    values = kept()
    for *_, war in played(seed, 6):
        made = list_changes(BOOK, values, war)
        assert all(value != values.get(name) for _, name, value in made)
        assert len({name for _, name, _ in made}) == len(made)
        values = entered(values, war)
        assert read(BOOK, values)[1] == war
        assert list_changes(BOOK, values, war) == ()


@pytest.mark.parametrize("seed", seeds(6))
def test_what_is_kept_does_not_hang_on_what_was_read_before(seed: int) -> None:
    """A war that was read before, and one that was not, are the same and come to the same changes."""
    values = kept()
    for *_, war in islice(played(seed, 1), 20):
        before, made = read(BOOK, values)[1], list_changes(BOOK, values, war)
        storage._part.cache_clear()
        assert read(BOOK, values)[1] == before
        assert list_changes(BOOK, values, war) == made
        values = entered(values, war)


def test_parts_that_are_kept_alike_are_read_once() -> None:
    """A force that has changed is another one, and its neighbour is the very one that was read before."""
    war = read(BOOK, kept())[1]
    moved = war.with_forces(*(replace(war.forces[name], moved=True) for name in ("1st Fleet", "2nd Fleet")))
    values = entered(kept(), moved)
    first = read(BOOK, values)[1]
    back = entered(values, first.with_forces(war.forces["1st Fleet"]))
    again = read(BOOK, back)[1]
    assert first.forces["2nd Fleet"] is again.forces["2nd Fleet"]
    assert again.forces["1st Fleet"] == war.forces["1st Fleet"] != first.forces["1st Fleet"]
    assert back.keys() - kept().keys() == {"force.2nd Fleet"}


def test_in_which_order_values_are_kept_is_no_matter() -> None:
    """A database gives them back in an order of its own: players, forces and battles stand in one and the same all the same."""
    war = met()
    (battle,) = war.battles.values()
    war = replace(war, battles={battle.at: battle, Hex(0, 0): replace(battle, at=Hex(0, 0))})
    values = entered(kept(), war)
    turned = {name: values[name] for name in reversed(values)}
    one, other = read(BOOK, values)[1], read(BOOK, turned)[1]
    for name in ("panels", "factions", "forces", "players", "battles"):
        assert [*getattr(one, name)] == [*getattr(other, name)]
    assert [*storage.read_battles(values)] == [*storage.read_battles(turned)]
    assert (len(one.players), len(one.battles)) == (4, 2)


def test_prices_and_switches_are_kept_apart() -> None:
    """Each that is set is a value of its own, taken back without whatever was set since; prices of an older version are read, and kept by names of their own with the next change."""
    war = replace(read(BOOK, kept())[1], prices={"unit.gm": 25}, switches={"cooldown": 1, "ace-kills": (1, 2, 3, 4, 5)})
    values = entered(kept(), war)
    assert values.keys() - kept().keys() == {"price.unit.gm", "switch.cooldown", "switch.ace-kills"}
    assert read(BOOK, values)[1] == war
    del values["price.unit.gm"]
    assert read(BOOK, values)[1] == replace(war, prices={})
    war = replace(read(BOOK, kept())[1], units=40)
    values = entered(kept(), war)
    older = values["course"]["is"] | {"prices": {"unit.gm": 25}, "switches": {"cooldown": 1}}
    values |= {"course": {"open": True, "is": older}}
    then = replace(war, prices={"unit.gm": 25}, switches={"cooldown": 1})
    assert read(BOOK, values)[1] == then
    after = replace(then, prices={"unit.gm": 25, "unit.zaku": 5})
    values = entered(values, after)
    assert {"price.unit.gm", "price.unit.zaku", "switch.cooldown"} < values.keys()
    assert read(BOOK, values)[1] == after


@pytest.mark.parametrize(
    ("ended", "waits"), [(None, "it waits for the battle"), (7, "it waits for the next update and")]
)
def test_a_turn_that_a_battle_holds_says_whether_it_waits_for_an_update_too(ended: int | None, waits: str) -> None:
    """A turn ends once in an update: where one has ended in it, the next one's battle is not all that the turn waits for."""
    told = describe_wait(BOOK, entered(kept(), replace(attacked(), update=ended)), 7, ())
    assert f"can't end yet: {waits}" in told


def test_a_scenario_that_claims_anothers_fingerprint_is_read_as_it_is() -> None:
    """Wars of other campaigns begin as their own scenarios say, whatever fingerprint a forged file claims."""
    honest, forged = kept(), json.loads(json.dumps(kept()))
    for faction in forged[SCENARIO]["is"]["factions"].values():
        faction["gold"] += 1000
    for values, more in ((forged, 1000), (honest, 0)):
        gold = [item.gold for item in RULES.scenario.factions.values()]
        assert [item.gold for item in read(BOOK, values)[1].factions.values()] == [one + more for one in gold]
