"""Read and write CSV and TOML files. Pure: bytes in, bytes out."""

import codecs
import csv
import io
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice, zip_longest
from typing import Literal

from bot.cogs.roster.import_plan import ALWAYS, MAX_ROWS, OTHER_NAMES, REQUIRED, ParsedFile, Row, cells_of
from bot.cogs.roster.validation import quote, tidy
from bot.core.errors import FileFault
from bot.core.profiles import Profile, list_columns
from bot.ui import files
from rules import errors, typed_table, typed_text
from rules.documents import Bounds, Document
from rules.subjects import CHARACTER_KINDS, Fields

Format = Literal["csv", "toml"]
HEADINGS = ("unit", "character")
MAX_LINE = 5000  # characters; all traits together have fewer
MAX_CELLS = 100
TOML_BOUNDS = Bounds(line=MAX_LINE, depth=4, text=MAX_LINE, most={**dict.fromkeys(HEADINGS, MAX_ROWS), "traits": 200})

_SEPARATOR = re.compile(r"\s*\"?sep=([,;\t|])\"?[ \t,;]*\r?\n", re.IGNORECASE)
"""Excel's first line that names the separator."""

SAVE_AS = "Save it as UTF-8: in Excel, Save As, then 'CSV UTF-8 (Comma delimited)'."
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_TOML = re.compile(r"(?:\s|#[^\n]*\n)*(?:\[|[\w-]+[ \t]*=)")
_PLAIN_TEXT = ("name", "side", "region", "squad")


class Unreadable(Exception):
    """A file that can't be read, or only up to the line in `fault`."""

    def __init__(self, line: int, what: str) -> None:
        self.fault = FileFault(line, what)
        super().__init__(what)


