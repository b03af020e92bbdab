"""Cells of tables that a spreadsheet program would take for formulas, and calculate."""

from __future__ import annotations

import re

_SIGNS = "=+\\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
_FORMULA = re.compile(rf"\s*[{_SIGNS}]| *[\t\r\n]")
_GUARDED = re.compile(rf"'+(?:{_FORMULA.pattern})")


def taken_for_one(cell: str) -> bool:
    """Return whether a spreadsheet program may take a cell for a formula."""
    return _FORMULA.match(cell) is not None


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet program takes for a formula."""
    return f"'{cell}" if taken_for_one(cell) or _GUARDED.match(cell) else cell


def unguarded(cell: str) -> str:
    """Return a guarded cell as it was meant."""
    return cell[1:] if _GUARDED.match(cell) else cell
