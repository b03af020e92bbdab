"""Battles with random events."""
