"""The ledger as people read it, and publishing."""

from __future__ import annotations

from bot.cogs.ledger.entries import PUBLICATION
from bot.feature import Feature

FEATURE = Feature(entry_kinds=(PUBLICATION,))

setup = FEATURE.setup
