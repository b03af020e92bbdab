"""The game's day or week."""
