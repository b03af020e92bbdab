"""A ledger as a file, as far as somebody may know it: CSV, or a line of JSON for each entry."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from typing import Any, Literal

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.ledger.service import EntryDetails, details_of
from bot.cogs.ledger.wanted import Wanted, search_for
from bot.core import entries, search_rows
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.entry_kinds import EntryKinds
from bot.core.people import told
from bot.core.permissions import Person
from bot.core.search_rows import Span
from bot.errors import BadInput
from bot.ui.formulas import guarded
from bot.ui.text import bare

FileFormat = Literal["csv", "jsonl"]
BATCH = 100
"""How many entries are read in one transaction; others have their turn in between."""

MOST_BYTES = 8 * 2**20
"""How large a file may be: under what Discord takes on every server."""

COLUMNS = (
    *("number", "at", "kind", "family", "outcomes", "region", "week", "update"),
    *("by", "void_by", "amended_by", "text", "hash"),
)
"""The columns of CSV and the keys of JSON, in their order; `docs/ledger.md` says what each holds."""

Row = Mapping[str, Any]


class Exported(Struct, frozen=True):
    """A file of entries, newest first: how many, and up to which number what is older is still to be read in, 0 where all is."""

    data: bytes
    count: int
    upto: int = 0


async def export(
    database: Database, kinds: EntryKinds, person: Person, campaign: Campaign, wanted: Wanted, form: FileFormat
) -> Exported:
    """Return the entries that fit and that the person may know of, as a file; a search for nothing fits all."""
    file, count, below = io.BytesIO(_HEADS[form]), 0, Span().below
    file.seek(0, io.SEEK_END)
    upto = await database.read(search_rows.backlog, campaign.id) if wanted != Wanted() else 0
    while True:
        lines, numbers = await database.read(_lines, kinds, person, campaign, wanted, form, below)
        if file.tell() + len(lines) > MOST_BYTES:
            raise BadInput(
                f"The file would exceed {MOST_BYTES // 2**20} MB. It reaches down to about entry #{below}.",
                "Narrow it, for example with update, family or unit.",
            )
        file.write(lines)
        count += len(numbers)
        if len(numbers) < BATCH:
            return Exported(file.getvalue(), count, upto)
        below = numbers[-1]


def _lines(
    tx: Connection, kinds: EntryKinds, person: Person, campaign: Campaign, wanted: Wanted, form: FileFormat, below: int
) -> tuple[bytes, list[int]]:
    """Return the next entries under a number as a part of the file, and their numbers."""
    search = search_for(tx, person, campaign, wanted, everything=True)
    numbers = search.numbers(tx, campaign, Span(below=below), BATCH)
    found = entries.some(tx, campaign.id, numbers)
    listed = details_of(tx, person, campaign, [found[number] for number in numbers])
    return _FORMS[form]([_row(kinds, item) for item in listed]).encode(), numbers


def _row(kinds: EntryKinds, item: EntryDetails) -> Row:
    """Return an entry as it is told to whom it is for."""
    entry, body, mark = item.shown.entry, told(item.shown.entry), item.shown.voided
    about = list(kinds.about(entry, body, item.view))
    known = {name: value for name, value in about if name in {"family", "region", "week"}}
    values = {
        "number": entry.number,
        "at": entry.at.astimezone(UTC).isoformat(timespec="seconds"),
        "kind": entry.kind,
        "outcomes": [value for name, value in about if name == "outcome"],
        "update": body["update"]["number"] if entry.kind == "roll" and known else None,
        "by": None if item.user_id is None else str(item.user_id),
        "void_by": mark.by if mark and not mark.amended else None,
        "amended_by": mark.by if mark and mark.amended else None,
        "text": bare("\n".join(kinds.results(entry, body, item.view))),
        "hash": entry.hash,
    }
    return {name: (known | values).get(name) for name in COLUMNS}


def _json_lines(rows: Sequence[Row]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _csv_lines(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_cell(row[name]) for name in COLUMNS] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    """Return a value as a cell of a table; one that a spreadsheet would calculate has an apostrophe before it."""
    return guarded("; ".join(value) if isinstance(value, list) else "" if value is None else str(value))


_FORMS: Mapping[FileFormat, Callable[[Sequence[Row]], str]] = {"csv": _csv_lines, "jsonl": _json_lines}
_HEADS: Mapping[FileFormat, bytes] = {"csv": f"{','.join(COLUMNS)}\n".encode(), "jsonl": b""}
