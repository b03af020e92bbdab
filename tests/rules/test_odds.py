from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import erfc, exp, sqrt
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.dice import ScriptedDice
from rules.errors import WrongDice
from rules.loader import load_book, load_folder
from rules.modifiers import KnownFact, Modifier, Origin, list_mentioned_facts
from rules.odds import LEAST_EXPECTED, chance_of, fit_to_fair, table_odds
from rules.procedure import Part, PartResult, Procedure, Request, Stage
from rules.ruleset import RuleSet, prepare_part, resolve
from rules.stages import weigh_stage
from rules.tables import RollTable
from tests.answers.tables import roll_table

CAMPAIGN = load_book("campaign")
SMALL = load_folder(Path(__file__).parent / "overlays" / "small")
TABLES = [*CAMPAIGN.tables.values(), *SMALL.tables.values()]
SOME = [*TABLES[::3], *(pytest.param(table, marks=pytest.mark.slow) for at, table in enumerate(TABLES) if at % 3)]
TOLD = Origin("typed", "told")
PLACES = {"zone": "Australia", "region": "Coral Sea"}
MORE_THAN_ANY_SUM = 100


@st.composite
def _draw_ticks(draw: st.DrawFn, modifiers: list[Modifier]) -> dict[str, int]:
    alternatives: dict[str, set[str]] = {}
    for modifier in modifiers:
        alternatives.setdefault(modifier.id, set()).update({modifier.one_of} if modifier.one_of else ())
    units = {modifier.id for modifier in modifiers if modifier.per}
    marks: dict[str, int] = {}
    taken: set[str] = set()
    for name in draw(st.lists(st.sampled_from(sorted(alternatives)), unique=True, max_size=8)) if alternatives else ():
        marks[name] = 0 if alternatives[name] & taken else draw(st.integers(0, 4 if name in units else 1))
        taken |= alternatives[name] if marks[name] else set()
    return marks


@st.composite
def parts(draw: st.DrawFn, *tables: RollTable, procedure: Procedure | None = None) -> Part:
    """Draw a part with some known facts and ticks."""
    modifiers = [modifier for table in tables for modifier in table.modifiers]
    asked = sorted({fact for modifier in modifiers for fact in list_mentioned_facts(modifier.when)})
    known = draw(st.dictionaries(st.sampled_from(asked), st.integers(1, 3))) if asked else {}
    roles = draw(st.sampled_from([(procedure.actor, procedure.subject), (procedure.actor,)])) if procedure else ()
    choices = procedure.choices if procedure else ()
    decided = procedure.method.decided_by_choice if procedure else ()
    return Part(
        key="one",
        subjects={role: PLACES.get(role, role) for role in roles},
        facts={fact: KnownFact(count, TOLD) for fact, count in known.items()},
        marks=draw(_draw_ticks([modifier for modifier in modifiers if modifier.id not in decided])),
        choices={choice.id: draw(st.sampled_from(choice.options)) for choice in choices},
    )


def _try_falls(part: Part, procedure: Procedure, book: RuleSet) -> Iterator[tuple[PartResult, Fraction]]:
    waiting: list[list[tuple[int, int]]] = [[]]
    while waiting:
        script = waiting.pop()
        try:
            result = resolve(Request(procedure.family, (part,)), book, ScriptedDice(script)).parts[0]
        except WrongDice:
            waiting.extend([*script, (20, face)] for face in range(1, 21))
        else:
            yield result, Fraction(1, 20 ** len(script))


@pytest.mark.parametrize("table", SOME, ids=lambda table: table.id)
def test_every_total_has_exactly_one_row(table: RollTable) -> None:
    """Whatever the modifiers add up to."""
    totals = range(table.die.low - MORE_THAN_ANY_SUM, table.die.high + MORE_THAN_ANY_SUM + 1)
    assert [total for total in totals if sum(row.holds(total) for row in table.rows) != 1] == []


@pytest.mark.parametrize("table", SOME, ids=lambda table: table.id)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_table_odds_agree_with_every_fall(table: RollTable, data: st.DataObject) -> None:
    """Rolling every face gives the same chances."""
    part = data.draw(parts(table))
    reading = data.draw(st.sampled_from([None, *table.readings.values()]))
    falls = product(range(1, table.die.sides + 1), repeat=table.die.count)
    steps = [roll_table(table, part, ScriptedDice.of(faces, table.die.sides), reading) for faces in falls]
    odds = table_odds(table, weigh_stage(Stage(table, reading), part, first=True).sum, reading)
    counts = Counter(step.row.outcome for step in steps)
    expected = {outcome: Fraction(count, counts.total()) for outcome, count in counts.items()}
    assert {outcome: chance for outcome, chance in odds.items() if chance} == expected
    assert sum(odds.values()) == 1
    assert {tuple(item.modifier for item in step.modifiers) for step in steps} == {
        table.modifier_set(reading).modifiers
    }
    assert all(step.total == step.roll.total + sum(item.amount for item in step.modifiers) for step in steps)


