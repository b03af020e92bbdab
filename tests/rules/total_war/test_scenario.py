from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from rules.books.total_war.catalog import PanelKind, UnitClass
from rules.books.total_war.scenario_file import BadScenario, example, read_scenario
from rules.documents import Document
from rules.kinds import RuleItem
from rules.shapes import keys_of
from tests.rules.total_war.asking import BOOK, ask

Change = Callable[[dict[str, Any]], object]
SHIPPED = example()


def _change_example(change: Change) -> dict[str, Any]:
    data = copy.deepcopy(SHIPPED.data)
    change(data)
    return data


def faults(change: Change) -> list[str]:
    """Return the faults of a changed example."""
    with pytest.raises(BadScenario) as caught:
        read_scenario(BOOK, Document("war.toml", "", _change_example(change)))
    return [fault.what for fault in caught.value.faults]


def test_the_example_shows_everything() -> None:
    """It has every kind of panel, unit and board."""
    scenario = read_scenario(BOOK, SHIPPED).scenario
    assert {name: faction.name for name, faction in scenario.factions.items()} == {"E": "Earth Federation", "Z": "Zeon"}
    assert 35 <= len(scenario.panels) <= 45
    assert {panel.kind for panel in scenario.kinds.values()} | {"plain"} == {*BOOK.entries_of(PanelKind)}
    assert {unit.unit_class for unit in scenario.units.values()} == {*BOOK.entries_of(UnitClass)}
    assert {board.map for board in scenario.boards} == {"space", "land"}
    assert [name for name, faction in scenario.factions.items() if "ma" in faction.classes] == ["Z"]
    assert read_scenario(BOOK, SHIPPED).warnings == ()


def command(war: dict[str, Any]) -> None:
    """Give a force to a Discord user."""
    war["forces"][0]["commander"] = 123_456_789_012_345_678


def test_the_command_line_answers_for_the_example_and_for_ones_own() -> None:
    """Large Discord ids are allowed."""
    assert ask(op="scenario") == ask(op="scenario", scenario=SHIPPED.data)
    answer = ask(op="scenario")
    assert answer["movable"] == ["fleet", "squadron", "superweapon"]
    assert (answer["fixed"], answer["board"]) == (["facility"], {"columns": 12, "rows": 12})
    assert len(answer["kinds"]) == 7
    answer = ask(op="scenario", scenario=_change_example(command))
    assert answer["ok"], answer


def test_a_head_that_cannot_be_read_hides_nothing_else() -> None:
    """All other faults are reported too."""

    def spoil(war: dict[str, Any]) -> None:
        war["scenario"].pop("full-squadron")
        war["map"]["radius"] = 99
        war["victory"]["ends"] = "never"
        war["weather"] = {}
        war["units"][0]["class"] = "tank"
        war["forces"][0]["kind"] = "army"

    found = faults(spoil)
    for words in ("missing full-squadron", "99 is too large", "ends: ", "weather: unknown key", "tank", "army"):
        assert any(words in fault for fault in found), (words, found)
    assert len(found) == 6


