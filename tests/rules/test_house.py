from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from rules import house
from rules.dice import ScriptedDice
from rules.documents import MAX_FAULTS
from rules.errors import BookError, Fault
from rules.loader import check_path, load_book, load_books, load_with_house_rules
from rules.modifiers import KnownFact, Origin
from rules.odds import table_odds
from rules.procedure import Part, PartResult, Request
from rules.ruleset import RuleSet, list_reserved_names, resolve
from rules.shapes import keys_of
from rules.tables import RollTable

HERE = Path(__file__).parent / "homebrew"
BROKEN = sorted(path for path in HERE.glob("*.toml") if "# expects:" in path.read_text("utf-8"))
PAGE = (Path(__file__).parents[2] / "docs" / "homebrew.md").read_text("utf-8")
COIN, PIRATES, SALVAGE, DRONES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
LOOT = (HERE / "loot.toml").read_text("utf-8")
TAKEN = list_reserved_names(load_books().values())
SIZE = house.BOUNDS.size - 1000
HEAD = '[[table]]\nid = "t{0}"\ntitle = "T{0}"\ndie = 20\nsource = {{ book = "b", section = "s" }}\n'
OVERLAY = '[overlay]\nid = "x"\nextends = "campaign"\nsource = { book = "b", section = "s" }\n'


def make_book(*texts: str | bytes, book: str | None = None) -> RuleSet:
    """Make the book of these files."""
    data = [text.encode() if isinstance(text, str) else text for text in texts]
    sent = [house.read_house_file(f"file{number}", item) for number, item in enumerate(data)]
    return load_with_house_rules(book or house.find_book(sent[0]), sent, others=TAKEN)


def list_faults(*texts: str | bytes) -> tuple[Fault, ...]:
    """List what's wrong with files."""
    with pytest.raises(BookError) as caught:
        make_book(*texts)
    return caught.value.faults


def roll_face(book: RuleSet, family: str, face: int, part: Part, sides: int = 20) -> PartResult:
    """Return what one face leads to."""
    (result,) = resolve(Request(family, (part,)), book, ScriptedDice.of([face], sides)).parts
    return result


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_broken_file(path: Path) -> None:
    """The linter and sending report exactly the expected faults."""
    text = path.read_text("utf-8")
    expected = list(zip(re.findall(r"# expects: (.*)", text), map(int, re.findall(r"# at: (\d+)", text)), strict=True))
    with pytest.raises(BookError) as caught:
        check_path(path)
    faults = caught.value.faults
    unmet = [pair for pair in expected if not any(pair[0] in item.what and pair[1] == item.line for item in faults)]
    assert (unmet, len(faults)) == ([], len(expected)), "\n".join(map(str, faults))
    assert [(item.line, item.what) for item in faults] == [
        (item.line, item.what) for item in list_faults(path.read_bytes())
    ]


def test_the_page_shows_the_smallest_file_and_the_weather_of_the_book() -> None:
    """Its first file loads; its weathers are the book's."""
    assert [len(table.rows) for table in make_book(COIN).tables.values()] == [2]
    (told,) = re.findall(r"weather of\s+the\s+book\s+`campaign`:([^.]*)\.", PAGE)
    assert re.findall(r"`([^`]+)`", told) == list(load_book("campaign").conditions)


@pytest.mark.parametrize(("written", "die"), [("d100", "1d100"), ("D20", "1d20"), ("2D6", "2d6"), (" 2d6 ", "2d6")])
def test_dice_are_read_as_people_write_them(written: str, die: str) -> None:
    """Capitals, `d20` and blanks are fine."""
    assert str(make_book(LOOT.replace("die    = 6", f'die    = "{written}"')).tables["loot"].die) == die


def test_d66_is_one_die_where_a_row_or_a_face_needs_one() -> None:
    """Rows below 11 need one die of 66 sides."""
    low = LOOT.replace("die    = 6", 'die = "d66"')
    high = low.replace("max = 3", "max = 36").replace("min = 4", "min = 37")
    texts = (low, high, high + 'naturals = [{ face = 1, outcome = "gold" }]\n')
    assert [str(make_book(text).tables["loot"].die) for text in texts] == ["1d66", "d66", "1d66"]


