"""Recurring jobs."""
