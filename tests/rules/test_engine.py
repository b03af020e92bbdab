from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from rules.book import Book
from rules.dice import ScriptedDice
from rules.errors import BadCount, Contradiction, UnknownFamily, UnknownModifier, UnknownTable
from rules.loader import load_folder
from rules.modifiers import Adjustment, KnownFact, Origin
from rules.procedure import Conclusion, Part, Procedure, Request, Stage
from rules.ruleset import RuleSet, prepare_part, resolve
from rules.stages import TableMethod, family_tickables
from rules.tables import TableRow
from tests.answers.tables import roll_table

CATCH = "small.catch"
DAMAGE = "small.damage"
SCOUTS = Origin("typed", "the scouts say so")


def _plan(_part: Part, book: Book) -> Stage:
    return Stage(book.table(CATCH), then={"caught": Stage(book.table(DAMAGE))})


def _conclude(part: Part, rows: Sequence[TableRow]) -> Conclusion:
    row = rows[-1]
    return Conclusion(
        row.outcome, row.text, row.tone, "results", stops=f"spent on {part.key}" if row.outcome == "heavy" else None
    )


CHASE = Procedure(
    family="chase",
    title="Chase",
    actor="patrol",
    subject="target",
    headline="{patrol} chases {target}",
    method=TableMethod((CATCH, DAMAGE), _conclude, _plan),
)


@pytest.fixture(scope="module")
def book() -> RuleSet:
    """Load the small book with a chase."""
    return load_folder(Path(__file__).parent / "overlays" / "small", procedures=(CHASE,))


def _make_part(
    key: str = "one", *facts: str, marks: Mapping[str, int] | None = None, counts: Mapping[str, int] | None = None
) -> Part:
    known = {fact: KnownFact((counts or {}).get(fact, 1), SCOUTS) for fact in facts}
    return Part(key, {"target": key}, known, marks or {})


def _list_counted(book: RuleSet, of: Part, face: int = 10, reading: str | None = None) -> dict[str, int]:
    table = book.table(CATCH)
    step = roll_table(table, of, ScriptedDice.of([face]), table.readings[reading] if reading else None)
    return {item.modifier.id: item.amount for item in step.modifiers if item.count}


def test_facts_switch_modifiers_once_or_per_unit(book: RuleSet) -> None:
    """Facts keep their origin; negations need unknown ones."""
    step = roll_table(book.table(CATCH), _make_part("one", "patrol.fleet", "target.newtype"), ScriptedDice.of([13]))
    origins = {item.modifier.id: item.origin for item in step.modifiers if item.count}
    assert origins == {"patrol.fleet": SCOUTS, "target.newtype": SCOUTS}
    assert (step.sum, step.total, step.row.outcome, step.natural) == (4, 17, "missed", False)
    assert "weather.hides" in _list_counted(book, _make_part("one", "weather.fog"))
    assert "weather.hides" not in _list_counted(book, _make_part("one", "weather.fog", "target.airborne"))
    assert _list_counted(book, _make_part(marks={"service.balloons": 4})) == {"service.balloons": -4}
    of = _make_part("one", "service.balloons", counts={"service.balloons": 3})
    assert _list_counted(book, of) == {"service.balloons": -3}
    assert _list_counted(book, _make_part("one", "target.newtype", counts={"target.newtype": 5})) == {
        "target.newtype": -1
    }


def test_the_larger_alternative_counts_unless_another_is_ticked(book: RuleSet) -> None:
    """The farthest from zero counts; ticks override."""
    of = _make_part("one", "patrol.ship", "patrol.fleet")
    assert _list_counted(book, of) == {"patrol.fleet": 5}
    step = roll_table(book.table(CATCH), of, ScriptedDice.of([2]))
    assert step.modifiers[0].why == "patrol.fleet counts instead"
    assert _list_counted(book, _make_part("one", "patrol.fleet", marks={"patrol.ship": 1})) == {"patrol.ship": 3}
    assert _list_counted(book, _make_part("one", "target.newtype", marks={"target.newtype": 0})) == {}


