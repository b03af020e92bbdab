"""Orders of a war: each kind with its actions, how it is read and offered, and what it does."""
