"""The campaign book: the page of rolls of a long-running play-by-post war game."""

from rules.books.campaign import detection, patrol, scouting, weather

PROCEDURES = (patrol.PROCEDURE, scouting.PROCEDURE, detection.PROCEDURE, weather.PROCEDURE)
