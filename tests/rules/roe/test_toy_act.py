"""The worked example of `rules/books/roe/README.md`: an act is one line of data."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from rules.books import kinds_of, procedures_of
from rules.dice import ScriptedDice
from rules.loader import BOOKS, load_folder
from rules.procedure import Part, Request
from rules.ruleset import resolve
from rules.scenes import MEMBER


def test_the_act_of_the_readme_is_paid_and_rolled(tmp_path: Path) -> None:
    """Its line, added to a copy of the book, makes an act that costs an Action and rolls a check."""
    folder = Path(shutil.copytree(BOOKS / "roe", tmp_path / "roe"))
    (line,) = re.findall(r"^acts = .+$", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    (folder / "toy.toml").write_text(line, "utf-8")
    book = load_folder(folder, procedures_of("roe"), kinds=kinds_of("roe"))
    kept = {"Ann": {MEMBER: {"id": 7, "marks": {"actions": 1, "movements": 1}}}}
    dice = ScriptedDice([(100, 50)])

    (result,) = resolve(Request("turn.juggle", (Part("Ann", {"actor": "Ann"}, kept=kept),)), book, dice).parts

    dice.finish()
    assert result.conclusion is not None
    assert (result.conclusion.outcome, result.conclusion.text) == ("success", "Success (by 0)")
    ((_, _, value),) = result.changes
    assert value is not None
    assert value["marks"] == {"actions": 0, "movements": 1, "turn.spent": 1}
