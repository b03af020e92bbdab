"""Turns a table from a spreadsheet into house rules: rows, then an optional block of modifiers."""

import csv
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

from msgspec import Struct, field

from rules.dice import DiceTerm
from rules.documents import make_id
from rules.errors import BookError, Fault
from rules.subjects import word_id
from rules.typed_text import keyboard_signs

COLUMNS = ("min", "max", "text", "tone", "then")
MODIFIERS = ("modifier", "value", "when", "times", "per", "group")
_AND, _OR = re.compile(r"\band\b|&", re.IGNORECASE), re.compile(r"\bor\b|\|", re.IGNORECASE)
_FACT = re.compile(r"(?:not\s+|!)?(?!not\b)(?:[a-z]+\.)?[^\W_][\w -]*(?:\.[\w-]+)*", re.IGNORECASE)
_LINE = re.compile(r"# line (\d+)$")
_WHOLE = re.compile(r"[+-]?\d{1,7}(?:\.0+)?")


class _SheetRow(Struct, frozen=True):
    line: int
    cells: Mapping[str, str]

    def number(self, column: str, faults: list[Fault], name: str) -> int | None:
        typed = keyboard_signs(self.cells.get(column, "")).strip()
        if typed and not _WHOLE.fullmatch(typed):
            faults.append(Fault(name, self.line, f"{column}: {typed[:40]!r} isn't a whole number"))
            return None
        return int(float(typed)) if typed else None


class _Sheet(Struct):
    die: str = ""
    rows: list[_SheetRow] = field(default_factory=list)
    modifiers: list[_SheetRow] = field(default_factory=list)


def is_sheet(text: str) -> bool:
    """Check for cells with a header of `text`, and `min` or `max`."""
    return any(_is_header(cells) for _, cells in _read_cells(text))


def plain_lines(text: str) -> str:
    """Return lines of cells as they would be typed, without a heading; other text as it is."""
    lines = [*_read_cells(text)] if "\t" in text or "," in text.partition("\n")[0] else []
    if not lines or not all(len(cells) > 1 for _, cells in lines):
        return text
    headed = len(lines) > 1 and not any(map(str.isdigit, lines[0][1][0]))
    return "\n".join(" ".join(filter(None, cells)) for _, cells in lines[headed:])


def sheet_file(title: str, name: str, text: str, die: str = "") -> str:
    """Return a sheet as a house rules file; raise BookError with lines of the sheet, in the file `name`."""
    faults: list[Fault] = []
    sheet = _read_sheet(text, name, faults)
    rows = [*_format_rows(sheet, name, faults)]
    facts: dict[str, str] = {}
    modifiers = [*_format_modifiers(sheet, name, facts, faults)]
    die = die or sheet.die or _guess_die(sheet)
    faults.extend(_find_misfits(sheet, name, die))
    if faults:
        raise BookError(sorted(faults, key=lambda fault: fault.line))
    declared = [
        f"  {{ trait = {_quote(trait)}, label = {_quote(label)}, roles = [{_quote(role)}] }},"
        for (role, _, trait), label in ((fact.partition("."), label) for fact, label in facts.items())
    ]
    head = ["facts = [", *declared, "]", ""] if declared else []
    head += [
        "[[table]]",
        f"id = {_quote(make_id(title, (), 'table'))}",
        f"title = {_quote(title)}",
        f"die = {_quote(die)}",
    ]
    tail = ["modifiers = [", *modifiers, "]"] if modifiers else []
    return "\n".join([*head, "rows = [", *rows, "]", *tail, ""])


def add_modifier(text: str, modifier: Sequence[str]) -> tuple[str, str]:
    """Return a table's die and lines with one more modifier: what it is, adds, and needs."""
    die, lines = type_again(text, plainly=False)
    head = [] if "modifiers" in tomllib.loads(text)["table"][0] else [[], MODIFIERS]
    return die, f"{lines}\n{_write_sheet([*head, [' '.join(cell.split()) for cell in modifier]])}"


