"""The ledger as people read it, and publishing."""

from __future__ import annotations

from bot.cogs.ledger.cog import LedgerCog
from bot.cogs.ledger.entries import PUBLICATION
from bot.cogs.ledger.panel import COMPONENTS, post_buttons
from bot.feature import Feature

FEATURE = Feature(cogs=(LedgerCog,), components=COMPONENTS, entry_kinds=(PUBLICATION,), post_buttons=post_buttons)
setup = FEATURE.setup