def test_a_change_or_a_table_is_written_under_either_header(tmp_path: Path) -> None:
    """Single and double brackets mean the same."""
    change = '[[change]]\ntable = "campaign.patrol.catch"\nremove-modifiers = ["target.lucky"]\n'
    alone = change.replace("[[change]]", "[change]")
    assert (
        make_book(OVERLAY + alone).fingerprint
        == make_book(OVERLAY + change).fingerprint
        != load_book("campaign").fingerprint
    )
    check_path(HERE / "loot.toml")
    (tmp_path / "many.toml").write_text(LOOT.replace("[table]", "[[table]]"))
    check_path(tmp_path / "many.toml")
    assert make_book(LOOT.replace("[table]", "[[table]]")).fingerprint == make_book(LOOT).fingerprint


def test_a_fault_is_told_beside_others_and_with_a_near_name_alone() -> None:
    """Bad rows hide none; a hundred faults end the search."""
    far, near = (
        list_faults(LOOT.replace('id = "roller.luck"', f'id = "roller.{name}"'))[0] for name in ("torch", "lukc")
    )
    assert "did you mean" not in far.what
    assert "did you mean roller.luck?" in near.what
    row = '{ outcome = "all", text = "", line = 1, then = [{ do = "kill" }], event = { cause = "x" } }'
    told = [item.what for item in list_faults(HEAD.format(1) + f"rows = [\n{row}\n]\nnaturals = [{{ face = 30 }}]\n")]
    assert any('text: "" is empty' in what for what in told)
    assert any("missing outcome" in what for what in told)
    rows = ",\n".join('{ outcome = "x" }' for _ in range(100))
    assert len(list_faults("".join(HEAD.format(n) + f"rows = [\n{rows}\n]\n" for n in range(3)))) == MAX_FAULTS
    assert len(list_faults(HEAD.format(0) + "rows = [\n{}, {}, {}\n]\n")) == 5


def test_the_files_of_the_page_load_and_are_rolled() -> None:
    """Both worked examples load."""
    own = make_book(SALVAGE)
    assert (own.id, list(own.procedures)) == ("house", ["salvage", "rumours"])
    facts = {
        "roller.newtype": KnownFact(1, Origin("saved", "White Base")),
        "roller.hours": KnownFact(2, Origin("typed", "")),
    }
    result = roll_face(own, "salvage", 12, Part("x", {"roller": "White Base"}, facts))
    assert result.conclusion is not None
    assert (result.on_tables[0].total, result.conclusion.outcome) == (15, "find")
    drones = make_book(DRONES)
    assert drones.tables["campaign.patrol.catch"] != load_book("campaign").tables["campaign.patrol.catch"]
    assert set(drones.procedures) - set(load_book("campaign").procedures) == {"drone-failures"}
    assert table_odds(drones.table("drone-failures"), 0) == {"lost": Fraction(1, 6), "fine": Fraction(5, 6)}


def test_the_page_names_every_key_and_deed_of_ones_own_tables() -> None:
    """Without keys and deeds that only books have."""
    part = PAGE.partition("### What a table has")[2].partition("A **row**")[0]
    told = set(re.findall(r"^\| `([a-z]+)` \|", part, re.MULTILINE))
    assert told == {*keys_of(RollTable).keys} - {"letters", "numbers", "readings", "scores"}
    part = PAGE.partition("A consequence in")[2].partition("Lasting ones")[0]
    (fault,) = (item for item in list_faults((HERE / "deeds.toml").read_bytes()) if "known:" in item.what)
    known = set(fault.what.partition("(known: ")[2].rstrip(")").split(", "))
    assert set(re.findall(r"`([a-z-]+)`", part)) - {"then", "amount"} == known


def test_what_befalls_nobody_is_left_out() -> None:
    """Deeds to a missing target don't follow."""
    book = make_book(LOOT)
    alone = roll_face(book, "loot", 6, Part("x", {"roller": "Kilo"}), 6)
    both = roll_face(book, "loot", 6, Part("x", {"roller": "Kilo", "target": "Ghost"}), 6)
    assert alone.conclusion is not None
    assert both.conclusion is not None
    assert [item.do for item in alone.conclusion.consequences] == ["stop"]
    assert [item.do for item in both.conclusion.consequences] == ["reveal", "stop"]


def test_an_audience_is_part_of_what_a_table_says() -> None:
    """It's concluded for staff, and changes the fingerprint."""
    staff = make_book(LOOT.replace("die    = 6", 'die    = 6\naudience = "staff"'))
    result = roll_face(staff, "loot", 1, Part("x", {"roller": "Kilo"}), 6)
    assert result.conclusion is not None
    assert result.conclusion.audience == "staff"
    assert staff.fingerprint != make_book(LOOT).fingerprint


