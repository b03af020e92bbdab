"""What the book of Infinity CodeOne brings: its rolls and numbers."""

from rules.books.infinity import face_to_face, normal_roll
from rules.books.infinity.skill import NUMBERS

__all__ = ["NUMBERS", "PROCEDURES"]

PROCEDURES = (normal_roll.PROCEDURE, face_to_face.PROCEDURE)
