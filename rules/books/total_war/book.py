"""What Total War brings: what the entries of its catalog hold."""

from rules.books.total_war.catalog import CATALOG

__all__ = ["CATALOG", "PROCEDURES"]

PROCEDURES = ()
