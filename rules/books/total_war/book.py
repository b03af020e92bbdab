"""Rolls, catalog and order pairing of Total War."""

from rules.books.total_war import board_rolls, war_rolls
from rules.books.total_war.catalog import CATALOG
from rules.books.total_war.phases import PAIRING

__all__ = ["CATALOG", "PAIRING", "PROCEDURES"]

PROCEDURES = (*war_rolls.PROCEDURES, *board_rolls.PROCEDURES)
