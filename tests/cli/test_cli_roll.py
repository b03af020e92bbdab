from __future__ import annotations

import json

import pytest

from bot.cli import main
from bot.cli.rules import roll_text
from rules.dice import ScriptedDice
from rules.errors import RollError


def test_a_roll_tells_faces_totals_range_and_mean() -> None:
    """Every die says whether it counts."""
    told = roll_text("2x 3d6kh2+1 charge", ScriptedDice.of([1, 6, 4, 2, 2, 3], sides=6))
    assert [roll["total"] for roll in told["rolls"]] == [11, 6]
    assert told["rolls"][0]["pools"] == [
        {
            "dice": "3d6kh2",
            "fell": [{"faces": (1,), "kept": False}, {"faces": (6,), "kept": True}, {"faces": (4,), "kept": True}],
            "total": 10,
        }
    ]
    assert (told["label"], told["range"]) == ("charge", {"min": 3, "max": 13})
    assert told["mean"] == {"exact": "227/24", "about": 9.4583}


def test_a_mean_that_is_not_told_is_null() -> None:
    """Exploding dice with dropped ones have none."""
    told = roll_text("2d6!kh1", ScriptedDice.of([1, 2], sides=6))
    assert (told["mean"], told["explosions_per_die"]) == (None, 49)


def test_the_command_rolls_or_says_where_it_fails(capsys: pytest.CaptureFixture[str]) -> None:
    """Errors exit with 2; unquoted words are one expression."""
    with pytest.raises(RollError, match="At character 5: Expected dice"):
        roll_text("2d6+", ScriptedDice([]))
    assert main(["rules", "roll", "2d"]) == 2
    assert capsys.readouterr().err.startswith("At character 2: ")
    assert main(["rules", "roll", "2d6+3", "for", "luck"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["label"] == "for luck"
    assert 5 <= told["rolls"][0]["total"] <= 15
