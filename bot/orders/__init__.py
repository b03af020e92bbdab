"""Orders: what people mean to do in an update, sealed until it is resolved phase by phase."""
