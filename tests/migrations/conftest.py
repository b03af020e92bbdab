"""An empty database, for migrations."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core.database import Database
from tests.support.template import fresh_url


@pytest.fixture
async def database(database_kind: str, tmp_path: Path) -> AsyncIterator[Database]:
    """An empty database."""
    with fresh_url(database_kind, tmp_path) as url:
        made = Database(url)
        yield made
        await made.close()