@pytest.mark.parametrize(
    ("change", "ends"),
    [
        (lambda _war: None, ({"Z": "E"}, {"E": "Z"})),
        (lambda war: war.pop("victory"), ({"Z": "E"}, {"E": "Z"})),
        (lambda war: war.update(victory={"ends": {"E": "Z"}}), ({"E": "Z"}, {})),
    ],
)
def test_a_war_of_which_nothing_else_is_written_ends_as_on_the_page(
    change: Callable[[dict[str, Any]], object], ends: tuple[dict[str, str], dict[str, str]]
) -> None:
    """V1, V2: without `[victory]` printed conditions count."""
    found = read_scenario(BOOK, Document("war.toml", "", _change_example(change))).scenario.victory
    assert (found.ends, found.asks) == ends


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda war: war.pop("scenario"), "missing scenario"),
        (lambda war: war["scenario"].pop("full-squadron"), "missing full-squadron"),
        (lambda war: war["scenario"].update(fog="near"), "write sight = 1"),
        (lambda war: war["scenario"].update(fog="thick"), "unknown fog thick"),
        (lambda war: war["scenario"].update(id="First Days!"), 'write id = "first-days"'),
        (lambda war: war["scenario"].update(second="first-days"), "write the id of another one"),
        (lambda war: war["scenario"].update(titel="x"), "unknown key, did you mean title"),
        (lambda war: war.update(switches={"cooldown": 9}), "cooldown must be a number from 1 to 3"),
        (lambda war: war.update(switches={"weather": True}), "'weather' isn't a switch"),
        (lambda war: war["victory"]["ends"].update(X="E"), "unknown faction X"),
        (lambda war: war["map"].update(panels=["0,0"]), "either radius or panels"),
        (lambda war: war["map"].update(blocked=["9,9"]), "blocked: 9,9 is off the map. The map spans -3,-3 to 3,3; the nearest panel is 0,3."),
        (lambda war: war["victory"].update(ends={"Z": "Z"}), "Z can't take its own capitol"),
        (lambda war: war["map"]["owners"]["Z"].append("2,-2"), "panel 2,-2 already belongs to E"),
        (lambda war: war["map"]["owners"].update(Q=["0,0"]), "unknown faction Q"),
        (lambda war: war["factions"][0].pop("capitol"), "missing capitol"),
        (lambda war: war["factions"][0].update(capitol="0,1"), "isn't a capitol"),
        (lambda war: war["factions"][1].update(name="earth federation"), "is listed twice"),
        (lambda war: war["factions"][0].update(colour="blue"), "colour"),
        (lambda war: war["factions"][0].update(grunt="gmm"), "unknown unit gmm"),
        (lambda war: war["factions"][0].update(classes=["boat"]), "unknown class boat"),
        (lambda war: war.update(ranks=[]), "at least one under [[ranks]]"),
        (lambda war: war["ranks"][0].update(name="Captain"), "rank Captain is listed twice"),
        (lambda war: war["panels"].append({"at": "0,0", "kind": "plain"}), "panel 0,0 is listed twice"),
        (lambda war: war["panels"][2].update(kind="swamp"), "unknown kind swamp"),
        (lambda war: war["panels"][2].update(kind="plain"), "a plain pays no bonus"),
        (lambda war: war["panels"][2].update(facility="colony_garrison"), "can't be on resource"),
        (lambda war: war["panels"][0].update(garrison=["gem"]), "unknown unit gem"),
        (lambda war: war["units"][0].update(attack="many"), "'many'"),
        (lambda war: war["units"][0].pop("attack"), "missing attack"),
        (lambda war: war["units"][0].update(accuracy=0), "too small"),
        (lambda war: war["items"][0].update(on=["plain"]), "the page has it on resource"),
        (lambda war: war["items"][0].update(on=[]), "the page has it on resource"),
        (lambda war: war["items"][0].update(needs="radio"), "unknown item radio"),
        (lambda war: war["items"][0].update(id="warship"), "choose another id"),
        (lambda war: war["units"][0].update(needs="gun"), "unknown item gun"),
        (lambda war: war["units"][0].update(needs="superweapon"), "is built, not researched"),
        (lambda war: war["units"][8].update(needs="ms_facility_upgrade"), "unit magellan: ms_facility_upgrade is built"),
        (lambda war: war["items"][6].update(needs="ms_facility_upgrade"), "is built, not researched"),
        (lambda war: war["factions"][0].update(id="N"), "choose another id"),
        (lambda war: war["map"]["blocked"].append("3,-3"), "faction E: 3,-3 is blocked"),
        (lambda war: war["map"]["blocked"].append("1,-2"), "force 11th Squadron: 1,-2 is blocked"),
        (lambda war: war["pilots"].append({"name": "Kai", "force": "11th Squadron", "unit": 1}), "Amuro Ray is already in unit 1"),
        (lambda war: war["forces"][0].update(kind="facility"), "unknown kind facility"),
        (lambda war: war["forces"][0].update(at="1,-2"), "is already on 1,-2"),
        (lambda war: war["forces"][0].update(at="here"), "at"),
        (lambda war: war["forces"][1].update(units=[]), "force 11th Squadron: a squadron needs at least one unit"),
        (lambda war: war["forces"][0].pop("units"), "force 1st Fleet: a fleet needs at least one unit"),
        (lambda war: war["forces"][6].update(units=["gm"]), "force Solar System: a superweapon can't have units"),
        (lambda war: war["pilots"][0].update(unit=9), "no unit 9"),
        (lambda war: war["pilots"][0].update(force="Nobody"), "unknown force Nobody"),
        (lambda war: war["boards"][0]["rows"].pop(), "it has 11 rows: write 12."),
        (lambda war: war["boards"][0]["rows"].insert(0, "x" * 12), "isn't a row of 12 signs"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_what_would_be_right(change: Change, words: str) -> None:
    """One slip gives one fault and its code."""
    assert any(words in what for what in faults(change)), faults(change)
    answer = ask(op="scenario", scenario=_change_example(change))
    assert (answer["ok"], answer["error"]) == (False, "E_SCENARIO")


@pytest.mark.parametrize("written", ["red", "#d6282", "d62828", "#d62828\n"])
def test_a_wrong_colour_is_told_with_how_one_is_written(written: str) -> None:
    """With an example."""

    def given(war: dict[str, Any]) -> None:
        war["factions"][1]["colour"] = written

    shown = json.dumps(written)
    assert faults(given) == [f'faction Z: colour: {shown} isn\'t a colour: write "#rrggbb", such as "#d62828".']


def test_what_is_wrong_is_told_with_how_it_is_written_and_what_is_known() -> None:
    """Suggestions follow the file's order."""
    wrong = 'isn\'t a panel: write "q,r", such as "4,-1".'
    assert faults(lambda war: war["panels"][2].update(at="x,0")) == [f'panel 3: at: "x,0" {wrong}']
    assert faults(lambda war: war["map"].update(blocked=["north"])) == [f'map: blocked: "north" {wrong}']
    (found,) = faults(lambda war: war["victory"].update(ends={"Q": "E"}))
    assert found == "ends: unknown faction Q (known: E, Z)."
    written = ", ".join(item["id"] for item in SHIPPED.data["items"])
    at = SHIPPED.data["panels"][2]["at"]
    (found,) = faults(lambda war: war["panels"][2].update(facility="xxxx"))
    assert found == f"panel {at}: unknown item xxxx (known: {written})."


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda war: war["map"].update(radius=3000), "map: radius: 3000 is too large: write 30 or less."),
        (lambda war: war["factions"][0].update(gold=-100), "faction E: gold: -100 is too small: write 0 or more."),
        (lambda war: war["units"][0].update(accuracy=180), "unit gm: accuracy: 180 is too large: write 100 or less."),
        (lambda war: war["units"][0].update(accuracy=0), "unit gm: accuracy: 0 is too small: write 1 or more."),
        (lambda war: war["pilots"][0].update(unit=0), "pilot Amuro Ray: unit: 0 is too small: write 1 or more."),
        (lambda war: war["forces"][0].update(commander=10**30), ("force 1st Fleet: commander: a very long number is too large: write the id of a Discord user, as in commander = 123456789012345678.")),
    ],
)  # fmt: skip
def test_a_number_beyond_a_limit_is_told_with_the_limit(change: Change, expected: str) -> None:
    """Too large or too small."""
    assert faults(change) == [expected]


