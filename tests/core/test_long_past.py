"""Nothing people ask for reads the whole past."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.app import KINDS
from bot.core import audit
from tests.bench.campaign import build
from tests.bench.past import Table, playing

LONG = ("entry", "entry_text", "state", "subject", "post", "card")
"""Tables that grow."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a thousand entries."""
    file = tmp_path_factory.mktemp("built") / "adjutant.db"
    asyncio.run(build(f"sqlite:///{file}", 1_000, units=40))
    return file


@pytest.fixture
async def table(built: Path, tmp_path: Path) -> AsyncIterator[Table]:
    """The benchmark's campaign."""
    async with playing(f"sqlite:///{shutil.copy(built, tmp_path)}") as made:
        yield made


@pytest.mark.slow
async def test_the_campaign_of_the_benchmark_is_one_that_could_have_been_played(table: Table) -> None:
    """Its ledger checks out."""
    (found,) = await audit.check_ledgers(table.database, KINDS)
    assert (found.entries, found.faults, found.whole) == (1_000, (), True)


@pytest.mark.slow
async def test_an_index_leads_to_all_that_is_asked_for(table: Table) -> None:
    """No statement scans a table or campaign."""
    sent: dict[str, tuple[str, Any]] = {}
    engine, asked = table.database.engine, ""

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:  # noqa: ANN401 - SQLAlchemy's
        sent.setdefault(statement, (asked, parameters[0] if isinstance(parameters, list) else parameters))

    sa.event.listen(engine, "before_cursor_execute", note)
    for asked, act in table.acts().items():  # noqa: B007 - the listener reads it
        await act()
    sa.event.remove(engine, "before_cursor_execute", note)

    def read_whole(tx: sa.Connection) -> list[tuple[str, str, str]]:
        return [
            (act, statement, step)
            for statement, (act, parameters) in sent.items()
            if not statement.startswith(("BEGIN", "PRAGMA"))
            for step in tx.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).scalars("detail")
            if any(f" {name} " in f"{step} " for name in LONG) and _reads_whole(step, statement)
        ]

    assert len(sent) > 40
    assert await table.database.read(read_whole) == []


def _reads_whole(step: str, statement: str) -> bool:
    if step.startswith("SCAN"):
        return True
    return step.endswith("(campaign_id=?)") and "LIMIT" not in statement