def test_the_printed_book_stays_as_it_is() -> None:
    """Files leave the book and each other's books alone."""
    before = load_book("campaign").fingerprint
    first, second = make_book(DRONES), make_book(OVERLAY)
    assert load_book("campaign").fingerprint == second.fingerprint == before != first.fingerprint
    assert make_book(DRONES).fingerprint == first.fingerprint


def test_files_use_and_declare_facts_together() -> None:
    """Same declarations merge, others name both lines."""
    other = LOOT.replace('"loot"', '"more"').replace('"Loot"', '"More"')
    assert list(make_book(LOOT, other).facts) == ["roller.luck"]
    wider = other.replace('roles = ["roller"]', 'roles = ["roller", "target"]')
    assert list(make_book(LOOT, wider).facts) == ["roller.luck", "target.luck"]
    (fault,) = list_faults(LOOT, other.replace("is lucky", "has luck"))
    assert (fault.file, fault.line) == ("file1", 2)
    assert "already at file0:2" in fault.what
    later = "".join(other.partition("[table]")[1:])
    assert set(make_book(LOOT, later).tables) == {"loot", "more"}
    assert "undeclared fact roller.luck" in list_faults(later)[0].what


def test_a_name_that_another_file_has_is_refused() -> None:
    """The owner is named."""
    sent = house.read_house_file("mine", LOOT.encode())
    with pytest.raises(BookError, match=r"mine:6: table loot: the file yours has that name"):
        load_with_house_rules("house", [sent], others={"loot": "the file yours"})


