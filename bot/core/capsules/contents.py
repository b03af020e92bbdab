"""What of a campaign is in its capsule: which tables, which of their rows, and those rows as lines of JSON.

State, names and words to search by are not: they are made anew from the entries, so that nothing has to be believed of them.
What belongs to a server, such as channels, posts and buttons, stays there, and so do keys, and secrets that dice are still
drawn from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core.copying import BATCH, batches
from bot.core.damage import entry_columns
from bot.core.outages import outage
from bot.core.packing import pack
from bot.core.schema import (
    actor,
    asked_search,
    binding,
    board,
    book_version,
    campaign,
    card,
    document,
    entry,
    entry_text,
    epoch,
    import_draft,
    job,
    pending,
    post,
    recent,
    registered,
    search,
    search_backlog,
    state,
    subject,
    tombstone,
)
from bot.errors import StartError

TAKEN = (campaign, entry, entry_text, epoch, actor, book_version, document, job, recent, card, pending)
"""The tables of which rows go into a capsule, in the order in which they are written and read."""

MADE_ANEW = (state, subject, search, search_backlog)
"""The tables whose rows follow from entries."""

LEFT = (binding, post, board, import_draft, asked_search, registered, tombstone)
"""The tables whose rows are about messages, channels and commands of servers, and about those who were erased there."""

IN = 1
"""The number of the one campaign in a database that a capsule was read into."""

UNFIT = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    msgspec.MsgspecError,
    sa.exc.SQLAlchemyError,
)
"""What comes of values that nobody has written by this program."""

_BLANK: Mapping[str, Mapping[str, Any]] = {
    "campaign": {
        **dict.fromkeys(("guild_id", "results_channel_id", "staff_channel_id", "game_master_role_id"), 0),
        **dict.fromkeys(("outside_key", "away_since")),
    },
    "entry": {"interaction": None, "step": None},
}
"""What stands in a capsule in place of what belongs to a server, by table."""

_WHICH: Mapping[sa.Table, sa.ColumnElement[bool]] = {
    epoch: epoch.c.closed_at.is_not(None),
    card: card.c.state == "open",
    pending: pending.c.state == "open",
}
"""Of which rows a capsule has none: secrets that are drawn from, and what is done with."""


def lines(tx: Connection, table: sa.Table, campaign_id: int, upto: int) -> Iterator[bytes]:
    """Yield the rows of a table as lines of JSON, of those about entries such as go up to a number."""
    owner = campaign.c.id if table is campaign else table.c.campaign_id
    numbered = [column for column in (*entry_columns(), entry.c.number) if column.table is table]
    which = [owner == campaign_id, *(column.is_(None) | (column <= upto) for column in numbered)]
    which += [_WHICH[table]] if table in _WHICH else []
    query = sa.select(*(column for column in table.c if column is not owner)).where(*which)
    with closing(batches(tx, query.order_by(*table.primary_key))) as found:
        for row in (row for some in found for row in some):
            yield msgspec.json.encode(stripped(table.name, row._asdict())) + b"\n"


def stripped(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a table without what belongs to a server: as it leaves, and as it arrives, whoever has written it."""
    row |= _BLANK.get(table, {})
    if row.get("player_role_id") is not None:
        row["player_role_id"] = 0
    if "request" in row:
        row["request"] = _homeless(row["request"])
    return row


def _homeless(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return requests for rolls without the channels in which their results were to be posted."""
    if isinstance(value, dict):
        left = {"here": None} if {"family", "here"} <= value.keys() else {}
        return {name: _homeless(item) for name, item in value.items()} | left
    return [_homeless(item) for item in value] if isinstance(value, list) else value


def put(tx: Connection, name: str, written: Iterator[bytes]) -> None:
    """Write the lines of a table into the database of a capsule, which stands at the revision that they come from."""
    number = 0
    try:
        table = sa.Table(name, sa.MetaData(), autoload_with=tx, resolve_fks=False)
        owner = {"id": IN} if name == campaign.name else {"campaign_id": IN}
        columns = [column for column in table.c if column.name not in owner]
        names = {column.name for column in columns}  # those of older versions lack some of what is blank
        while batch := list(islice(written, BATCH)):
            rows = []
            for line in batch:
                number += 1
                row = stripped(name, _row(columns, line))
                rows.append({key: row[key] for key in names & row.keys()} | owner)
            tx.execute(table.insert(), rows)
    except UNFIT as error:
        if outage(error):
            raise
        why = str(getattr(error, "orig", None) or error).partition("\n")[0].rstrip(".")
        raise StartError(f"Its table {name} isn't readable: at row {number}, {why}.") from error


def _row(columns: Sequence[sa.Column[Any]], line: bytes) -> dict[str, Any]:
    row = msgspec.json.decode(line)
    if not isinstance(row, dict) or row.keys() != {column.name for column in columns}:
        raise ValueError("the columns are others")
    return {column.name: _value(column.type, row[column.name]) for column in columns}


def _value(kind: sa.types.TypeEngine[Any], value: Any) -> Any:  # noqa: ANN401 - as a table has it
    """Return a value as a database takes it that knows no more of its columns than SQLite does."""
    if value is None:
        return sa.null() if isinstance(kind, sa.JSON) else None
    if isinstance(kind, sa.DateTime):
        return datetime.fromisoformat(value).astimezone(UTC).replace(tzinfo=None)
    return pack(value) if isinstance(kind, sa.LargeBinary) else value
