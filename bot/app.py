"""The composition root: lists the features, and puts the bot together."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from bot.client import Adjutant
from bot.cogs import (
    battles,
    campaign,
    captives,
    cards,
    complications,
    detection,
    effects,
    house_rules,
    infinity,
    ledger,
    newtype,
    patrol,
    ping,
    roll,
    roster,
    schedules,
    scouting,
    update,
    weather,
    writeups,
)
from bot.config import Settings
from bot.core.database import Database
from bot.core.ledger import Ledger, Randomness
from bot.core.system_dice import SystemDice
from bot.feature import Feature
from bot.kernel import Kernel, entry_kinds
from rules.compose import Composer
from rules.dice import Dice
from rules.loader import load_books
from rules.ruleset import RuleSet

FEATURES: tuple[Feature, ...] = (
    schedules.FEATURE,
    roster.FEATURE,  # of two features that know the same fact, the later one counts
    captives.FEATURE,
    complications.FEATURE,
    effects.FEATURE,
    weather.FEATURE,
    campaign.FEATURE,
    update.FEATURE,
    patrol.FEATURE,
    scouting.FEATURE,
    detection.FEATURE,
    newtype.FEATURE,
    roll.FEATURE,
    cards.FEATURE,
    ping.FEATURE,
    writeups.FEATURE,
    battles.FEATURE,
    infinity.FEATURE,
    house_rules.FEATURE,
    ledger.FEATURE,
)
KINDS = entry_kinds(FEATURES)


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


def create_bot(  # noqa: PLR0913 - all that comes from outside is handed in by name
    settings: Settings,
    *,
    database: Database | None = None,
    clock: Callable[[], datetime] = utc_now,
    dice: Dice | None = None,
    randomness: Randomness = secrets.token_bytes,
    books: Mapping[str, RuleSet] | None = None,
) -> Adjutant:
    """Put the bot together. Time, dice and randomness come in from outside, and the database when it is not the usual."""
    kernel = Kernel.build(
        FEATURES,
        database=database or Database(settings.database_url),
        ledger=Ledger(clock, randomness),
        books=load_books(settings.rules_overlays) if books is None else books,
        composer=Composer(settings.rules_overlays),
        dice=dice or SystemDice(),
    )
    return Adjutant(settings, kernel)
