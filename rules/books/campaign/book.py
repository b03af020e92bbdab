"""What the campaign book brings: its rolls, and how its orders pair."""

from rules.books.campaign import complications, detection, escape, interrogation, newtype, patrol, scouting, weather
from rules.books.campaign.orders import PAIRING

__all__ = ["PAIRING", "PROCEDURES"]

PROCEDURES = (
    newtype.PROCEDURE,
    patrol.PROCEDURE,
    scouting.PROCEDURE,
    detection.PROCEDURE,
    weather.PROCEDURE,
    complications.PROCEDURE,
    interrogation.PROCEDURE,
    escape.PROCEDURE,
)
