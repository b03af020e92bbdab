"""Which books the bot has: those that something can be rolled by."""

from __future__ import annotations

from bot.app import FEATURES, played_books
from rules.loader import book_ids


def test_a_book_is_offered_once_a_feature_plays_by_it() -> None:
    """A shipped book that no command rolls by is no choice of a campaign's."""
    played = {feature.book for feature in FEATURES if feature.book}
    assert {*played_books()} == played
    assert played <= {*book_ids()}
