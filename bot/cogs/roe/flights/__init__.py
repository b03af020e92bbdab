"""Flights and calls for aid: what others may interrupt, asked of them before any die falls."""
