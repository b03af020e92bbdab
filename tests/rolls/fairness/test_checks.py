from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import convert

from bot.core.campaigns import Campaign
from bot.core.epochs import EpochEntry
from bot.core.ledger import Epoch
from bot.core.seeds import grow_from_nodes
from bot.rolls.fairness.checks import Verdict, check, read_anchors, read_document
from bot.rolls.fairness.disclosure import draw_closing
from bot.rolls.fairness.draw import situation, sum_brought, total_faults
from bot.rolls.fairness.forms import BookForm, StepForm, TableForm
from rules.library import load_shipped_books
from rules.ruleset import canonical_book
from tests.rolls.fairness.forging import WAYS, forgeries
from tests.rolls.fairness.making import File, Made, chain_again, change_part, entry, forge_file, part_of, redrawn


def verdict_of(file: File, pasted: str) -> Verdict:
    """Check a file with what was pasted."""
    return check(read_document(json.dumps(file).encode()), read_anchors(pasted, file["campaign"]) if pasted else None)


@pytest.mark.parametrize("whose", ["player", "leader"])
def test_a_good_file_holds_beside_the_audit_thread(campaign_made: Made, whose: str) -> None:
    """Without the whole thread it's only consistent."""
    file = getattr(campaign_made, whose)
    full = verdict_of(file, campaign_made.thread)
    assert (full.faults, full.anchored) == ((), True)
    assert any("Every drawn face follows from a committed seed" in told for told in full.checked)
    for pasted in ("", campaign_made.opening, campaign_made.closing):
        alone = verdict_of(file, pasted)
        assert (alone.faults, alone.anchored) == ((), False)
        assert alone.words.startswith("This is consistent with itself, but not proven")
    assert "next 1" in verdict_of(file, campaign_made.closing).checked[-1]


def test_a_file_of_an_epoch_that_goes_on_says_what_is_to_come(campaign_made: Made) -> None:
    """Its seeds are missing, and staff entries are hashes."""
    told = verdict_of(campaign_made.early, campaign_made.opening)
    assert told.faults == ()
    assert "Rolls without a revealed seed: 4. Seeds are revealed when the dice set closes." in told.checked
    assert set(entry(campaign_made.player, 5)) == {"number", "hash"}
    committed = "The seeds of dice set 1 match its commitment."
    assert committed in verdict_of(campaign_made.player, "").checked
    assert committed not in verdict_of(campaign_made.early, "").checked


def test_what_was_not_checked_is_counted(campaign_made: Made) -> None:
    """Hidden dice, and modifiers of no table."""
    cut = verdict_of(forge_file(campaign_made.player, lambda file: entry(file, 3).pop("draw")), campaign_made.opening)
    assert (cut.faults, cut.checked[-1]) == ((), "Rolls whose dice aren't in the file: 1. They weren't checked.")
    brought = forge_file(campaign_made.early, lambda file: chain_again(change_part(file, 3, _count_brought)))
    verdict = verdict_of(brought, "")
    assert verdict.faults == ()
    assert "Modifiers that aren't printed on a table: 1. Their values weren't checked." in verdict.checked


def test_only_what_is_said_of_its_campaign_counts(campaign_made: Made) -> None:
    """Another campaign's lines and foreign digits don't count."""
    file = campaign_made.player
    among = verdict_of(file, campaign_made.among_others)
    assert (among.faults, among.anchored) == ((), True)
    other_digits = verdict_of(file, campaign_made.in_other_digits)
    assert (other_digits.faults, other_digits.anchored) == ((), False)
    nameless = campaign_made.thread.replace("campaign ", "of ")
    with pytest.raises(ValueError, match="isn't from a dice proof thread"):
        read_anchors(nameless, file["campaign"])


def _count_brought(part: File) -> None:
    part["steps"][0]["modifiers"] = [["weapon.sight", 0, 1]]


