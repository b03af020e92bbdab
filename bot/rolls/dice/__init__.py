"""Dice: drawn by the system, or typed in by hand."""
