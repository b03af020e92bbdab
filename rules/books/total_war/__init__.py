"""Total War: a hex map with supply, gold and building, and a board for every fight (gundam-0079-total-war)."""

from rules.books.total_war.catalog import CATALOG

__all__ = ["CATALOG", "PROCEDURES"]

PROCEDURES = ()
