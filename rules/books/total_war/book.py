"""What Total War brings: what the entries of its catalog hold, its rolls, and how its orders pair."""

from rules.books.total_war import board_passing, board_rolls, deciding
from rules.books.total_war.catalog import CATALOG
from rules.books.total_war.gathering import PAIRING

__all__ = ["CATALOG", "PAIRING", "PROCEDURES"]

PROCEDURES = (*deciding.PROCEDURES, *board_rolls.PROCEDURES, *board_passing.PROCEDURES)
