"""The words of the shipped books' deeds, without the books: what old entries mean."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import convert

from rules.tables import Deed


@cache
def printed_deeds() -> Mapping[str, Deed]:
    """Return the words of all deeds of shipped books, by id: entries mean these that are too old to have words of their own."""
    paths = Path(__file__).parent.glob("*/deeds.toml")
    every = [item for path in paths for item in tomllib.loads(path.read_text(encoding="utf-8"))["deeds"]]
    return {item.id: item for item in convert(every, list[Deed])}
