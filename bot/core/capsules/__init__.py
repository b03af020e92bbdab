"""Campaign capsules: all of one campaign as one file, and back again, whole or not at all."""
