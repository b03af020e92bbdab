"""Attacks: `/roe attack`."""
