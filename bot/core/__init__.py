"""What a campaign is and what it did: database, ledger, state, subjects, permissions, visibility."""
