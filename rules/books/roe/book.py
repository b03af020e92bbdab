"""What RoE adds to the rules: its rolls, its catalog entries, and checks of saved fields."""

from rules.books.roe import (
    aftermath,
    assault,
    blasts,
    catalog,
    contests,
    engagements,
    handling,
    hiding,
    struggles,
    turns,
    zones,
)
from rules.books.roe.characters import EQUIPPED, check_arm, check_equipped
from rules.kinds import CatalogEntry, PrintedNumber

__all__ = ["BESIDE", "CATALOG", "FIELDS", "PROCEDURES"]

FIELDS = {"weapons": check_arm}
BESIDE = dict.fromkeys(EQUIPPED, check_equipped)
CATALOG = {PrintedNumber.kind: PrintedNumber} | {
    item.kind: item
    for module in (catalog, turns)
    for item in vars(module).values()
    if isinstance(item, type) and issubclass(item, CatalogEntry) and item is not CatalogEntry
}
PROCEDURES = (
    *contests.PROCEDURES,
    *aftermath.ROWS,
    blasts.BLAST,
    *hiding.AWAY,
    *assault.PROCEDURES,
    *handling.PROCEDURES,
    *hiding.PROCEDURES,
    *aftermath.PROCEDURES,
    *handling.GROUND,
    *struggles.PROCEDURES,
    zones.TURN_STARTS,
    *engagements.PROCEDURES,
    blasts.EXPLOSION_IN_PLAY,
    *zones.PROCEDURES,
)