def _empty_item(section: str, war: dict[str, Any]) -> None:
    war[section][0].clear()


def test_each_key_that_is_missing_is_told_with_an_example_of_its_own() -> None:
    """Examples come from this kind of file."""
    models = [each for each in RuleItem.__subclasses__() if each.__module__.startswith("rules.books.total_war.")]
    for model in models:
        keys = {name for name, key in keys_of(model).keys.items() if key.required}
        assert keys - {"source"} <= {*model.examples}, model
    assert len(models) > len(SHIPPED.data) - 2
    for section in ("factions", "panels", "boards"):
        for found in faults(partial(_empty_item, section)):
            assert found.endswith(".")
            assert ": " in found.removeprefix(f"{section[:-1]} 1: ")


def test_every_fault_is_told_at_once_with_its_line() -> None:
    """Three slips give three faults."""
    text = SHIPPED.text.replace('grunt   = "gm"', 'grunt   = "gem"').replace("cost   = 40", 'cost   = "40"')
    text = text.replace('force = "21st Squadron"', 'force = "20th Squadron"')
    with pytest.raises(BadScenario) as caught:
        read_scenario(BOOK, Document("war.toml", text, tomllib.loads(text)))
    lines = text.splitlines()
    wrong = [lines[fault.line - 1] for fault in caught.value.faults]
    assert [any(word in line for word in ("gem", "40", "20th")) for line in wrong] == [True] * 3


