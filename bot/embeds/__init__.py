"""What people see of an entry: pure functions from the ledger's account to embeds within Discord's limits."""
