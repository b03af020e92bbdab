"""Adjutant: the staff work of play-by-post war games, on Discord."""
