"""Interactive messages. Their components carry ids, never state, so that they work after any restart."""