@pytest.mark.parametrize(("value", "faults"), [(-6, 0), (0, 0), (4, 0), (3, 1)])
def test_a_line_that_is_taken_times_a_fact_is_a_multiple(value: int, faults: int) -> None:
    """Zero and negative multiples too."""
    line: Any = {"id": "save", "value": 2, "group": "will", "times": "will"}
    step = step_on(1 + value, modifiers=[("save", value, 1)], sum=value)
    assert len([*total_faults(step, {"t": table_with(modifiers=[line])})]) == faults


CAPS = [{"group": None, "low": None, "high": 5}, {"group": "skill", "low": -2, "high": 2}, {"group": "adjusted", "low": None, "high": 1}]  # fmt: skip


@pytest.mark.parametrize(
    ("counted", "held"),
    [
        ({"skill": 9}, 2),
        ({"skill": -9}, -2),
        ({"skill": 2, "other": 9}, 5),
        ({"other": 1, "by hand": 4}, 2),
        ({"skill": 1}, 1),
    ],
)
def test_what_counts_is_held_by_the_caps_of_the_book(counted: dict[str, int], held: int) -> None:
    """Groups, adjustments, then the whole; a step can't change that."""
    lines: list[Any] = [{"id": name, "value": value, "group": name} for name, value in counted.items()]
    tables = {"t": table_with(modifiers=lines, caps=CAPS)}
    added = {name: value for name, value in counted.items() if name != "by hand"}
    counting: Any = {
        "modifiers": [(name, value, 1) for name, value in added.items()],
        "uncapped": sum(counted.values()),
    }
    counting["adjustments"] = [counted["by hand"]] if "by hand" in counted else []
    assert [*total_faults(step_on(1 + held, **counting, sum=held), tables)] == []
    (fault,) = total_faults(step_on(2 + held, **counting, sum=held + 1), tables)
    assert fault == f"on t what counted is capped at {held:+}, not at {held + 1:+}"


@pytest.mark.parametrize(
    ("changed", "faults"),
    [
        ({"reads": "reach", "value": 50, "total": 60}, 0),
        ({"total": 60}, 1),
        ({"reads": "under", "value": 50, "total": 60}, 1),
        ({"reads": "reach", "total": 60}, 1),
    ],
)
def test_a_total_is_read_as_the_book_has_it(changed: Any, faults: int) -> None:  # noqa: ANN401 - parts of a step
    """A step's own reading doesn't count; another value is noted."""
    tables = {"t": table_with(die="1d100", against={"reads": "reach", "value": 40})}
    step = step_on(60, **{"total": 60, **changed})
    assert len([*total_faults(step, tables)]) == faults
    assert sum_brought([step], tables)["values"] == 1


@pytest.mark.parametrize(
    ("die", "face", "outcome", "faults"),
    [
        ("1d20", 20, "crit, by the face", 0),
        ("1d20", 20, "ok", 0),
        ("1d20", 19, "crit, by the face", 1),
        ("1d20", 1, "ok", 1),
        ("1d100", 100, "ok", 1),
        ("1d120", 100, "crit, by the face", 1),
        ("2d20", 9, "ok", 1),
    ],
)
def test_the_highest_face_of_another_die_decides_as_that_of_the_table(
    die: str, face: int, outcome: str, faults: int
) -> None:
    """A weapon's single die; two dice aren't one."""
    naturals: list[Any] = [{"face": 1, "outcome": "fumble"}, {"face": 100, "outcome": "crit"}]
    tables = {"t": table_with(die="1d100", naturals=naturals)}
    name, _, by_face = outcome.partition(", ")
    dice = [{"die": die, "faces": [face], "drawn": "seed"}]
    step = step_on(face, dice=dice, natural=bool(by_face), outcome=name)
    assert len([*total_faults(step, tables)]) == faults
    assert sum_brought([step], tables)["dice"] == (die != "1d100")


def table_with(**changed: Any) -> TableForm:  # noqa: ANN401 - parts of a table
    """Return a table with one outcome."""
    rows = [{"min": None, "max": None, "outcome": "ok"}]
    table: Any = {"die": "1d100", "modifiers": [], "naturals": [], "readings": {}, "rows": rows, **changed}
    return convert(table, TableForm)


