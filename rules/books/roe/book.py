"""What RoE brings: its rolls, what its things are, and what refuses what is saved by it."""

from rules.books.roe import (
    afterwards,
    assault,
    attack,
    blast,
    blasting,
    checks,
    contests,
    engage,
    fleeing,
    grenades,
    ground,
    handling,
    hiding,
    interrupts,
    pets,
    recovery,
    rows,
    seats,
    struggles,
    turn_start,
    zones,
)
from rules.books.roe.arms import check_arm
from rules.books.roe.catalog import CATALOG as THINGS
from rules.books.roe.characters import EQUIPPED, check_equipped
from rules.books.roe.turn_catalog import TURN_CATALOG

__all__ = ["BESIDE", "CATALOG", "FIELDS", "PROCEDURES"]

FIELDS = {"weapons": check_arm}
BESIDE = dict.fromkeys(EQUIPPED, check_equipped)
CATALOG = {**THINGS, **TURN_CATALOG}
PROCEDURES = (
    *contests.PROCEDURES,
    *checks.PROCEDURES,
    *rows.PROCEDURES,
    *blast.PROCEDURES,
    *fleeing.PROCEDURES,
    *interrupts.PROCEDURES,
    attack.PROCEDURE,
    assault.PROCEDURE,
    *handling.PROCEDURES,
    *hiding.PROCEDURES,
    *afterwards.PROCEDURES,
    *recovery.PROCEDURES,
    *ground.PROCEDURES,
    *struggles.PROCEDURES,
    turn_start.PROCEDURE,
    engage.PROCEDURE,
    pets.PROCEDURE,
    *seats.PROCEDURES,
    blasting.PROCEDURE,
    grenades.PROCEDURE,
    zones.PROCEDURE,
)