def type_again(text: str, *, plainly: bool = True) -> tuple[str, str]:
    """Return the only table's die and lines; BookError. Not `plainly`: as a sheet."""
    try:
        (table,) = tomllib.loads(text)["table"]
        die, rows, modifiers = DiceTerm.parse(str(table["die"])), table["rows"], table.get("modifiers", [])
    except (ValueError, KeyError, TypeError) as error:
        raise BookError([Fault("the file", 1, "it isn't one table")]) from error
    if plainly and not modifiers and not any(row.keys() & {"tone", "then"} for row in rows):
        spans = [(row.get("min", die.low), row.get("max", die.high), row["text"]) for row in rows]
        return str(table["die"]), "\n".join(
            f"{low if low == high else f'{low}-{high}'} {said}" for low, high, said in spans
        )
    lines = [COLUMNS, *([_write_cell(row.get(column, "")) for column in COLUMNS] for row in rows)]
    if modifiers:
        lines += [[], MODIFIERS]
        lines += [[_write_cell(item.get(key, "")) for key in ("label", *MODIFIERS[1:])] for item in modifiers]
    return str(table["die"]), _write_sheet(lines)


def _write_sheet(lines: Iterable[Sequence[str]]) -> str:
    written = StringIO()
    csv.writer(written, delimiter="\t", lineterminator="\n").writerows(lines)
    return written.getvalue().removesuffix("\n")


def _write_cell(value: object) -> str:
    if not isinstance(value, list):
        return str(value)
    if value and isinstance(value[0], dict):
        return "; ".join(" ".join(str(item[key]) for key in ("do", "to", "amount") if key in item) for item in value)
    return " or ".join(" and ".join(fact.replace("!", "not ") for fact in clause) for clause in value)


def find_sheet_line(text: str, line: int) -> int:
    """Return the sheet's line behind a line of its house rules file, else 1."""
    lines = text.split("\n")
    found = _LINE.search(lines[line - 1]) if 0 < line <= len(lines) else None
    return int(found[1]) if found else 1


def _read_cells(text: str) -> Iterator[tuple[int, list[str]]]:
    head = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = next((sign for sign in "\t;" if sign in head), ",")
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error:
        return


def _is_header(cells: Sequence[str]) -> bool:
    named = {cell.casefold() for cell in cells}
    return "text" in named and not named.isdisjoint({"min", "max"})


def _read_sheet(text: str, name: str, faults: list[Fault]) -> _Sheet:
    sheet, header = _Sheet(), list[str]()
    into: list[_SheetRow] | None = None
    for line, cells in _read_cells(text):
        first = cells[0].casefold()
        if first == "die" and into is None and len(cells) > 1:
            sheet.die = cells[1]
        elif _is_header(cells) or first == "modifier":
            header, known = [cell.casefold() for cell in cells], MODIFIERS if first == "modifier" else COLUMNS
            into = sheet.modifiers if first == "modifier" else sheet.rows
            strange = [cell[:40] for cell in header if cell and cell not in known]
            faults.extend(Fault(name, line, f"unknown column {cell}: write {', '.join(known)}") for cell in strange)
        elif into is None:
            faults.append(Fault(name, line, "the first row names the columns: min, max, text, then"))
            break
        else:
            into.append(_SheetRow(line, dict(zip(header, cells, strict=False))))
    if not sheet.rows and not faults:
        faults.append(Fault(name, 1, "the sheet has no rows below min, max and text"))
    return sheet


def _guess_die(sheet: _Sheet) -> str:
    ends = [row.number(column, [], "") for row in sheet.rows for column in ("min", "max")]
    return str(max((end for end in ends if end is not None), default=0))


def _find_misfits(sheet: _Sheet, name: str, die: str) -> Iterator[Fault]:
    try:
        term = DiceTerm.parse(die)
    except ValueError:
        yield Fault(name, 1, f"{die[:20]!r} isn't a die: begin the sheet with two cells, die and 2d6")
        return
    for column, row in (("min", sheet.rows[:1]), ("max", sheet.rows[-1:])):
        ends = [item.number(column, [], name) for item in sheet.rows]
        known = [end for end in ends if end is not None]
        if len(known) < len(sheet.rows) or not row:
            continue
        if column == "min" and min(known) > term.low:
            yield Fault(name, row[0].line, f"no row says what {term.low} means: {term} gives {term.low} to {term.high}")
        if column == "max" and max(known) < term.high:
            yield Fault(
                name, row[0].line, f"no row says what {term.high} means: {term} gives {term.low} to {term.high}"
            )


