"""What is kept of a person: shown, handed over, erased, by themselves alone."""

from __future__ import annotations

from bot.cogs.privacy.cog import PrivacyCog
from bot.cogs.privacy.entries import ERASED
from bot.cogs.privacy.panel import COMPONENTS
from bot.kernel import Feature

FEATURE = Feature(commands=(PrivacyCog(),), components=COMPONENTS, entry_kinds=(ERASED,))
