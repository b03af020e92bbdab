"""Infinity's rolls and challenges."""