def step_on(read: int, **changed: Any) -> StepForm:  # noqa: ANN401 - parts of a step
    """Return a step on it with this total."""
    dice = [{"die": "1d100", "faces": [read - changed.get("sum", 0)], "drawn": "seed"}]
    plain = {"table": "t", "natural": False, "modifiers": [], "adjustments": [], "sum": 0, "outcome": "ok"}
    return convert({**plain, "dice": dice, "total": read, **changed}, StepForm)


def test_what_was_forged_is_named(campaign_made: Made) -> None:
    """Each forgery's sentence names the place."""
    found = {name: verdict_of(made.file, made.pasted).faults for name, made in forgeries(campaign_made).items()}
    expected = {name: made.named for name, made in forgeries(campaign_made).items()}
    unnamed = {name: found[name] for name in found if not any(item.startswith(expected[name]) for item in found[name])}
    assert unnamed == {}


def test_some_forgeries_only_the_audit_thread_shows(campaign_made: Made) -> None:
    """Without the thread they are consistent."""
    hidden = [name for name, way in WAYS.items() if way.hidden]
    files = forgeries(campaign_made)
    assert len(hidden) >= 2
    assert [name for name in hidden if verdict_of(files[name].file, "").faults and name != "first hash"] == []


@pytest.mark.slow
def test_typed_and_kept_faces_are_no_fault(by_hand: list[File]) -> None:
    """They need no seed."""
    assert len(by_hand) >= 6
    assert [verdict_of(file, "").faults for file in by_hand] == [()] * len(by_hand)
    told = verdict_of(by_hand[0], "").checked
    assert "Rolls with faces typed by hand or kept from an earlier roll: 4. Those faces follow from no seed." in told
    assert any(item.startswith("Rolls checked: 2. Every drawn face") for item in told)
    sources = {
        source
        for item in by_hand[0]["entries"]
        for part in item.get("draw", {"parts": ()})["parts"]
        for source in re.findall(r'"drawn":"([^"]*)"', part["text"])
    }
    assert len(sources) >= 3, sources


def test_kept_faces_are_those_of_the_amended_roll(by_hand: list[File]) -> None:
    """The amended roll must have the face."""
    number, at = next(
        (item["number"], at)
        for item in by_hand[0]["entries"]
        for at, part in enumerate(item.get("draw", {"parts": ()})["parts"])
        if '"drawn":"kept"' in part["text"]
    )
    place, amends = (
        part_of(by_hand[0], number, at)["place"],
        json.loads(entry(by_hand[0], number)["body"]["text"])["amends"],
    )
    index = situation(json.loads(entry(by_hand[0], number)["body"]["text"])["situation"]).places.index(place)

    def change(step: File, faces: list[int]) -> None:
        face = next(face for face in range(2, 20) if face not in {faces[0], faces[0] + 1})
        step["total"] += face - faces[0]
        faces[0] = face

    def record(part: File) -> None:
        change(part["steps"][0], part["steps"][0]["dice"][0]["faces"])

    def body(content: File) -> None:
        change(content["parts"][index]["steps"][0], content["parts"][index]["steps"][0]["faces"])

    def forge(file: File) -> None:
        change_part(file, number, record, at)
        chain_again(redrawn(file, number, body, "body"))

    assert (
        f"Entry {number}: at place {place}, it keeps faces that entry {amends} doesn't have."
        in verdict_of(forge_file(by_hand[0], forge), "").faults
    )