def test_naturals_and_readings_change_what_a_total_means(book: RuleSet) -> None:
    """Modifiers don't change a natural; a reading drops groups."""
    step = roll_table(book.table(CATCH), _make_part(marks={"patrol.fleet": 1}, key="one"), ScriptedDice.of([1]))
    assert (step.row.outcome, step.natural, step.total) == ("missed", True, 6)
    step = roll_table(book.table(DAMAGE), _make_part(marks={"patrol.fleet": 1}), ScriptedDice.of([5, 5], sides=6))
    assert (step.total, step.natural) == (12, False)
    table = book.table(CATCH)
    step = roll_table(table, _make_part("one", "weather.fog"), ScriptedDice.of([20]), table.readings["at-night"])
    assert step.row.outcome == "missed"
    assert "weather.hides" not in {item.modifier.id for item in step.modifiers}


def test_steps_are_linked_by_outcome(book: RuleSet) -> None:
    """A catch leads to the second table; adjustments count on theirs."""
    request = Request("chase", (_make_part("one"), _make_part("two", "patrol.fleet")))
    resolution = resolve(request, book, ScriptedDice([(20, 5), (20, 14), (6, 1), (6, 1)]))
    assert [[step.table.id for step in result.on_tables] for result in resolution.parts] == [[CATCH], [CATCH, DAMAGE]]
    assert [result.conclusion and result.conclusion.outcome for result in resolution.parts] == ["missed", "none"]
    assert (resolution.book, resolution.fingerprint) == ("small", book.fingerprint)
    adjusted = replace(_make_part(), adjustments=(Adjustment(8, "luck"), Adjustment(-3, "armour", DAMAGE)))
    resolution = resolve(Request("chase", (adjusted,)), book, ScriptedDice([(20, 10), (6, 3), (6, 4)]))
    assert [step.total for step in resolution.parts[0].on_tables] == [18, 4]


def test_rolling_ends_when_a_conclusion_stops_it(book: RuleSet) -> None:
    """Later parts draw no dice and say why."""
    dice = ScriptedDice([(20, 18), (6, 6), (6, 6)])
    resolution = resolve(Request("chase", (_make_part("one"), _make_part("two"), _make_part("three"))), book, dice)
    dice.finish()
    assert [(result.unrolled, len(result.steps)) for result in resolution.parts] == [
        (None, 2),
        ("spent on one", 0),
        ("spent on one", 0),
    ]


def test_a_secret_counts_where_it_counted(book: RuleSet) -> None:
    """Considering a secret modifier isn't enough."""
    request = Request("chase", (_make_part("one"), _make_part("two", "target.tipped-off")))
    resolution = resolve(request, book, ScriptedDice.of([2, 2]))
    assert [result.secret for result in resolution.parts] == [False, True]


@pytest.mark.parametrize(
    ("marks", "error"),
    [
        ({"target.nwetype": 1}, UnknownModifier),
        ({"target.newtype": 2}, BadCount),
        ({"service.balloons": -1}, BadCount),
        ({"patrol.ship": 1, "patrol.fleet": 1}, Contradiction),
    ],
)
def test_wrong_ticks_are_refused_before_any_die(book: RuleSet, marks: dict[str, int], error: type[Exception]) -> None:
    """The last part's tick refuses the whole roll."""
    dice = ScriptedDice.of([5])
    with pytest.raises(error):
        resolve(Request("chase", (_make_part("one"), _make_part("two", marks=marks))), book, dice)
    with pytest.raises(Exception, match="1 of 1 dice"):
        dice.finish()


def test_unknown_names_are_refused_with_the_nearest(book: RuleSet) -> None:
    """Families and tables suggest what was meant."""
    with pytest.raises(UnknownFamily, match="'chase'"):
        resolve(Request("chaes", ()), book, ScriptedDice.of([]))
    with pytest.raises(UnknownTable, match=r"'small\.catch'"):
        book.table("small.cacth")


def test_stages_and_ticks_cover_all_tables_that_can_come(book: RuleSet) -> None:
    """A shared modifier is one tick with several values."""
    found = CHASE.method.stages(prepare_part(_make_part("one", "patrol.fleet"), CHASE, book), book)
    assert [(weighed.stage.table.id, weighed.sum) for weighed in found] == [(CATCH, 5), (DAMAGE, 2)]
    fleet = family_tickables(CHASE, book)["patrol.fleet"]
    assert (fleet.values, fleet.one_of) == ((5, 2), None)
