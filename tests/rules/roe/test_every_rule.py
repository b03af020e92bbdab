"""Every rule of the RoE page, and every racial option, is shown by a golden line or said by the book."""

from __future__ import annotations

import re

from rules.books.roe.catalog import Option
from rules.loader import BOOKS
from tests.rules.roe.asking import GOLDEN, ROE

COUNTS = {
    1: 7,
    2: 10,
    3: 8,
    4: 31,
    5: 3,
    6: 9,
    7: 6,
    8: 5,
    9: 8,
    10: 6,
    11: 6,
    12: 11,
    13: 5,
    14: 7,
    15: 5,
    16: 5,
    17: 5,
    18: 8,
    19: 4,
    20: 3,
    21: 2,
    22: 8,
    23: 6,
    24: 6,
    25: 7,
    26: 5,
    27: 6,
    28: 8,
    29: 7,
    30: 6,
    31: 8,
    32: 6,
    33: 3,
    34: 4,
    35: 4,
    36: 4,
    37: 4,
    38: 15,
    39: 5,
    40: 3,
}
"""How many rules each capability of the page has."""
RULE = re.compile(r"C\d\d\.\d+")


def test_every_rule_is_shown_or_said() -> None:
    """The golden lines and the files of the book name each rule that they hold."""
    texts = [file.read_text("utf-8") for file in (*GOLDEN, *(BOOKS / "roe").glob("*.toml"))]
    named = {name for text in texts for name in RULE.findall(text)}
    every = {f"C{place:02}.{number}" for place, count in COUNTS.items() for number in range(1, count + 1)}
    assert len(every) == 269
    assert sorted(every - named) == []
    assert sorted(named - every) == []


def test_every_option_is_at_work() -> None:
    """Each racial option stands in a golden line, by its name."""
    told = "\n".join(file.read_text("utf-8") for file in GOLDEN)
    options = ROE.listed(Option).values()
    assert len(options) == 27
    assert [item.label for item in options if f'"{item.label}"' not in told] == []