@pytest.mark.shows("AMB-74", "E_CLASS_FACTION")
def test_a_unit_that_its_faction_may_not_have_has_a_code_of_its_own() -> None:
    """Line 140, AMB-74: classes and models by faction."""

    def given(war: dict[str, Any]) -> None:
        war["forces"][0]["units"].append("bigro")

    assert "can't have bigro" in faults(given)[0]
    assert ask(op="scenario", scenario=_change_example(given))["error"] == "E_CLASS_FACTION"


def test_a_unit_is_of_a_class_that_its_faction_has() -> None:
    """Line 140, AMB-74: even without any such unit."""

    def given(war: dict[str, Any]) -> None:
        war["units"].append(
            {**next(unit for unit in war["units"] if unit["id"] == "bigro"), "id": "ball", "faction": "E"}
        )

    assert faults(given)[0].startswith(
        "unit ball: Earth Federation can't have class ma: write another class or faction"
    )
    assert ask(op="scenario", scenario=_change_example(given))["error"] == "E_CLASS_FACTION"


def test_a_class_or_model_that_cannot_be_is_one_fault() -> None:
    """One slip isn't repeated per force."""
    known = "(known: ms, ma, combat, noncombat, warship)."
    assert faults(lambda war: war["units"][0].update({"class": "mecha"})) == [f"unit gm: unknown class mecha {known}"]
    found = faults(lambda war: war["panels"][0].update(garrison=["bigro", "bigro"]))
    assert found == [
        "panel 3,-3: Earth Federation can't have bigro (class ma): take another model, or put ma into its classes."
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda war: war["panels"][0].update(garrison=["bigro"]),
        lambda war: war["panels"][9].update(garrison=["zaku"]),
        lambda war: war["factions"][0].update(grunt="zaku"),
    ],
)
def test_garrisons_and_grunts_are_of_their_faction_too(change: Change) -> None:
    """AMB-74: everywhere."""
    assert ask(op="scenario", scenario=_change_example(change))["error"] == "E_CLASS_FACTION"


def test_a_resource_panel_beyond_the_page_is_a_warning() -> None:
    """E3: other amounts than 10 to 50 are allowed."""

    def given(war: dict[str, Any]) -> None:
        war["panels"][2]["bonus"] = 80

    answer = ask(op="scenario", scenario=_change_example(given))
    assert answer["ok"]
    assert answer["warnings"] == ["panel 0,0: 80 gold; the rules have 10 to 50."]

    def left_out(war: dict[str, Any]) -> None:
        war["panels"][2].pop("bonus")

    assert "0 gold" in ask(op="scenario", scenario=_change_example(left_out))["warnings"][0]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda war: war["panels"].append({"at": "0,-1", "kind": "capitol"}), "panel 0,-1: this capitol belongs to no faction"),
        (lambda war: war["ranks"][0].update({"squadron-size": 0}), "rank Ensign: its squadrons can't have units"),
        (lambda war: war["forces"][0].update(commander=12345), "12345 isn't the id of a Discord user: those have 17 digits or more"),
        (lambda war: war["forces"][1].update(units=["gm"] * 200), "200 units are too many for a battle"),
        (lambda war: war["panels"][0].update(garrison=["gm"] * 200), "panel 3,-3: 200 units are too many for a battle"),
    ],
)  # fmt: skip
def test_what_may_be_a_slip_is_a_warning(change: Change, expected: str) -> None:
    """Warnings refuse nothing."""
    (warning,) = ask(op="scenario", scenario=_change_example(change))["warnings"]
    assert expected in warning