def test_each_message_of_a_long_epoch_is_whole_by_itself() -> None:
    """200 secret entries can be pasted in any order."""
    fields: dict[str, Any] = dict.fromkeys(Campaign.__struct_fields__)
    campaign = Campaign(**{**fields, "uuid": "0" * 36})
    closed, following = Epoch(3, "11" * 32, "22" * 32, first=1, last=200), Epoch(5, "33" * 32, "44" * 32)
    secret = [EpochEntry(number, f"{number:064x}", "staff", None) for number in range(1, 201)]
    pages = [page.description or "" for page in draw_closing(campaign, closed, following, secret)]
    assert len(pages) > 3
    earlier = f"campaign {campaign.uuid}\nepoch 2\nentries 1-2"
    backwards = read_anchors("\n".join([earlier, *reversed(pages)]), campaign.uuid)
    assert backwards.closed[3].secret == {item.number: item.hash for item in secret}
    assert (backwards.closed[2].secret, backwards.closed[2].revealed) == ({}, [])
    nodes = [
        node for page in pages for node in read_anchors(f"{page}\nnext 1 {'0' * 64}", campaign.uuid).closed[3].revealed
    ]
    assert set(grow_from_nodes(nodes)) == set(range(200, 256))


@pytest.mark.parametrize("line", ["head", "hashes", "commitment", "next 1", "entries", "secret 5", "after 0"])
def test_a_thread_that_says_two_things_is_refused(campaign_made: Made, line: str) -> None:
    """A foreign message doesn't replace the bot's."""
    said = next(item for item in campaign_made.thread.splitlines() if item.startswith((f"{line} ", f"{line}-")))
    twice = campaign_made.thread + "\nepoch 1\n" + said[:-1] + ("8" if said[-1] != "8" else "9")
    with pytest.raises(ValueError, match="it says two different things about"):
        read_anchors(twice, campaign_made.player["campaign"])


def test_a_thread_that_begins_twice_is_refused(campaign_made: Made) -> None:
    """Epoch 1 has one beginning."""
    campaign = campaign_made.player["campaign"]
    with pytest.raises(ValueError, match="it says two different things about where dice set 1 begins"):
        read_anchors(f"{campaign_made.thread}\nafter 5 {'0' * 64}", campaign)


BOOKS = {book.id: json.loads(canonical_book(book))["tables"] for book in load_shipped_books().values()}


def steps(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a step for each deciding face and both ends of each row."""
    naturals = [(item["outcome"], item["face"]) for item in table["naturals"]]
    ends = [(row["outcome"], end) for row in table["rows"] for end in (row["min"], row["max"]) if end is not None]
    against = {"reads": table["against"]["reads"], "value": 0} if "against" in table else {}
    for outcome, face in [*ends, *naturals]:
        thrown = table["die"] != "0d2"
        yield {
            "table": table["id"],
            "dice": [{"die": table["die"], "faces": [face] if thrown else [], "drawn": "seed"}],
            **(against if thrown else {**against, "value": face}),
            "natural": (outcome, face) in naturals,
            "modifiers": [],
            "adjustments": [],
            "sum": 0,
            "total": face,
            "outcome": outcome,
        }


@pytest.mark.parametrize("book", BOOKS)
def test_every_outcome_of_every_table_is_known(book: str) -> None:
    """No table is unreadable."""
    tables = convert({"tables": BOOKS[book]}, BookForm)["tables"]
    for table in BOOKS[book].values():
        for step in steps(table):
            assert [*total_faults(convert(step, StepForm), tables)] == [], step


@pytest.mark.parametrize(("total", "faults"), [(35, []), (8, ["on t the total is 35, not 8"])])
def test_dice_that_are_digits_are_checked_as_one_number(total: int, faults: list[str]) -> None:
    """A d66 showing 3 and 5 is 35."""
    rows = [{"outcome": "low", "min": None, "max": 34}, {"outcome": "high", "min": 35, "max": None}]
    table = {"t": {"die": "d66", "rows": rows, "naturals": [], "modifiers": [], "readings": {}}}
    tables = convert({"tables": table}, BookForm)["tables"]
    made = {"table": "t", "dice": [{"die": "d66", "faces": [3, 5], "drawn": "seed"}], "natural": False}
    step = convert({**made, "modifiers": [], "adjustments": [], "sum": 0, "total": total, "outcome": "high"}, StepForm)
    assert [*total_faults(step, tables)] == faults
