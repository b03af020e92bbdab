"""Orders of players, by subject."""
