"""What the book of random events brings: its rolls."""

from rules.books.battlesystem import random_events

PROCEDURES = (random_events.PROCEDURE,)
