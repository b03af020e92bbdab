"""BATTLESYSTEM's random events."""
