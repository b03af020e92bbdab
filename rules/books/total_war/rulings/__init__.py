"""What game masters set, and how they write it."""