@pytest.mark.parametrize("table", SOME, ids=lambda table: table.id)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_at_most_one_alternative_counts(table: RollTable, data: st.DataObject) -> None:
    """Whatever is known and ticked."""
    weighed = weigh_stage(Stage(table), data.draw(parts(table)), first=True)
    counted = Counter(item.modifier.one_of for item in weighed.modifiers if item.count and item.modifier.one_of)
    assert [group for group, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("procedure", CAMPAIGN.procedures.values(), ids=lambda procedure: procedure.family)
@given(data=st.data())
@settings(max_examples=5, deadline=None)
def test_part_odds_agree_with_every_fall(procedure: Procedure, data: st.DataObject) -> None:
    """Whole rolls agree too."""
    part = data.draw(parts(*map(CAMPAIGN.table, procedure.method.tables), procedure=procedure))
    tried: dict[str, Fraction] = {}
    for result, chance in _try_falls(part, procedure, CAMPAIGN):
        assert result.conclusion is not None
        outcome = result.conclusion.outcome
        tried[outcome] = tried.get(outcome, Fraction(0)) + chance
    odds = procedure.method.odds(prepare_part(part, procedure, CAMPAIGN), CAMPAIGN)
    assert {chance.conclusion.outcome: chance.chance for chance in odds} == tried
    assert sum(chance.chance for chance in odds) == 1


def test_odds_keep_rows_that_are_out_of_reach() -> None:
    """In row order, with a chance of 0."""
    odds = table_odds(SMALL.table("small.damage"), -9)
    assert list(odds.items()) == [("heavy", Fraction(1, 36)), ("light", Fraction(0)), ("none", Fraction(35, 36))]


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
    """Quantiles from any statistics book."""
    assert chance_of(statistic, freedom) == pytest.approx(chance, rel=1e-5)


@given(st.floats(0, 700))
def test_one_and_two_degrees_have_closed_forms(statistic: float) -> None:
    """Error function and exponential."""
    assert chance_of(statistic, 1) == pytest.approx(erfc(sqrt(statistic / 2)), rel=1e-9, abs=1e-14)
    assert chance_of(statistic, 2) == pytest.approx(exp(-statistic / 2), rel=1e-9, abs=1e-14)


@given(st.floats(0, 5000), st.integers(1, 999))
def test_more_degrees_and_smaller_values_are_likelier(statistic: float, freedom: int) -> None:
    """Between 0 and 1, and monotonic."""
    chance = chance_of(statistic, freedom)
    assert -1e-12 <= chance <= 1 + 1e-12
    assert chance_of(statistic + 1, freedom) <= chance + 1e-12
    assert chance_of(statistic, freedom + 1) >= chance - 1e-12


@given(st.lists(st.integers(0, 400), min_size=2, max_size=120))
def test_groups_are_large_enough_or_there_is_no_test(counts: list[int]) -> None:
    """Each is expected often enough."""
    found, thrown, sides = fit_to_fair(counts), sum(counts), len(counts)
    if found is None:
        assert thrown * (sides // 2) < LEAST_EXPECTED * sides
    else:
        assert thrown * found.grouped >= LEAST_EXPECTED * sides
        assert found.grouped == 1 or thrown * (found.grouped - 1) < LEAST_EXPECTED * sides
        assert found.freedom == sides // found.grouped - 1 >= 1


def test_even_counts_are_a_perfect_fit_and_one_face_is_none() -> None:
    """Their chances are 1 and 0."""
    even, one = fit_to_fair([10] * 20), fit_to_fair([200] + [0] * 19)
    assert even is not None
    assert one is not None
    assert (even.statistic, even.chance) == (0, 1)
    assert one.chance < 1e-300
    assert fit_to_fair([1] * 6) is None


def test_chances_of_fair_dice_are_spread_evenly() -> None:
    """A tenth are below a tenth."""
    draw = Random(7)  # noqa: S311 - a fixed draw
    found = []
    for _ in range(2000):
        counts = [0] * 20
        for face in draw.choices(range(20), k=400):
            counts[face] += 1
        made = fit_to_fair(counts)
        assert made is not None
        found.append(made.chance)
    bounds = [place / 10 for place in range(11)]
    shares = [sum(low <= chance < high for chance in found) / len(found) for low, high in pairwise(bounds)]
    assert all(0.075 < share < 0.125 for share in shares), shares
