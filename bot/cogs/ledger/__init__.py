"""The ledger as people read it, and publishing."""
