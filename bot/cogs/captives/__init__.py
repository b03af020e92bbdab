"""Captives: taken, interrogated, escaping."""
