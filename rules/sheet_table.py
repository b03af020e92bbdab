"""Turns a table from a spreadsheet into house rules: rows, then an optional block of modifiers."""

import csv
import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from io import StringIO

from msgspec import Struct, field

from rules.dice import DiceTerm
from rules.documents import make_id
from rules.editable_table import COLUMNS, MODIFIERS, EditableRow, EditableTable, find_ends, make_editable, read_table
from rules.errors import BookError, Fault
from rules.modifiers import Fact
from rules.subjects import word_id
from rules.typed_table import read_typed_rows
from rules.typed_text import keyboard_signs

_AND, _OR = re.compile(r"\band\b|&", re.IGNORECASE), re.compile(r"\bor\b|\|", re.IGNORECASE)
_FACT = re.compile(r"(?:not\s+|!)?(?!not\b)(?:[a-z]+\.)?[^\W_][\w -]*(?:\.[\w-]+)*", re.IGNORECASE)
_NO_FACTS: Mapping[str, Fact] = {}
_LINE = re.compile(r"# line (\d+)$")
_RANGE = re.compile(r"\d+\s*(?:(?:-|to)\s*\d+|\+)?", re.IGNORECASE)
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
    lines = [cells for _, cells in _read_cells(text)]
    heads = lines[:1] if len(lines) > 1 and not _RANGE.fullmatch(keyboard_signs(lines[0][0])) else []
    lines = lines[len(heads) :]
    if not lines or not all(len(cells) > 1 and _RANGE.fullmatch(keyboard_signs(cells[0])) for cells in lines):
        return text  # commas are part of what is typed
    between = " " if "\t" in text else ", "
    kept = [cells for cells in heads if any(map(str.isdigit, cells[0]))]  # it names the die
    return "\n".join(f"{first} {between.join(filter(None, cells))}" for first, *cells in (*kept, *lines))


def sheet_file(title: str, name: str, text: str, die: str = "", known: Mapping[str, Fact] = _NO_FACTS) -> str:
    """Return a sheet as a house rules file; BookError with lines of the sheet. `known` facts keep their words."""
    faults: list[Fault] = []
    sheet = _read_sheet(text, name, faults)
    if not sheet.rows and not faults:
        faults.append(Fault(name, 1, "the sheet has no rows below min, max and text"))
    rows = [*_format_rows(sheet, name, faults)]
    facts: dict[str, str] = {}
    modifiers = [*_format_modifiers(sheet, name, facts, faults)]
    die = die or sheet.die or _guess_die(sheet)
    faults.extend(_find_misfits(sheet, name, die))
    if faults:
        raise BookError(sorted(faults, key=lambda fault: fault.line))
    declared = [_declare(fact, label, known.get(fact)) for fact, label in facts.items()]
    head = ["facts = [", *declared, "]", ""] if declared else []
    head += [
        "[[table]]",
        f"id = {_quote(make_id(title, (), 'table'))}",
        f"title = {_quote(title)}",
        f"die = {_quote(die)}",
    ]
    tail = ["modifiers = [", *modifiers, "]"] if modifiers else []
    return "\n".join([*head, "rows = [", *rows, "]", *tail, ""])


def _declare(fact: str, label: str, known: Fact | None) -> str:
    role, _, trait = fact.partition(".")
    secret = ", secret = true" if known and known.secret else ""
    label = known.label if known else label
    return f"  {{ trait = {_quote(trait)}, label = {_quote(label)}, roles = [{_quote(role)}]{secret} }},"


def read_draft(die: str, typed: str) -> EditableTable | None:
    """Read typed lines or a sheet; None if they lack more than numbers."""
    if not is_sheet(typed):
        return read_typed_rows(die, plain_lines(typed))
    faults: list[Fault] = []
    sheet = _read_sheet(typed, "", faults)
    if faults or any(not row.cells.get("text") for row in sheet.rows):
        return None
    try:
        term = DiceTerm.parse(die or sheet.die or _guess_die(sheet))
    except ValueError:
        return None
    found = []
    for row in sheet.rows:
        ends = find_ends(row.number("min", faults, ""), row.number("max", faults, ""), term)
        found.append(EditableRow(*ends, *(row.cells.get(column, "") for column in COLUMNS[2:])))
    modifiers = [{key: row.cells.get(key, "") for key in MODIFIERS} for row in sheet.modifiers]
    draft = make_editable(term, found, modifiers)
    return None if faults else draft


