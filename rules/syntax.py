"""Why a file is no TOML: a guess at the slip of the pen behind what the parser says."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HERE = "\0"
"""Stands in what is looked at where the parser stopped; no file can hold it."""

_UNEVEN = r'\n[^"\n]*"(?:[^"\n]*"[^"\n]*")*[^"\n]*\Z'
_GUESSES: Sequence[tuple[str, str]] = (
    (r"\0```", "leave out the line with ```"),
    (
        r"\0[\u2018-\u201f]|[“”„][^\n]*\0|\A(?:Illegal|Unterm)[^\n]*\n.*\n.*[“”]",
        'write straight quotes " instead of curly ones',
    ),
    (r"\0[\u2212\u2013\u2014]\d", "write the minus sign as -"),
    (r"=\s*\0(?:True|False)\b", "write true and false in small letters"),
    (r"(?i:=\s*\0?\d*\0?d\d)", 'put dice in quotes, as in die = "2d6"'),
    (r"=\s*[+-]?0\0\d", "write the number without a 0 in front"),
    (_UNEVEN, 'is a quote " missing on this line?'),
    (r'"\0[^\W_]', 'quotes within a text are written \\": or is a comma missing here?'),
    (r"\0\s*:", "write = instead of :"),
    (
        r"\A(?:Invalid value|Unclosed array)\n.*\n\s*\[{0,2}\0\[{0,2}[\w-]+\s*(?:=|\]|\.)",
        "is a ] missing on the line above?",
    ),
    (r"\AUnclosed array\n.*\}\s*\n\s*\0\{", "is a comma missing at the end of the line above?"),
    (r"\AUnclosed inline table\n.*\n.*\s\0[\w-]+\s*=", "is a comma missing here?"),
    (r",\s*\0\}", "leave out the comma before }"),
    (r"\{.*\0\s*\Z", "write what is in { } on one line: is a } missing at its end?"),
    (r"=\s*\0[^\W\d]", "put text in quotes"),
    (r"\ACannot declare [^\n]* twice", "write that header with double brackets, as in [[table]], or once"),
    (r"\A(?:Cannot overwrite a value|Duplicate inline table key)", "that key is there twice: leave one out"),
)


def guess(text: str, line: int, column: int, message: str) -> str:
    """Return what is likely wrong at this place, or else the parser's own `message`."""
    lines = text.split("\n")
    above = next((item for item in reversed(lines[: line - 1]) if item.split("#")[0].strip()), "")
    here = lines[line - 1].replace('\\"', "''") if line <= len(lines) else ""
    context = f"{message}\n{above}\n{here[: column - 1]}{_HERE}{here[column - 1 :]}"
    return next((what for pattern, what in _GUESSES if re.search(pattern, context)), message)
