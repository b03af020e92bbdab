from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rules.loader import load_book, load_folder
from rules.modifiers import TICKED, KnownFact, Modifier, ModifierSet, Origin
from rules.ruleset import dump_book
from rules.subjects import BadValue, FieldValue
from tests.rules.toybook import FOLDER, TOY

SAVED = Origin("saved", "Scope")
LEVEL = load_book("campaign").fields["newtype"]


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("accuracy", "-5", -5),
        ("accuracy", "+12", 12),
        ("school", "OLD-owl", "Old Owl"),
        ("gear", "Scope; Rope, Scope", ["Scope", "Rope", "Scope"]),
        ("motto", "Onwards: ever", "Onwards: ever"),
        ("motto", None, None),
    ],
)
def test_a_text_is_read_as_what_a_field_takes(field: str, text: str | None, value: FieldValue | None) -> None:
    """Signs, capitals and hyphens don't matter; it types back."""
    item = TOY.fields[field]
    assert item.read(text) == value
    assert value is None or item.read(item.format(value)) == value


@pytest.mark.parametrize(
    ("field", "text"), [("accuracy", "1.5"), ("accuracy", "31"), ("accuracy", ""), ("school", "-")]
)
def test_what_a_field_does_not_take_is_no_value(field: str, text: str) -> None:
    """Ranges, numbers and words are checked."""
    with pytest.raises(BadValue):
        TOY.fields[field].read(text)


def test_facts_follow_from_what_is_kept() -> None:
    """Numbers count or give traits; words are facts."""
    fields = TOY.fields
    assert fields["accuracy"].facts(-5) == {"accuracy": -5}
    assert fields["accuracy"].facts(0) == {}
    assert fields["school"].facts("Old Owl") == {"school": 1, "school.old-owl": 1}
    assert fields["gear"].facts(["Scope", "scope"]) == {"gear": 1, "gear.scope": 1}
    assert fields["motto"].facts("Onwards") == {"motto": 1}
    assert [LEVEL.facts(level) for level in (0, 1, 9, 10)] == [
        {},
        {"newtype": 1},
        {"newtype": 1},
        {"newtype": 1, "newtype-prophet": 1},
    ]
    assert [LEVEL.describe(level) for level in (0, 7)] == ["Oldtype", "newtype level 7"]


def test_a_modifier_takes_its_signed_value_from_what_is_saved() -> None:
    """Times the number; without one it's 0."""
    lines = [
        Modifier("aim", 2, "Aim", "aim", 1, when=(("a.aim",),), one_of="eye", times="a.aim"),
        Modifier("luck", -1, "Luck", "aim", 2, when=(("a.luck",),), one_of="eye", times="a.luck"),
        Modifier("only", 1, "Only then", "aim", 3, when=(("a.aim", "b.near"),), times="a.aim"),
    ]
    weighed = ModifierSet(tuple(lines)).weigh({"a.aim": KnownFact(-3, SAVED), "a.luck": KnownFact(5, SAVED)}, {})
    assert [item.amount for item in weighed] == [-6, 0, 0]
    assert weighed[0].origin == SAVED
    assert [item.amount for item in ModifierSet(tuple(lines)).weigh({}, {})] == [0, 0, 0]
    near = {"a.aim": KnownFact(-3, SAVED), "b.near": KnownFact(1, SAVED)}
    assert ModifierSet(tuple(lines)).weigh(near, {})[2].amount == -3
    assert [item.amount for item in ModifierSet(tuple(lines)).weigh({}, {"aim": 1, "only": 1})] == [0, 0, 0]
    assert ModifierSet(tuple(lines)).weigh(near, {"aim": 1})[0].amount == -6


def test_a_tick_is_no_number_and_a_secret_number_makes_its_modifier_secret() -> None:
    """Whatever else is known; a number that players wrongly believe is secret too."""
    own = ModifierSet((Modifier("a.aim", 1, "Aim", "aim", 1, when=(("a.aim", "b.near"),), times="a.aim"),))
    near = {"b.near": KnownFact(1, SAVED)}
    assert [own.weigh({**known, "a.aim": TICKED}, {"a.aim": 1})[0].amount for known in ({}, near)] == [0, 0]
    (ticked,) = own.weigh({"a.aim": KnownFact(4, SAVED, secret=True)}, {"a.aim": 1})
    assert (ticked.amount, ticked.secret) == (4, True)
    (believed,) = own.weigh_lacking({}, {"a.aim": KnownFact(4, SAVED)}, {"a.aim": 1})
    assert (believed.amount, believed.secret) == (0, True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max = 30", "max = 31"),
        ('"Hawk"', '"Falcon"'),
        ("own = true", "own = false"),
        ('label = "gear"', 'label = "kit"'),
    ],
)
def test_the_fingerprint_covers_fields(tmp_path: Path, old: str, new: str) -> None:
    """Fields and taken numbers change it."""
    book = shutil.copytree(FOLDER, tmp_path / "book")
    plain = load_folder(book).fingerprint
    text = (book / "fields.toml").read_text()
    (book / "fields.toml").write_text(text.replace(old, new))
    assert load_folder(book).fingerprint != plain
    (book / "fields.toml").write_text(text)
    duel = (book / "duel.toml").read_text()
    (book / "duel.toml").write_text(duel.replace('times = "actor.accuracy", ', ""))
    assert load_folder(book).fingerprint != plain


def test_the_dump_tells_which_number_a_modifier_takes() -> None:
    """Only if it takes one."""
    lines = [line for table in dump_book(TOY)["tables"] for line in table["modifiers"]]
    assert {line["id"]: line["times"] for line in lines if "times" in line} == {
        "actor.accuracy": "actor.accuracy",
        "actor.grip-of-gear": "actor.accuracy",
        "resister.grip-of-gear": "resister.accuracy",
    }
