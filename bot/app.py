"""The composition root: features, and the bot."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from bot.client import Adjutant
from bot.core import config, draws
from bot.core.database import Database
from bot.core.ledger import Ledger, Randomness
from bot.kernel import Feature, Kernel, entry_kinds
from bot.orders import own_results
from bot.rolls.fairness.random_org import Outside, RandomOrg
from bot.ui.pictures import style
from rules import library, ruleset
from rules.dice import Dice

NAMES = (
    "schedules",
    "roster",
    "captives",
    "complications",
    "effects",
    "weather",
    "campaign",
    "update",
    "orders",
    "campaign_rolls",
    "roll",
    "help",
    "writeups",
    "war",
    "battles",
    "roe",
    "infinity",
    "pending",
    "house_rules",
    "ledger",
    "result_menu",
    "luck",
    "privacy",
    "settings",
    "fairness",
)
"""Modules of `bot.cogs` with features. If two know the same fact, the later one counts."""

FEATURES: tuple[Feature, ...] = tuple(import_module(f"bot.cogs.{name}").FEATURE for name in NAMES)
KINDS = entry_kinds(FEATURES)


def utc_now() -> datetime:
    """Return the time now, in UTC."""
    return datetime.now(UTC)


def create_bot(  # noqa: PLR0913 - all that comes from outside is handed in by name
    settings: config.Settings,
    *,
    database: Database | None = None,
    clock: Callable[[], datetime] = utc_now,
    dice: Dice | None = None,
    randomness: Randomness = secrets.token_bytes,
    books: Mapping[str, ruleset.RuleSet] | None = None,
) -> Adjutant:
    """Build the bot; what comes from outside can be replaced."""
    ledger = Ledger(clock, randomness)
    vault = None if settings.secrets_key is None else draws.Vault(settings.secrets_key)
    style.use_further(settings.font_file)
    kernel = Kernel.build(
        FEATURES,
        database=database or Database(settings.database_url),
        ledger=ledger,
        books=list_played_books(settings.rules_overlays) if books is None else books,
        composer=library.Composer(settings.rules_overlays),
        dice=dice,
        outside=Outside(ledger, vault, RandomOrg(settings.random_org_url)),
        write=own_results.write_letter,
        public_url=settings.public_url,
    )
    return Adjutant(settings, kernel)


def list_played_books(overlays: Sequence[Path] = ()) -> Mapping[str, ruleset.RuleSet]:
    """Return features' books, with the operator's house rules."""
    played = {feature.book for feature in FEATURES if feature.book}
    if not overlays:
        return library.load_shipped_books().only(played)
    from rules.loader import load_books  # noqa: PLC0415 - loads only with files that are to be checked

    return {name: book for name, book in load_books(overlays).items() if name in played}