def open_draft(kept: str) -> EditableTable | None:
    """Read a file's only table, or a window's text: its die, then its lines."""
    try:
        return read_table(kept)
    except BookError:
        die, _, lines = kept.partition("\n")
        return read_draft(die, lines)


def type_again(draft: EditableTable) -> tuple[str, str]:
    """Return a table's die and lines: a sheet if plain lines lose something."""
    plain, die = draft.write_lines(), draft.die_text
    return die, plain if read_draft(die, plain) == draft else draft.write_sheet()


def join_condition(picked: Sequence[str], typed: str) -> str:
    """Return a condition that needs all picked facts, and what was typed."""
    clauses = _OR.split(typed) if typed else [""]
    return " or ".join(" and ".join(filter(None, (*picked, clause.strip()))) for clause in clauses)


def split_condition(typed: str, known: Container[str]) -> tuple[list[str], str]:
    """Return a condition's known facts, and the rest."""
    facts = [fact.strip() for fact in _AND.split(typed)] if typed and not _OR.search(typed) else []
    picked = [fact for fact in facts if fact in known]
    return (picked, " and ".join(fact for fact in facts if fact not in known)) if picked else ([], typed)


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


def _begins_modifiers(cells: Sequence[str]) -> bool:
    return cells[0].casefold() == "modifier" and "value" in map(str.casefold, cells)


def _read_sheet(text: str, name: str, faults: list[Fault]) -> _Sheet:
    sheet, header = _Sheet(), list[str]()
    into: list[_SheetRow] | None = None
    for line, cells in _read_cells(text):
        first = cells[0].casefold()
        if first == "die" and into is None and len(cells) > 1:
            sheet.die = cells[1]
        elif _is_header(cells) or _begins_modifiers(cells):
            begins = _begins_modifiers(cells)
            header, known = [cell.casefold() for cell in cells], MODIFIERS if begins else COLUMNS
            into = sheet.modifiers if begins else sheet.rows
            strange = [cell[:40] for cell in header if cell and cell not in known]
            faults.extend(Fault(name, line, f"unknown column {cell}: write {', '.join(known)}") for cell in strange)
        elif into is None:
            faults.append(Fault(name, line, "the first row names the columns: min, max, text, then"))
            break
        else:
            into.append(_SheetRow(line, dict(zip(header, cells, strict=False))))
            if lost := " ".join(cells[len(header) :]).strip():
                what = f"{lost[:40]!r} is beyond the columns: leave it out, or put a text with commas or semicolons in quotes"
                faults.append(Fault(name, line, what))
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
        deeds = [deed.split() for deed in row.cells.get("then", "").split(";") if deed.strip()]
        for words in deeds:
            if (amounts := sum(map(str.isdecimal, words[1:]))) > 1 or len(words) - amounts > 2:  # noqa: PLR2004 - a deed and a role
                what = f"then: {' '.join(words)[:40]!r} isn't one effect: write injure roller 1, and a semicolon before the next"
                faults.append(Fault(name, row.line, what))
        parts += [f"then = [{', '.join(map(_format_deed, deeds))}]"] if deeds else []
        yield f"  {{ {', '.join(parts)}, line = {row.line} }},  # line {row.line}"


def _format_deed(typed: Sequence[str]) -> str:
    do, *words = typed
    parts = [f"amount = {int(word)}" if word.isdecimal() else f"to = {_quote(word)}" for word in words]
    return f"{{ {', '.join([f'do = {_quote(do)}', *parts])} }}"


def _format_modifiers(sheet: _Sheet, name: str, facts: dict[str, str], faults: list[Fault]) -> Iterator[str]:
    taken: list[str] = []
    for row in sheet.modifiers:
        before = len(faults)
        label, value = row.cells.get("modifier", ""), row.number("value", faults, name)
        if len(faults) > before:
            continue
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
