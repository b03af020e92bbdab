"""Rolls that wait for another person's answer. No die falls before every answer is in."""
