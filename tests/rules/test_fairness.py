"""Chi-square against printed tables, closed forms and what must hold between its values."""

from __future__ import annotations

from itertools import pairwise
from math import erfc, exp, sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.fairness import LEAST, chance_of, fit


@pytest.mark.parametrize(
    ("statistic", "freedom", "chance"),
    [
        (3.841459, 1, 0.05),
        (6.634897, 1, 0.01),
        (11.070498, 5, 0.05),
        (15.086272, 5, 0.01),
        (1.145476, 5, 0.95),
        (30.143527, 19, 0.05),
        (10.117013, 19, 0.95),
        (36.190869, 19, 0.01),
        (123.225221, 99, 0.05),
        (77.046332, 99, 0.95),
        (148.230360, 99, 0.001),
    ],
)
def test_values_are_those_of_printed_tables(statistic: float, freedom: int, chance: float) -> None:
    """The quantiles that every book of tables has."""
    assert chance_of(statistic, freedom) == pytest.approx(chance, rel=1e-5)


@given(st.floats(0, 700))
def test_one_and_two_degrees_have_closed_forms(statistic: float) -> None:
    """With one degree it is the error function, with two an exponential."""
    assert chance_of(statistic, 1) == pytest.approx(erfc(sqrt(statistic / 2)), rel=1e-9, abs=1e-14)
    assert chance_of(statistic, 2) == pytest.approx(exp(-statistic / 2), rel=1e-9, abs=1e-14)


@given(st.floats(0, 5000), st.integers(1, 999))
def test_more_degrees_and_smaller_values_are_likelier(statistic: float, freedom: int) -> None:
    """It lies between 0 and 1, falls with the value, and grows with the degrees."""
    chance = chance_of(statistic, freedom)
    assert -1e-12 <= chance <= 1 + 1e-12
    assert chance_of(statistic + 1, freedom) <= chance + 1e-12
    assert chance_of(statistic, freedom + 1) >= chance - 1e-12


@given(st.lists(st.integers(0, 400), min_size=2, max_size=120))
def test_groups_are_large_enough_or_there_is_no_test(counts: list[int]) -> None:
    """No group is expected less often than the least; none is made where two of them would be."""
    found, thrown, sides = fit(counts), sum(counts), len(counts)
    if found is None:
        assert thrown * (sides // 2) < LEAST * sides
    else:
        assert thrown * found.grouped >= LEAST * sides
        assert found.grouped == 1 or thrown * (found.grouped - 1) < LEAST * sides
        assert found.freedom == sides // found.grouped - 1 >= 1


def test_even_counts_are_a_perfect_fit_and_one_face_is_none() -> None:
    """All faces alike come up as often in all campaigns, a die that shows one face in none."""
    even, one = fit([10] * 20), fit([200] + [0] * 19)
    assert even is not None
    assert one is not None
    assert (even.statistic, even.chance) == (0, 1)
    assert one.chance < 1e-300
    assert fit([1] * 6) is None


def test_chances_of_fair_dice_are_spread_evenly() -> None:
    """Of fair dice a tenth have a chance below a tenth, and so on: what the sentence says is so."""
    draw = Random(7)  # noqa: S311 - a fixed draw
    found = []
    for _ in range(2000):
        counts = [0] * 20
        for face in draw.choices(range(20), k=400):
            counts[face] += 1
        made = fit(counts)
        assert made is not None
        found.append(made.chance)
    bounds = [place / 10 for place in range(11)]
    shares = [sum(low <= chance < high for chance in found) / len(found) for low, high in pairwise(bounds)]
    assert all(0.075 < share < 0.125 for share in shares), shares
