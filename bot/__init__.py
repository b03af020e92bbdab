"""Adjutant: play-by-post war games on Discord."""
