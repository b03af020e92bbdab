"""Values of the RoE book, asked as on the command line: what holds of any question."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.books.roe import weapons
from rules.books.roe.catalog import (
    DamageDie,
    DualPenalty,
    Mode,
    Note,
    Option,
    Size,
    Stance,
    Threshold,
    Vehicle,
    VehicleSeat,
    Volley,
    WeaponClass,
    WeaponToken,
    WeaponTrait,
)
from rules.loader import load_book
from tests.answers.roe import OPS, answer
from tests.rules.roe.asking import HERE, ROE, ask

SWAP = """
[overlay]
id = "swap"
extends = "roe"
source = { book = "House rules", section = "Damage" }

[[catalog.number]]
id = "melee-damage-table"
label = "The second"
line = 252
value = 2
"""
RULE = re.compile(r"\bC\d\d\.\d+")
MODS: st.SearchStrategy[list[Any]] = st.lists(
    st.integers(-50, 50)
    | st.builds(
        dict,
        name=st.sampled_from(["Arm", "Eye", "Leg"]),
        value=st.integers(-50, 50),
        on=st.sampled_from(["character", "weapon"]),
    ),
    max_size=6,
)


def test_every_option_has_its_effects_in_a_golden_line() -> None:
    """The effects of each of the 27 racial options are told, word for word."""
    told = (HERE / "values.txt").read_text("utf-8")
    options = ROE.listed(Option).values()
    assert len(options) == 27
    assert [
        item.label for item in options if f'"racials": ["{item.label}"]}} -> {{"race": {item.race}' not in told
    ] == []


def test_the_catalog_holds_together() -> None:
    """There are 39 tokens beside unarmed strikes, and whatever an entry names is there."""
    assert len(ROE.listed(WeaponToken)) == 39 + 1
    sizes = [ROE.listed(kind).keys() for kind in (DamageDie, Threshold, DualPenalty)]
    assert sizes[0] == sizes[1] == sizes[2]
    for token in ROE.listed(WeaponToken).values():
        weapon = weapons.find_weapon(ROE, token.label)
        assert token.size in sizes[0]
        assert set(weapon.traits) <= ROE.listed(WeaponTrait).keys()
        assert weapon.handling in weapons.find_mode(ROE, weapon).of
    assert {token.weapon_class for token in ROE.listed(WeaponToken).values()} == ROE.listed(WeaponClass).keys()
    assert {item.dual_wields for item in ROE.listed(Size).values()} < sizes[0]
    assert {item.mode for item in ROE.listed(Volley).values()} < ROE.listed(Mode).keys()
    assert all({*item.immune, *item.immune_ballistic} <= sizes[0] for item in ROE.listed(Vehicle).values())
    assert {item.builtin for item in ROE.listed(Vehicle).values()} <= {None, *ROE.listed(WeaponToken)}
    assert {f"actor.{item.fact}" for item in ROE.listed(Stance).values() if item.fact} <= ROE.facts.keys()
    assert {f"actor.option.{name}" for name in ROE.listed(Option)} <= ROE.facts.keys()
    assert len(ROE.listed(VehicleSeat)) == 3


def test_one_number_swaps_the_two_damage_tables(tmp_path: Path) -> None:
    """Which table is that of melee weapons is a reading (A2) that an overlay changes in one line."""
    file = tmp_path / "swap.toml"
    file.write_text(SWAP)
    swapped = load_book("roe", overlays=[file])
    for token, sides in (("H_s_Axe", 70), ("H_a_ACannon", 100), ("L_s_Axe", 50)):
        asked = json.dumps({"op": "weapon", "token": token}).encode()
        assert answer(asked, swapped)["damage_sides"] == sides


def test_notes_name_their_rules() -> None:
    """What is told beside the dice names one rule each, and is one sentence."""
    notes = ROE.listed(Note).values()
    assert len({note.rule for note in notes}) == len(notes) > 0
    assert all(RULE.fullmatch(note.rule) and note.label.endswith(".") for note in notes)


@pytest.mark.slow
@given(MODS, st.randoms(), st.integers(-5, 5), st.booleans())
def test_the_order_of_modifiers_is_no_matter(mods: list[Any], order: Any, gm: int, seat: bool) -> None:  # noqa: ANN401, FBT001 - as hypothesis draws them
    """Where names differ, any order comes to the same, and nothing beyond the cap is applied."""
    named: dict[object, Any] = {mod["name"] if isinstance(mod, dict) else place: mod for place, mod in enumerate(mods)}
    mixed = [*named.values()]
    first = ask(op="sum", mods=mixed, gm=gm, seat=seat)
    order.shuffle(mixed)
    assert ask(op="sum", mods=mixed, gm=gm, seat=seat) == first
    assert first["applied"] == min(first["raw"], 30)


@given(MODS, st.sampled_from(["stand", "kneel", "prone"]), st.booleans(), st.integers(0, 9))
def test_nobody_moves_back(mods: list[Any], stance: str, climbing: bool, obstacles: int) -> None:  # noqa: FBT001 - as hypothesis draws them
    """Metres are never below nought, and more obstacles never make them more."""
    plain = [mod["value"] if isinstance(mod, dict) else mod for mod in mods]
    way: dict[str, Any] = {"op": "move", "mods": plain, "stance": stance, "climbing": climbing}
    nearer, farther = (ask(**way, obstacles=count)["metres"] for count in (obstacles + 1, obstacles))
    assert 0 <= nearer <= farther


@given(st.floats(0, 1000, allow_nan=False), st.booleans())
def test_a_range_lies_in_one_band(range_m: float, sniper: bool) -> None:  # noqa: FBT001 - as hypothesis draws them
    """Every range has its band, and a sniper's die is never smaller."""
    told = ask(op="weapon", sniper=sniper, range_m=range_m)
    assert told["band"] == ("close" if range_m <= 20 else "medium" if range_m < 50 else "long")
    assert told["sides"] <= ask(op="weapon", sniper=True, range_m=range_m)["sides"]


@pytest.mark.parametrize("op", ["sum", "character", "conditions", "move", "weapon", "dual", "vehicle", "pet", "stack"])
def test_a_key_that_is_unknown_or_of_a_wrong_type_is_told(op: str) -> None:
    """Neither ends the run; each is answered with an error."""
    assert op in OPS
    for question in (
        {"hat": 1},
        {"mods": 3, "feet": "x", "size": [], "class": 1, "level": "1", "token": 5, "weapons": 2},
    ):
        assert [*ask(op=op, **question)] == ["error"]