def _format_rows(sheet: _Sheet, name: str, faults: list[Fault]) -> Iterator[str]:
    ends = [(row.number("min", faults, name), row.number("max", faults, name)) for row in sheet.rows]
    lows = [low for low, _ in ends if low is not None]
    highs = [high for _, high in ends if high is not None]
    for row, (low, high) in zip(sheet.rows, ends, strict=True):
        text = row.cells.get("text", "")
        if not text:
            faults.append(Fault(name, row.line, "text: this cell is empty"))
        # The lowest and the highest row of a table are open, since modifiers may lead beyond the die.
        parts = [f"min = {low}"] if low is not None and (low != min(lows) or len(lows) < len(sheet.rows)) else []
        parts += [f"max = {high}"] if high is not None and (high != max(highs) or len(highs) < len(sheet.rows)) else []
        parts += [f"text = {_quote(text)}"]
        parts += [f"tone = {_quote(tone.casefold())}"] if (tone := row.cells.get("tone", "")) else []
        if then := row.cells.get("then", ""):
            parts.append(f"then = [{', '.join(map(_format_deed, filter(None, map(str.strip, then.split(';')))))}]")
        yield f"  {{ {', '.join(parts)}, line = {row.line} }},  # line {row.line}"


def _format_deed(typed: str) -> str:
    do, *words = typed.split()
    parts = [f"amount = {int(word)}" if word.isdecimal() else f"to = {_quote(word)}" for word in words]
    return f"{{ {', '.join([f'do = {_quote(do)}', *parts])} }}"


def _format_modifiers(sheet: _Sheet, name: str, facts: dict[str, str], faults: list[Fault]) -> Iterator[str]:
    taken: list[str] = []
    for row in sheet.modifiers:
        label, value = row.cells.get("modifier", ""), row.number("value", faults, name)
        if not label or value is None:
            faults.append(Fault(name, row.line, "a modifier has a name and a value, such as Temple and +2"))
            continue
        own = f"roller.{make_id(label, [item.partition('.')[2] for item in taken], 'modifier')}"
        taken.append(own)
        when = (
            [[*map(str.strip, _AND.split(clause))] for clause in _OR.split(typed)]
            if (typed := row.cells.get("when", ""))
            else []
        )
        strange = [fact for clause in when for fact in clause if not _FACT.fullmatch(fact)]
        if strange:
            what = f"when: {strange[0][:40]!r} isn't a fact: write storms or not target.storms, joined by and, or, without brackets"
            faults.append(Fault(name, row.line, what))
            continue
        when = [[*map(_read_fact, clause)] for clause in when]
        times = _read_fact(typed) if (typed := row.cells.get("times", "")) else ""
        for fact in [fact for clause in when for fact in clause] or ([] if times else [own]):
            facts.setdefault(fact.removeprefix("!"), label if fact == own else fact.partition(".")[2].replace("-", " "))
        if times:
            facts.setdefault(times, times.partition(".")[2].replace("-", " "))
        parts = [f"id = {_quote(own)}", f"value = {value}", f"label = {_quote(label)}"]
        parts.append(f"group = {_quote(row.cells.get('group', '') or 'modifiers')}")
        parts += [f"per = {_quote(per)}"] if (per := row.cells.get("per", "")) else []
        parts += [f"times = {_quote(times)}"] if times else []
        parts += [f"when = {json.dumps(when)}"] if when else []
        yield f"  {{ {', '.join(parts)}, line = {row.line} }},  # line {row.line}"


def _read_fact(typed: str) -> str:
    """Read `storms`, `not storms` or `target.storms`; a bare word is about who rolls."""
    plain = typed.strip()
    denied = re.match(r"(?:not\s+|!)", plain, re.IGNORECASE)
    words = plain[denied.end() :] if denied else plain
    role, dot, trait = words.rpartition(".")
    return f"{'!' if denied else ''}{role if dot else 'roller'}.{word_id(trait)}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "")
