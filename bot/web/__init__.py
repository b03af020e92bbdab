"""The public site: what everyone may know. It only reads."""
