"""The document that the tests of the checker read."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.wire import sample
from tests.wire.openapi import Document


@pytest.fixture(scope="session")
def content(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Discord's document when `--discord-openapi` names it, else the small one."""
    named = request.config.getoption("discord_openapi", default=None)
    return dict(json.loads(Path(named).read_bytes())) if named else sample.DOCUMENT


@pytest.fixture(scope="session")
def document(content: dict[str, Any]) -> Document:
    """The same, ready to check requests."""
    return Document(content)