def decode(data: bytes) -> str:
    """Decode a file.

    Raises:
        Unreadable: it isn't text in UTF-8.

    """
    if data.startswith(b"PK\x03\x04"):
        raise Unreadable(1, f"This is a workbook or an archive, not a text file. {SAVE_AS}")
    if data.startswith(_WIDE) or data.count(0) > len(data) // 4:
        raise Unreadable(1, f"The file is in UTF-16 or UTF-32. {SAVE_AS}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"Byte {data[error.start]:#04x} isn't UTF-8; the file may use a Windows encoding. {SAVE_AS}"
        raise Unreadable(line, what) from error
    for number, line_text in enumerate(io.StringIO(text, newline=None), start=1):
        if "\0" in line_text:
            raise Unreadable(number, "It has a NUL character. Take it out: text files have none.")
        if len(line_text) > MAX_LINE:
            raise Unreadable(number, f"The line has {len(line_text)} characters. The limit is {MAX_LINE}.")
    return text


def read(name: str, text: str, fields: Fields) -> ParsedFile:
    """Read CSV or TOML, by name or else text."""
    file = ParsedFile()
    end = name.casefold().rpartition(".")[2]
    reader = _read_toml if end == "toml" or (end != "csv" and _TOML.match(text)) else _read_csv
    try:
        file.rows.extend(islice(reader(text, fields, file.faults), MAX_ROWS + 1))
    except Unreadable as unreadable:
        file.faults.append(unreadable.fault)
    if len(file.rows) > MAX_ROWS:
        what = f"An import can have {MAX_ROWS} units and characters. Split the file."
        file.faults.append(FileFault(file.rows.pop().line("name"), what))
    if not file.rows and not file.faults:
        file.faults.append(FileFault(1, "The file has no units or characters. Put each on a line below the header."))
    return file


def write(items: Iterable[Profile], to: Format, fields: Fields) -> bytes:
    """Return profiles as CSV or TOML; their owners are user ids as text."""
    return _write_csv(items, fields) if to == "csv" else "\n".join(_toml_item(item, fields) for item in items).encode()


def _read_csv(text: str, fields: Fields, faults: list[FileFault]) -> Iterator[Row]:
    columns = list_columns(fields)
    header: list[str] | None = None
    for line, cells in _list_records(text, fields):
        if header is None:
            header = _header(cells, fields)
            faults += [FileFault(line, what) for what in _header_faults(header, columns)]
            if not set(REQUIRED) <= set(header):
                return
        else:
            yield _csv_row(header, cells, line, fields, faults)


def _header(cells: Iterable[str], fields: Fields) -> list[str]:
    named = [(tidy(typed_text.keyboard_signs(cell)) or "").casefold() for cell in cells]
    labels = {item.label.casefold(): name for name, item in fields.items()}
    known = list_columns(fields)
    others = {name: {**OTHER_NAMES, **labels}.get(name, name) for name in named if name not in known}
    return [other if (other := others.get(name, name)) not in named else name for name in named]


def _list_records(text: str, fields: Fields) -> Iterator[tuple[int, list[str]]]:
    stated = _SEPARATOR.match(text)
    skipped = text.count("\n", 0, stated.end()) if stated else 0
    text = text[stated.end() :] if stated else text
    first = next((line for line in text.splitlines() if line.strip(" ,;\t|")), "")
    mark = stated[1] if stated else _delimiter(first, fields)
    quoted = re.sub(
        rf'(^|{re.escape(mark)})[\u201c\u201e]([^"\u201c-\u201e\n]*)[\u201c\u201d](?={re.escape(mark)}|$)',
        r'\1"\2"',
        text,
        flags=re.MULTILINE,
    )
    reader = csv.reader(io.StringIO(quoted, newline=""), delimiter=mark, strict=True)
    while True:
        line = reader.line_num + 1 + skipped
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            what = 'A quotation mark has no partner, so I stopped here. Inside a cell write it twice: "".'
            raise Unreadable(line, what) from error
        if any(cell.strip() for cell in cells) and not (mark == "|" and typed_table.is_rule("".join(cells))):
            if len(cells) > MAX_CELLS:
                raise Unreadable(line, f"The row has {len(cells)} cells. The limit is {MAX_CELLS}.")
            if (size := sum(map(len, cells))) > MAX_LINE:
                raise Unreadable(line, f"The row has {size} characters. The limit is {MAX_LINE}.")
            yield line, cells


def _delimiter(header: str, fields: Fields) -> str:
    known = list_columns(fields)

    def columns(mark: str) -> int:
        return sum(word in known for word in _header(header.replace('"', "").split(mark), fields))

    return max(",;\t|", key=columns)


def _header_faults(header: Sequence[str], columns: tuple[str, ...]) -> Iterator[str]:
    if set(header).isdisjoint(columns):
        yield f"The first line has to name the columns, such as kind,name,side,region. It can have: {', '.join(columns)}."
        return
    for place, name in enumerate(header):
        if name and name in header[:place]:
            yield f"The column {name} is there twice. Remove one."
        elif name and name not in columns and name not in ALWAYS:
            yield _unknown("column", name, columns)
    for name in REQUIRED:
        if name not in header:
            yield f"The column {name} is missing. The first line can have: {', '.join(columns)}."


def _csv_row(header: Sequence[str], cells: Sequence[str], line: int, fields: Fields, faults: list[FileFault]) -> Row:
    row = Row({}, lambda _column: line)
    if any(cell.strip() for name, cell in zip_longest(header, cells, fillvalue="") if not name):
        what = f"The row has {len(cells)} cells, the header {len(header)}."
        faults.append(row.fault("name", what, "Quote cells that have commas or semicolons."))
    named = dict(zip(header, cells, strict=False))
    columns = list_columns(fields)
    strange = (column for column in ALWAYS.difference(columns) if tidy(named.get(column, "")))
    faults += [row.fault(column, _unknown("column", column, columns)) for column in strange]
    for column in (*_PLAIN_TEXT, *(name for name, item in fields.items() if item.takes != "number")):
        if files.is_formula(named.get(column, "")):
            what = f"The {column} {quote(named[column])} looks like a formula."
            faults.append(row.fault(column, what, "If you mean it, put an apostrophe (') before it."))
    return Row({column: files.unguard_cell(named.get(column, "")) for column in columns}, row.line)


def _write_csv(items: Iterable[Profile], fields: Fields) -> bytes:
    columns = list_columns(fields)
    written = io.StringIO(newline="")
    writer = csv.writer(written)
    writer.writerow(columns)
    for item in items:
        cells = cells_of(item, fields)
        writer.writerow([files.guard_cell(cells[column]) for column in columns])
    return written.getvalue().encode("utf-8-sig")  # with its mark, by which Excel knows that it is UTF-8


def _read_toml(text: str, fields: Fields, faults: list[FileFault]) -> Iterator[Row]:
    _require_bounds(TOML_BOUNDS.before_parsing("", text.encode()))
    text = text if text.isascii() else _straight(text)
    document = Document("", text, _parse_toml(text))
    _require_bounds(TOML_BOUNDS.after_parsing(document))
    for heading, items in document.data.items():
        if heading not in HEADINGS:
            faults.append(FileFault(document.line((heading,)), _unknown("heading", heading, HEADINGS)))
        elif not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            faults.append(FileFault(document.line((heading,)), f"Write [[{heading}]] above each {heading}."))
        else:
            for place, item in enumerate(items):
                yield _toml_row(document, (heading, place), item, fields, faults)


def _straight(text: str) -> str:
    with suppress(ValueError, RecursionError):
        tomllib.loads(text)
        return text
    return text.translate(typed_text.STRAIGHT)


def _require_bounds(beyond: Iterable[errors.Fault]) -> None:
    for fault in beyond:
        raise Unreadable(fault.line, f"{fault.what[0].upper()}{fault.what[1:]}.")


def _parse_toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line (\d+)", str(error))
        line = int(at[1]) if at else text.count("\n") + 1
        what = re.sub(r" \(at [^()]*\)$", "", str(error))
        raise Unreadable(line, f"This isn't valid TOML, so I stopped here: {what}.") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable(1, "I can't read this TOML: a number is too long, or lists are nested too deep.") from error


def _toml_row(
    document: Document, at: tuple[str, int], item: Mapping[str, object], fields: Fields, faults: list[FileFault]
) -> Row:
    written = dict(zip(_header(item, fields), item, strict=True))
    row = Row({}, lambda column: document.line((*at, written[column]) if column in written else at))
    columns = list_columns(fields)
    cells = dict.fromkeys(columns, "")
    for column, value in zip(written, item.values(), strict=True):
        form = fields[column].takes if column in fields else column
        cell = _cell(form, value)
        if column not in columns:
            faults.append(row.fault(column, _unknown("key", column, columns)))
        elif cell is None:
            example = _EXAMPLES.get(form, "text in quotation marks").format(column)
            faults.append(row.fault(column, f"Write {column} like this: {example}."))
        else:
            cells[column] = cell
    character = cells["kind"].strip().casefold() in CHARACTER_KINDS
    if character != (at[0] == "character") and cells["kind"]:
        what = f"The kind {quote(cells['kind'])} is under [[{at[0]}]]."
        faults.append(row.fault("kind", what, f"Put characters ({', '.join(CHARACTER_KINDS)}) under [[character]]."))
    return Row(cells, row.line)


_EXAMPLES: Mapping[str, str] = {
    "number": "a whole number, such as {} = 7",
    "list": 'a list of text, such as {} = ["one", "two"]',
    "secret": "secret = true or secret = false",
    "traits": 'a list of text, such as traits = ["newtype", "detector-types*3"]',
    "owner": 'text, such as owner = "<@123456789012345678>"',
}


def _cell(form: str, value: object) -> str | None:
    # None for a wrong type; `form` is what the column takes.
    match form, value:
        case "secret", bool():
            return "yes" if value else "no"
        case "number" | "owner", int() if not isinstance(value, bool):
            return str(value)
        case "traits" | "list", list() if all(isinstance(word, str) for word in value):
            return ";".join(value)
        case "secret" | "number" | "traits" | "list", _:
            return None
        case _, str():
            return value
    return None


def _toml_item(item: Profile, fields: Fields) -> str:
    plain = cells_of(item, fields)
    values: dict[str, object] = {**plain, **item.fields, "secret": True, "traits": plain["traits"].split("; ")}
    written = {
        column: json.dumps(values[column], ensure_ascii=False) for column in list_columns(fields) if plain[column]
    }
    lines = [f"{column} = {text}\n" for column, text in written.items()]
    head = f"[[{'character' if item.is_character else 'unit'}]]\n"
    return head + "".join(lines).replace("\x7f", "\\u007f")  # TOML escapes one character more than JSON


@lru_cache(maxsize=256)  # what is misspelt in one row is so in all
def _unknown(what: str, name: str, known: tuple[str, ...]) -> str:
    close = errors.nearest(name[:MAX_LINE], known)
    hint = f"Did you mean {close}?" if close else f"Pick from: {', '.join(known)}."
    return f"I don't know the {what} {quote(name)}. {hint}"
