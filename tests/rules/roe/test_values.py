"""Values of the RoE book, for any question, and written weapons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.books.roe import catalog, weapons
from rules.books.roe.characters import check_arm, find_arm, list_arms
from rules.errors import RollError
from rules.loader import load_book
from tests.answers.roe import answer
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
    """All 27 options are described."""
    reply = (HERE / "values.txt").read_text("utf-8")
    options = ROE.entries_of(catalog.Option).values()
    assert len(options) == 27
    assert [
        item.label for item in options if f'"racials": ["{item.label}"]}} -> {{"race": {item.race}' not in reply
    ] == []


def test_the_catalog_holds_together() -> None:
    """39 tokens, and every name exists."""
    assert len(ROE.entries_of(catalog.WeaponToken)) == 39 + 1
    sizes = [ROE.entries_of(kind).keys() for kind in (catalog.DamageDie, catalog.Threshold, catalog.DualPenalty)]
    assert sizes[0] == sizes[1] == sizes[2]
    for token in ROE.entries_of(catalog.WeaponToken).values():
        weapon = weapons.find_weapon(ROE, token.label)
        assert token.size in sizes[0]
        assert set(weapon.traits) <= ROE.entries_of(catalog.WeaponTrait).keys()
        assert weapon.handling in weapons.find_mode(ROE, weapon).of
    assert {token.weapon_class for token in ROE.entries_of(catalog.WeaponToken).values()} == ROE.entries_of(
        catalog.WeaponClass
    ).keys()
    assert {item.dual_wields for item in ROE.entries_of(catalog.Size).values()} < sizes[0]
    assert {item.mode for item in ROE.entries_of(catalog.Volley).values()} < ROE.entries_of(catalog.Mode).keys()
    assert all({*item.immune, *item.immune_ballistic} <= sizes[0] for item in ROE.entries_of(catalog.Vehicle).values())
    assert {item.builtin for item in ROE.entries_of(catalog.Vehicle).values()} <= {
        None,
        *ROE.entries_of(catalog.WeaponToken),
    }
    assert {f"actor.{item.fact}" for item in ROE.entries_of(catalog.Stance).values() if item.fact} <= ROE.facts.keys()
    assert {f"actor.option.{name}" for name in ROE.entries_of(catalog.Option)} <= ROE.facts.keys()
    assert len(ROE.entries_of(catalog.VehicleSeat)) == 3


def test_one_number_swaps_the_two_damage_tables(tmp_path: Path) -> None:
    """An overlay changes the reading (A2)."""
    file = tmp_path / "swap.toml"
    file.write_text(SWAP)
    swapped = load_book("roe", overlays=[file])
    for token, sides in (("H_s_Axe", 70), ("H_a_ACannon", 100), ("L_s_Axe", 50)):
        asked = json.dumps({"op": "weapon", "token": token}).encode()
        assert answer(asked, swapped)["damage_sides"] == sides


@pytest.mark.slow
@given(MODS, st.randoms(), st.integers(-5, 5), st.booleans())
def test_the_order_of_modifiers_is_no_matter(mods: list[Any], order: Any, gm: int, seat: bool) -> None:  # noqa: ANN401, FBT001 - as hypothesis draws them
    """Nothing beyond the cap counts."""
    named: dict[object, Any] = {mod["name"] if isinstance(mod, dict) else place: mod for place, mod in enumerate(mods)}
    mixed = [*named.values()]
    first = ask(op="sum", mods=mixed, gm=gm, seat=seat)
    order.shuffle(mixed)
    assert ask(op="sum", mods=mixed, gm=gm, seat=seat) == first
    assert first["applied"] == min(first["raw"], 30)


@given(MODS, st.sampled_from(["stand", "kneel", "prone"]), st.booleans(), st.integers(0, 9))
def test_nobody_moves_back(mods: list[Any], stance: str, climbing: bool, obstacles: int) -> None:  # noqa: FBT001 - as hypothesis draws them
    """More obstacles never add metres."""
    plain = [mod["value"] if isinstance(mod, dict) else mod for mod in mods]
    way: dict[str, Any] = {"op": "move", "mods": plain, "stance": stance, "climbing": climbing}
    nearer, farther = (ask(**way, obstacles=count)["metres"] for count in (obstacles + 1, obstacles))
    assert 0 <= nearer <= farther


@given(st.floats(0, 1000, allow_nan=False), st.booleans())
def test_a_range_lies_in_one_band(range_m: float, sniper: bool) -> None:  # noqa: FBT001 - as hypothesis draws them
    """A sniper's die is never smaller."""
    reply = ask(op="weapon", sniper=sniper, range_m=range_m)
    assert reply["band"] == ("close" if range_m <= 20 else "medium" if range_m < 50 else "long")
    assert reply["sides"] <= ask(op="weapon", sniper=True, range_m=range_m)["sides"]


ODD = ["Gun = M_x_Rifle", "Odd = M_a_Rifle + A + B + C", "Rifle = M_a_Rifle"]


@pytest.mark.parametrize(("typed", "words"), [("Gun", "'M_x_Rifle'"), ("Odd", "at most 2 attachments")])
def test_what_cannot_be_read_is_told_when_it_is_named(typed: str, words: str) -> None:
    """The list skips it; naming it shows the error."""
    assert next(arm.name for arm in list_arms(ROE, ODD)) == "Rifle"
    with pytest.raises(RollError, match=words):
        find_arm(ROE, ODD, typed)


@pytest.mark.parametrize(
    "written", ["M_a_Rifle", "Rifle = M_a_Rifle + Scope accuracy 5 damage -3 + Mark 2", "l_B_club"]
)
def test_what_can_be_read_is_no_fault(written: str) -> None:
    """Other numbers belong to a name."""
    check_arm(ROE, written)
