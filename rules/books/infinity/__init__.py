"""The book of Infinity CodeOne: Normal Rolls and Face to Face Rolls."""

from rules.books.infinity import face_to_face, normal_roll
from rules.books.infinity.skill import NUMBERS

__all__ = ["NUMBERS", "PROCEDURES"]

PROCEDURES = (normal_roll.PROCEDURE, face_to_face.PROCEDURE)
