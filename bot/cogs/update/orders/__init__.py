"""Orders: what people mean to do in an update, sealed until a game master resolves it."""