WORDS = ["".join(letters) for letters in product("ab", repeat=11)]
BOMBS = {
    "dots in keys": "\n".join(f"b{number}{'.a' * 980} = 1" for number in range(33)),
    "dots in headers": "\n".join(f"[b{number}{'.a' * 60}]" for number in range(500)),
    "dots up to the limit": f"[a{'.a' * house.BOUNDS.dots}]\n"
    + "\n".join(f"b{number}{'.a' * house.BOUNDS.dots} = 1" for number in range(SIZE // (2 * house.BOUNDS.dots + 9))),
    "dots in one header": f"[a{'.a' * 690}]\n" + "\n".join(f"k{number} = 1" for number in range(SIZE // 12)),
    "nested lists": f"a = {'[' * 900}{']' * 900}",
    "lists over lines": "a = " + "[\n" * (SIZE // 2),
    "many headers": "[[table]]\n" * (SIZE // 10),
    "many keys": "\n".join(f"k{number} = 1" for number in range(SIZE // 12)),
    "marks of comments": "#" * 1900 + "\n" + "## x\n" * (SIZE // 6),
    "comments, then a fault": "#\n" * (SIZE // 2) + "x",
    "one long text": f'a = """{"x" * 50}{chr(10) + "y" * 50}' * (SIZE // 109),
    "white space": "\n" * SIZE,
    "unknown keys": HEAD.format(1)
    + "rows = [\n"
    + ",\n".join("{" + ", ".join(f"outc{n} = 1" for n in range(55)) + "}" for _ in range(99))
    + "]\n",
    "undeclared facts": OVERLAY
    + "".join(
        '[[change]]\ntable = "campaign.patrol.catch"\nmodifiers = [\n'
        + ",\n".join(
            f'{{ id = "target.trait{n}-{many}", value = 1, label = "x", group = "g", line = 1 }}' for n in range(100)
        )
        + "\n]\n"
        for many in range(8)
    ),
    "gaps": "".join(
        HEAD.format(many)
        + "rows = [\n"
        + ",\n".join(f'{{ min = {n * 3}, max = {n * 3}, outcome = "o{n}", text = "x", line = 1 }}' for n in range(99))
        + "\n]\n"
        for many in range(10)
    ),
    "names alike": "facts = [\n"
    + ",\n".join(
        f'{{ trait = "{word * 2}", label = "x", roles = {json.dumps([role * 2 for role in WORDS[-20:]])} }}'
        for word in WORDS[:90]
    )
    + "\n]\n"
    + HEAD.format(0)
    + 'rows = [{ outcome = "o", text = "x", line = 1 }]\nmodifiers = [\n'
    + ",\n".join(
        f'{{ id = "m{n}", value = 1, label = "x", group = "g", line = 1, when = [["{word * 2}.{word * 2}"]] }}'
        for n, word in enumerate(WORDS[200:300])
    )
    + "\n]\n",
    "unknown tables": OVERLAY + "".join(f'[[change]]\ntable = "campaign.patrol.cat{n}"\n' for n in range(40)),
}


LONG = ("dots in headers", "dots up to the limit", "names alike")


@pytest.mark.parametrize(
    "text", [pytest.param(BOMBS[name], marks=[pytest.mark.slow] * (name in LONG), id=name) for name in BOMBS]
)
def test_however_a_file_is_made_the_search_for_faults_ends(text: str) -> None:
    """Up to 64 KiB, faults stay limited."""
    assert len(text) <= house.BOUNDS.size
    assert 0 < len(list_faults(text)) <= MAX_FAULTS


def fill_file() -> str:
    """Make a file at its limits."""
    rows = ['{ max = 0, outcome = "o", text = "x", line = 1 }']
    rows += [f'{{ min = {n}, max = {n}, outcome = "o{n}", text = "{"x"}", line = 1 }}' for n in range(1, 99)]
    rows += ['{ min = 99, outcome = "p", text = "x", line = 1 }']
    return "".join(HEAD.format(n).replace("20", '"20d20"') + "rows = [\n" + ",\n".join(rows) + "]\n" for n in range(10))


def test_a_full_file_is_read() -> None:
    """Its odds are counted too."""
    tables = make_book(fill_file()).tables.values()
    assert [sum(table_odds(table, 0).values()) for table in tables] == [1] * len(tables)


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"\xff\xfe", 1, "this isn't text: save it as UTF-8"),
        (b"a = 1\nb = '\0'\n", 2, "NUL"),
        (b"#" * (house.BOUNDS.size + 1), 1, f"{house.BOUNDS.size + 1} bytes, over the limit of {house.BOUNDS.size}"),
        (b"x\n" + b"#" * 2001, 2, "a line has 2001 bytes, over the limit of 2000"),
        (b"table = 3\n", 1, "3 is not a table"),
        (b"table = [3]\n", 1, "3 is not a table"),
        (b"facts = []\n", 1, "this file has no table"),
        (b"[table]\n[[zones]]\n", 2, "zones: only a whole game has that"),
    ],
)
def test_what_is_no_file_of_ones_own(data: bytes, line: int, what: str) -> None:
    """Faults have lines."""
    fault = next(item for item in list_faults(data) if what in item.what)
    assert fault.line == line


def test_a_mark_at_the_beginning_and_other_ends_of_lines_do_not_matter() -> None:
    """BOM and Windows lines give the same book."""
    fingerprint = make_book(LOOT).fingerprint
    assert make_book(b"\xef\xbb\xbf" + LOOT.encode()).fingerprint == fingerprint
    assert make_book(LOOT.replace("\n", "\r\n")).fingerprint == fingerprint


def test_a_patrols_other_rows_speak_for_themselves() -> None:
    """An added row is for staff, and isn't a catch."""
    text = (
        OVERLAY + '[[change]]\ntable = "campaign.patrol.catch"\nrows = [\n'
        '{ max = 10, outcome = "no-catch", text = "Nothing", line = 1 },\n'
        '{ min = 11, max = 17, outcome = "glimpse", text = "A glimpse", line = 1, then = [{ do = "reveal", to = "target" }] },\n]\n'
    )
    book = make_book(text)
    part = Part("Ghost", {"patrol": "Kilo", "target": "Ghost"}, choices={"stance": "neutral"})
    result = roll_face(book, "patrol", 15, part).conclusion
    assert result is not None
    assert (result.outcome, result.text, result.audience) == ("glimpse", "A glimpse", "staff")
    assert [item.do for item in result.consequences] == ["reveal"]


OVER_INFINITY = """
[overlay]
id = "wounds"
extends = "infinity"

[[table]]
id = "own.wound"
title = "Wound"
die = 6
source = { book = "x", section = "y" }
rows = [
  { max = 3, outcome = "dead", text = "Dead", line = 1, then = [{ do = "kill", to = "target" }] },
  { min = 4, outcome = "alive", text = "Alive", line = 1 },
]
"""


def test_a_table_laid_over_any_book_does_what_other_books_do(tmp_path: Path) -> None:
    """Deeds are settled as in their books."""
    file = tmp_path / "wounds.toml"
    file.write_text(OVER_INFINITY, encoding="utf-8")
    sent = load_with_house_rules("infinity", [house.read_house_file("wounds.toml", OVER_INFINITY.encode())], others={})
    for book in (sent, load_books([file])["infinity"]):
        assert book.deeds["kill"].text == "{to} dies"
        assert book.rule("kill") is load_book("campaign").rule("kill")
