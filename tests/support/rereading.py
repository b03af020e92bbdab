"""Hold every test to it that whoever writes what transactions remember of their reading lets them forget it."""

from __future__ import annotations

import re

import sqlalchemy as sa

from bot.core.schema import actor, binding, campaign, entry, state, subject
from bot.core.transactions import get_running

REMEMBERED = {table.name for table in (actor, binding, campaign, entry, state, subject)}
_WRITES = re.compile(r"\s*(?:INSERT INTO|UPDATE|DELETE FROM) (?P<table>\w+)")


def watch() -> None:
    """Look at each statement of every engine from now on."""
    sa.event.listen(sa.Engine, "before_cursor_execute", _require_forgotten)


def _require_forgotten(connection: sa.Connection, _cursor: object, statement: str, *_more: object) -> None:
    written = _WRITES.match(statement)
    if written and written["table"] in REMEMBERED:
        assert not get_running(connection).reads, f"Written but by transactions.write: {statement}"
