"""The roll card: a row of the database, and messages that show it."""
