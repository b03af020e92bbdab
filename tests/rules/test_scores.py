from __future__ import annotations

from pathlib import Path

import pytest

from rules.book import weigh_score
from rules.errors import BookError
from rules.kinds import CatalogEntry
from rules.loader import load_folder
from rules.modifiers import Adjustment, KnownFact, Origin
from tests.rules.toybook import FOLDER, TOY

BOATS = """
[[catalog.boat]]
id    = "punt"
label = "Punt"
line  = 83
seats = 2
built-in = ["pole"]
[[catalog.boat]]
id    = "barge"
label = "Barge"
line  = 84
seats = 9
"""


class _Boat(CatalogEntry, frozen=True):
    """A boat of a catalog."""

    kind = "boat"
    seats: int
    built_in: tuple[str, ...] = ()


KINDS = {_Boat.kind: _Boat}
TABLE = "[[table]]\nid = 'x'\ntitle = 'X'\nsource = { book = 'b', section = 's' }\n"
ROWS = "rows = [{ outcome = 'a', text = 'A', line = 1 }]"
TOLD = Origin("typed", "told")
HEAD = """
[overlay]
id = "more"
extends = "toy"
source = { book = "House rules", section = "More" }
"""


def _list_faults(folder: Path, text: str) -> list[str]:
    file = folder / "more.toml"
    file.write_text(HEAD + text)
    with pytest.raises(BookError) as caught:
        load_folder(FOLDER, overlays=[file], kinds=KINDS)
    return [fault.what for fault in caught.value.faults]


def test_a_score_counts_on_both_sides_under_the_names_of_their_roles() -> None:
    """One line serves actor and resister."""
    pull, hold = TOY.table("toy.pull"), TOY.table("toy.hold")
    assert [item.id for item in pull.modifiers] == ["actor.strong", "actor.tired", "actor.grip-of-gear"]
    assert [item.when for item in hold.modifiers] == [
        (("resister.strong",),),
        (("resister.tired", "!resister.rope"),),
        (("resister.accuracy",),),
    ]
    assert {item.line for item in pull.modifiers} == {72, 73, 74}
    lift = TOY.table("toy.lift")
    assert [item.id for item in lift.modifiers] == [
        "actor.strong",
        "actor.tired",
        "actor.grip-of-gear",
        "actor.lever",
        "resister.lever",
    ]


@pytest.mark.parametrize(
    ("facts", "plus", "raw", "value"),
    [
        ({}, 0, 2, 2),
        ({"strong": 1}, 0, 22, 22),
        ({"strong": 1, "accuracy": 12}, 0, 34, 30),
        ({"strong": 1, "accuracy": 12}, -10, 24, 24),
        ({"tired": 1}, 0, -13, -13),
        ({"tired": 1, "rope": 1}, 0, 2, 2),
        ({"accuracy": -40}, 0, -38, -38),
    ],
)
def test_a_score_is_added_up_before_its_cap(facts: dict[str, int], plus: int, raw: int, value: int) -> None:
    """Base and adjustments included."""
    adjustments = (Adjustment(plus, "why not"),) if plus else ()
    known = {f"resister.{name}": KnownFact(count, TOLD) for name, count in facts.items()}
    weighed = weigh_score(TOY.scores["grip"], "resister", known, adjustments=adjustments)
    assert (weighed.raw, weighed.value) == (raw, value)


def test_a_table_like_another_says_what_it_says_and_has_the_rest() -> None:
    """Its rows replace the pattern's one by one."""
    tug, hold = TOY.table("toy.tug"), TOY.table("toy.hold")
    assert (tug.die, tug.against, tug.modifiers) == (hold.die, hold.against, hold.modifiers)
    assert [(row.outcome, row.text, row.max, row.tone) for row in tug.rows] == [
        ("pulled", "Into the mud", -1, "success"),
        ("stays", "Stays", None, "failure"),
    ]
    assert [(item.face, item.outcome) for item in tug.naturals] == [(1, "pulled"), (100, "pulled")]


def test_a_catalog_holds_entries_of_the_kinds_of_its_book(tmp_path: Path) -> None:
    """In page order."""
    file = tmp_path / "boats.toml"
    file.write_text(HEAD + BOATS)
    book = load_folder(FOLDER, overlays=[file], kinds=KINDS)
    assert [*book.entries_of(_Boat).values()] == [
        _Boat(id="punt", label="Punt", line=83, seats=2, built_in=("pole",)),
        _Boat(id="barge", label="Barge", line=84, seats=9),
    ]


def test_an_overlay_changes_a_score_on_every_table_and_an_entry_by_its_id(tmp_path: Path) -> None:
    """One line in one place."""
    boats, file = tmp_path / "boats.toml", tmp_path / "more.toml"
    boats.write_text(HEAD.replace("more", "boats") + BOATS)
    file.write_text(f"""{HEAD}
[[scores]]
id = "grip"
label = "Grip"
line = 1
modifiers = [{{ id = "strong", value = 25, label = "Strong", group = "body", line = 1 }}]

[[catalog.boat]]
id = "punt"
label = "Punt"
line = 1
seats = 3
""")
    book = load_folder(FOLDER, overlays=[boats, file], kinds=KINDS)
    assert [book.table(name).modifiers[0].value for name in ("toy.pull", "toy.hold", "toy.tug")] == [25, 25, 25]
    assert [item.value for item in book.scores["grip"].modifiers] == [25, -15, 1]
    assert [boat.seats for boat in book.entries_of(_Boat).values()] == [3, 9]
    assert book.fingerprint != TOY.fingerprint


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[catalog.bote]]\nid = 'x'", "catalog bote: unknown kind, did you mean boat?"),
        ("[[catalog.boat]]\nid = 'x'\nlabel = 'X'\nline = 1", "boat x: Object missing required field `seats`"),
        (
            "[[catalog.boat]]\nid = 'x'\nlabel = 'X'\nline = 1\nseats = 'two'",
            "boat x: Expected `int`, got `str` - at `$.seats`",
        ),
        (f"{TABLE}like = 'toy.hold'", "table x: like toy.hold: unknown table"),
        (
            f"{TABLE}die = 6\nscores = {{ actor = ['gripp'] }}\n{ROWS}",
            "table x: unknown score gripp, did you mean grip?",
        ),
    ],
)
def test_what_is_not_there_is_told(tmp_path: Path, text: str, told: str) -> None:
    """Unknown kinds, values, patterns and scores are faults."""
    found = _list_faults(tmp_path, text)
    assert any(told in fault for fault in found), found
